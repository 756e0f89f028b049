package published

import (
	"fmt"
	"slices"
	"strings"

	"dyno.example/dyno/claim"
	"dyno.example/dyno/studies"
	"dyno.example/internal/i18n"
)

// Question is a claim of the catalogue with what is known of it.
type Question struct {
	studies.Claim
	Study  string         // that decides it; empty if there is none
	Held   *claim.Claim   // what the study holds it to; nil without a study
	Record *Record        // what was measured; nil if nothing was
	Result *claim.Outcome // of the record

	tries tries // of the study
}

// Questions puts catalogue, studies and records together, in the catalogue's order.
// held is what each study holds claims to, attempts are the runs that are known. A study or record that decides what is
// not in the catalogue is an error.
func Questions(c studies.Catalogue, held map[string][]claim.Claim, records []Record, attempts []Attempt) ([]Question, error) {
	list := make([]Question, len(c.Claims))
	at := map[string]*Question{}
	for i, one := range c.Claims {
		list[i].Claim = one
		at[one.ID] = &list[i]
	}
	for study, claims := range held {
		for i := range claims {
			q := at[claims[i].ID]
			if q == nil {
				return nil, fmt.Errorf("study %s decides %q, which is not in dyno/studies/claims.yaml", study, claims[i].ID)
			}
			if q.Study != "" {
				return nil, fmt.Errorf("%q is decided twice, by the studies %s and %s", q.ID, min(study, q.Study), max(study, q.Study))
			}
			q.Study, q.Held = study, &claims[i]
		}
	}
	for i := range records {
		r := &records[i]
		for j := range r.Verdicts {
			q := at[r.Verdicts[j].ID]
			if q == nil {
				return nil, fmt.Errorf("%s/%s decides %q, which is not in dyno/studies/claims.yaml", r.Dir, FileName, r.Verdicts[j].ID)
			}
			// The first is the best, unless it was judged otherwise than today.
			v := &r.Verdicts[j]
			if q.Held != nil {
				*v = claim.Rejudge(*v, q.Held)
				markAged(v, q.Held)
			}
			if q.Record == nil || outdated(q.Result) && !outdated(v) {
				q.Record, q.Result = r, v
			}
		}
	}
	counts := triesOf(attempts)
	for i := range list {
		q := &list[i]
		switch {
		case q.Record != nil:
			q.tries = counts[q.Record.Study]
		case q.Study != "":
			q.tries = counts[q.Study]
		}
	}
	return list, nil
}

// olderForm stands next to the verdict of a record whose study held the claim to
// something else than it does now.
const olderForm = "by an older form of its study"

// markAged says so of a verdict that is on other comparisons than the study has now.
func markAged(v *claim.Outcome, held *claim.Claim) {
	now := map[string]bool{} // comparisons, and whether the verdict has them
	for _, text := range held.Expressions {
		e, err := claim.Parse(text)
		if err != nil {
			continue // who reads the study sees it
		}
		for i := range e.Comparisons {
			now[e.Comparisons[i].Text] = false
		}
	}
	aged := false
	for i := range v.Parts {
		if _, ok := now[v.Parts[i].Expression]; ok {
			now[v.Parts[i].Expression] = true
		} else {
			aged = true
		}
	}
	for _, there := range now {
		aged = aged || !there
	}
	if !aged || len(v.Parts) == 0 || held.Unmeasurable != "" {
		return
	}
	var b claim.Basis
	if v.Basis != nil {
		b = *v.Basis
	}
	b.Rule = i18n.List(", ", slices.DeleteFunc([]i18n.Message{b.Rule, i18n.Verbatim(olderForm)}, i18n.Message.IsZero)...)
	v.Basis = &b
}

// outdated reports whether a verdict is by another rule, or another form of its study,
// than today's.
func outdated(v *claim.Outcome) bool { return v.Basis != nil && !v.Basis.Rule.IsZero() }

// NotMeasured is the verdict on what has no result.
const NotMeasured claim.Verdict = "not measured yet"

// Verdict is what became of the claim so far.
func (q *Question) Verdict() claim.Verdict {
	switch {
	case q.Result != nil:
		return q.Result.Verdict
	case q.Held != nil && q.Held.Unmeasurable != "":
		return claim.Unmeasurable
	}
	return NotMeasured
}

// Word is the verdict with what weakens it, as it is shown wherever there is one.
func (q *Question) Word() i18n.Message {
	var also []i18n.Message
	if q.Substitute != "" {
		also = append(also, i18n.New("published.of-substitute", "of %s", q.Substitute))
	}
	switch {
	case q.Result != nil:
		return q.Result.Word(also...)
	case q.Verdict() == NotMeasured:
		return i18n.New("published.not-measured", string(NotMeasured))
	case also != nil:
		return i18n.Format("%s (%s)", q.Verdict(), also[0])
	}
	return q.Verdict().Message()
}

// Remedy is the command that decides the claim: that of its study, or what a
// record was made with, as some are by a program.
func (q *Question) Remedy() i18n.Message {
	switch {
	case q.Study != "":
		return i18n.Verbatim("dyno run " + q.Study)
	case q.Record != nil:
		return i18n.Verbatim(q.Record.Command)
	}
	return i18n.New("published.no-study", "no study yet")
}

// deciding is the part of the result that decides, nil if there is none.
func (q *Question) deciding() *claim.Part {
	if q.Result == nil {
		return nil
	}
	for i := range q.Result.Parts {
		if p := &q.Result.Parts[i]; p.Verdict == q.Result.Verdict {
			return p
		}
	}
	return nil
}

// Page draws all claims in Markdown. links are from dyno/docs/claims.md, where it lies.
func Page(c studies.Catalogue, list []Question) string {
	p := &page{}
	p.line("<!-- Written by: dyno claims --page > dyno/docs/claims.md. Do not edit. -->\n")
	p.line("# Published claims, put to the test\n")
	p.line("%s\n", strings.Join(strings.Fields(intro), " "))
	p.counts(list)
	var sources []string
	for i := range list {
		if s := list[i].Source; !slices.Contains(sources, s) {
			sources = append(sources, s)
			p.source(c.Sources[s], s, list)
		}
	}
	p.line("## In detail")
	for i := range list {
		p.detail(&list[i])
	}
	return p.out.String()
}

const intro = `
Engineers publish figures about Go HTTP services every day. Here is each that we
know of, the question it makes, and what came out when it was put on the dyno. A claim
is *confirmed as published* if the published figure lies in the interval, or all of that
within the tolerance that is claimed, *confirmed, at least* if the effect is surely
larger, *by construction* if the study could not have come out otherwise, as what it sets was fitted
to what was published, *direction only* if the direction holds and the size can't be told,
*size refuted* if the interval excludes the size that is claimed, whether the direction holds
or not, *opposite* if the effect is surely the other way, *no effect* if it is equivalent to none,
*undecided* if the data can't tell, *unmeasurable* if the machine, or the study, lacks
what it takes, and *mixed* if its parts came out differently. What weakens a verdict
stands in parentheses behind it. The rule is in
[claims-and-verdicts.md](claims-and-verdicts.md), what was measured in
[results](results). Claims are held to the ratios of what was published, as absolute
figures of another machine are no limit here; the few that are held to such a figure have
no other, and are of this machine. Verdicts are given by today's rule, and by what studies
hold claims to today, on the intervals that were recorded then; what that can't tell is
*by an older form of its study*. Where an article is about a program of its own that nobody
else has, another was measured in its place, which stands behind the verdict: it tells
nothing of the article's.`

type page struct{ out strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.out, format+"\n", args...) }

// counts says how many claims have which verdict, and how many of these have it without
// anything that weakens it.
func (p *page) counts(list []Question) {
	p.line("| verdict | claims | of them, of another program than the article's | of them, with nothing that weakens it |\n|---|--:|--:|--:|")
	row := func(name string, of func(claim.Verdict) bool) {
		n, measured, strong, other := 0, 0, 0, 0
		for i := range list {
			q := &list[i]
			if !of(q.Verdict()) {
				continue
			}
			n++
			if q.Substitute != "" && q.Verdict() != NotMeasured {
				other++
			}
			if q.Result == nil {
				continue
			}
			measured++
			if q.Result.Weakness() == (claim.Weakness{}) && q.Substitute == "" {
				strong++
			}
		}
		if n > 0 && measured == 0 {
			p.line("| %s | %d | %d | |", name, n, other)
			return
		}
		p.line("| %s | %d | %d | %d |", name, n, other, strong)
	}
	for _, v := range verdictsOf(list) {
		row(string(v), func(o claim.Verdict) bool { return o == v })
	}
	row("all", func(claim.Verdict) bool { return true })
	p.line("")
}

// verdictsOf are all verdicts, with those of an older rule that are among the list,
// and that of what was not measured.
func verdictsOf(list []Question) []claim.Verdict {
	all := claim.Verdicts()
	for i := range list {
		if v := list[i].Verdict(); v != NotMeasured && !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return append(all, NotMeasured)
}

// source lists the claims of one source.
func (p *page) source(title, key string, list []Question) {
	p.line("## %s\n\n| claim | question | verdict | what decides |\n|---|---|---|---|", title)
	for i := range list {
		if q := &list[i]; q.Source == key {
			p.line("| [%s](#%s) | %s | %s | %s |", q.ID, q.ID, escape(q.Asks), q.Word(), escape(q.short()))
		}
	}
	p.line("")
}

// short is what decides, in a few words.
func (q *Question) short() string {
	part := q.deciding()
	switch {
	case part != nil && part.Effect != nil:
		return effect(part)
	case q.Result != nil:
		return q.Result.Why.String()
	case q.Verdict() == claim.Unmeasurable:
		return "needs another machine"
	case q.Study != "":
		return "`" + q.Remedy().String() + "`"
	}
	return q.Remedy().String()
}

// detail is the section of one claim.
func (p *page) detail(q *Question) {
	p.line("\n### %s\n\n%s\n", q.ID, q.Asks)
	p.line("- Published: %s%s.", q.Published, suffix("; ", q.Conditions))
	if q.Held != nil && q.Held.Says != "" {
		p.line("- Held to: %s.", strings.TrimSuffix(q.Held.Says, "."))
	}
	p.line("- Verdict: **%s**%s", q.Word(), suffix(": ", q.reason()))
	if q.Result != nil && q.Result.ByConstruction != "" {
		p.line("- By construction: %s", q.Result.ByConstruction)
	}
	for _, why := range q.unmeasurable() {
		if q.Verdict() == claim.Unmeasurable {
			p.line("- Unmeasurable: %s", why)
		} else {
			p.line("- Unmeasurable in part: %s", why)
		}
	}
	if q.Departs != "" {
		p.line("- Departs from the article: %s", q.Departs)
	}
	if q.Note != "" {
		p.line("- %s", q.Note)
	}
	if n := q.tries; n.known > 0 {
		p.line("- Attempts: %s, %d of them published.", runs(n.known), n.published)
	}
	if q.Result != nil {
		p.result(q)
	}
}

// unmeasurable are the reasons for parts that can't be measured, where neither the verdict nor
// the table says them.
func (q *Question) unmeasurable() (reasons []string) {
	if q.Result == nil {
		return nil
	}
	for _, part := range q.Result.Parts {
		if part.Verdict == claim.Unmeasurable && part.Effect != nil && part.Why.String() != q.reason() && !slices.Contains(reasons, part.Why.String()) {
			reasons = append(reasons, part.Why.String())
		}
	}
	return reasons
}

// runs writes a number of runs that are known.
func runs(n int) string {
	if n == 1 {
		return "1 run of its study is known"
	}
	return fmt.Sprintf("%d runs of its study are known", n)
}

// reason is why the verdict is what it is.
func (q *Question) reason() string {
	switch {
	case q.Result != nil:
		return q.Result.Why.String()
	case q.Verdict() == claim.Unmeasurable:
		return strings.Join(strings.Fields(q.Held.Unmeasurable), " ")
	}
	return "`" + q.Remedy().String() + "`"
}

func (p *page) result(q *Question) {
	r := q.Record
	p.line("- Conditions: %s; %s; %s; %s.", r.Date.UTC().Format("2 January 2006"), r.Machine, r.Method, strings.Join(r.Versions, ", "))
	p.line("- Basis: %s.", basis(q.Result))
	p.line("- Data: [results/%s](results/%s)", r.Dir, r.Dir)
	p.line("- Repeat: `%s`\n", r.Command)
	if len(q.Result.Parts) == 0 {
		return
	}
	p.line("| held to | measured | verdict |\n|---|---|---|")
	for i, part := range q.Result.Parts {
		figure := part.Why.String()
		if part.Effect != nil {
			figure = measured(&part)
			if of := part.Other(); of != "" {
				figure = "`" + of + "`: " + figure
			}
		}
		p.line("| `%s` | %s | %s |", escape(part.Expression), escape(figure), q.Result.WordOf(i))
	}
}

// basis is what a verdict rests on: what its run is worth, how many blocks, what two
// equal arms of it differed by, and of which source the lab was.
func basis(o *claim.Outcome) string {
	parts := []string{"validity not recorded"}
	if b := o.Basis; b != nil && b.Validity != "" {
		parts[0] = "a " + b.Validity + " run"
		switch {
		case !b.Tried || len(b.Turning) > 0:
		case b.Dismissed == 1:
			parts[0] += ", for 1 finding that could not turn this verdict"
		case b.Dismissed > 1:
			parts[0] += fmt.Sprintf(", for %d findings that could not turn this verdict", b.Dismissed)
		default:
			parts[0] += ", for nothing that this verdict rests on"
		}
		switch {
		case b.Clean:
			parts = append(parts, "dyno of the clean commit "+b.Commit)
		case b.Commit != "":
			parts = append(parts, "dyno of commit "+b.Commit+" with changes")
		default:
			parts = append(parts, "dyno of an unknown commit")
		}
	}
	parts = append(parts, fmt.Sprintf("%d blocks", o.Fewest()))
	for _, part := range o.Parts {
		if n := part.Noise; n != nil && n.N > 1 {
			parts = append(parts, fmt.Sprintf("A/A %s× (%s–%s)", number(n.Estimate), number(n.Low), number(n.High)))
			break
		}
	}
	if o.Basis != nil {
		for _, doubt := range o.Basis.Doubts {
			parts = append(parts, doubt.String())
		}
		for _, doubt := range o.Basis.Turning {
			parts = append(parts, "could turn the verdict: "+doubt.String())
		}
	}
	return strings.Join(parts, "; ")
}

// suffix is a text behind what parts it from the text before, or nothing.
func suffix(between, text string) string {
	if text == "" {
		return ""
	}
	return between + text
}

// escape keeps a text from ending its field of a table.
func escape(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
