package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/present"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// ruling is a claim with its verdict, ready to be shown.
type ruling struct {
	ID        string
	Says      string // in words; the ID if it says nothing
	Published string
	Verdict   claim.Verdict
	Word      string // for the verdict
	Meaning   string
	Why       string
	Parts     []rulingPart
	Basis     string // how many blocks it rests on
	Rests     string // on what else: the run's validity, the machine, the version
	Doubts    []string
}

// rulingPart is one comparison of a claim.
type rulingPart struct {
	Expression string
	Verdict    claim.Verdict
	Word       string
	Why        string // empty if it is the claim's
	Of         string // the figure that Effect is of
	Effect     string // empty if nothing could be computed
	Range      string
	Level      string
	Claimed    string // "≥ 2.3×"
	Noise      string // of the reference measured twice
	Scale      *effectScale
}

// effectScale is where an effect, its bound and no effect stand on a common
// scale, in per cent of its width.
type effectScale struct {
	Left, Wide float64 // of the interval
	Mid        float64 // the estimate
	Bound      float64
	Null       float64
	HasNull    bool
	Figures    []axisFigure // beneath, none over another
}

// axisFigure is a figure beneath a bar, at a per cent of its width.
type axisFigure struct {
	Kind string // "bound", "null" or "end"
	Text string
	At   float64
}

func rulings(a *analysis.Analysis, c language) []ruling {
	var out []ruling
	for i := range a.Claims {
		o := &a.Claims[i]
		r := ruling{
			ID: o.ID, Says: words(o.Says, o.ID), Published: o.Published, Verdict: o.Verdict, Why: capital(c.say(o.Why)),
			Word: c.text(verdictKey(o.Verdict)) + weakened(o.Weakness(), c), Meaning: c.text(verdictKey(o.Verdict) + ".means"), Basis: basis(o, c),
		}
		if b := o.Basis; b != nil {
			r.Rests = rests(b, c)
			for _, d := range b.Doubts {
				r.Doubts = append(r.Doubts, capital(c.say(d)))
			}
			for _, d := range b.Turning {
				r.Doubts = append(r.Doubts, capital(c.say(i18n.New("claim.could-turn-it", "could turn the verdict: %s", d))))
			}
		}
		for k := range o.Parts {
			r.Parts = append(r.Parts, newRulingPart(k, o, c))
		}
		out = append(out, r)
	}
	return out
}

// rests says what a verdict rests on apart from its blocks.
func rests(b *claim.Basis, c language) string {
	data := c.text("badge.data") + c.text("list.colon") + c.text("validity."+strings.ToLower(b.Validity))
	if b.Tried && len(b.Turning) == 0 {
		data += " (" + c.say(nothingTurns(b)) + ")"
	}
	list := []string{data}
	if b.Machine != "" {
		list = append(list, b.Machine)
	}
	if commit := b.Commit; commit != "" {
		text := "dyno " + commit[:min(len(commit), 12)]
		if !b.Clean {
			text += " (" + c.text("claim.unclean") + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, " · ")
}

// basis says how many blocks a verdict rests on, where that is not its reason.
func basis(o *claim.Outcome, c language) string {
	if o.Verdict == claim.Unmeasurable || o.Fewest() < 2 {
		return ""
	}
	return c.count("blocks", o.Fewest())
}

// nothingTurns is said of a run that is SUSPECT for reasons that don't bear on a verdict, or
// could not have turned it.
func nothingTurns(b *claim.Basis) i18n.Message {
	switch b.Dismissed {
	case 0:
		return i18n.New("claim.nothing-turns-it", "for nothing that this verdict rests on")
	case 1:
		return i18n.New("claim.finding-turns-nothing", "for 1 finding that could not turn this verdict")
	}
	return i18n.New("claim.findings-turn-nothing", "for %d findings that could not turn this verdict", b.Dismissed)
}

// verdictKey is that of a verdict's texts.
func verdictKey(v claim.Verdict) string {
	return "claim." + strings.NewReplacer(",", "", " ", "-").Replace(string(v))
}

// weakened says, behind a verdict, what weakens it.
func weakened(w claim.Weakness, c language) string {
	var texts []string
	if w.Validity != "" {
		texts = append(texts, c.text("claim.run", "validity", c.text("validity."+strings.ToLower(w.Validity))))
	}
	if w.Few {
		texts = append(texts, c.count("blocks", w.Blocks))
	}
	if w.ByRank {
		texts = append(texts, c.text("claim.by-rank"))
	}
	if w.Doubts {
		texts = append(texts, c.text("claim.doubts"))
	}
	if !w.Rule.IsZero() {
		texts = append(texts, c.say(w.Rule))
	}
	return because(strings.Join(texts, c.text("list.comma")))
}

func newRulingPart(k int, o *claim.Outcome, c language) rulingPart {
	p := &o.Parts[k]
	out := rulingPart{Expression: p.Expression, Verdict: p.Verdict, Word: c.text(verdictKey(p.Verdict)) + weakened(o.WeaknessOf(k), c)}
	if p.At != "" {
		out.Expression += " @ " + p.At
	}
	if p.Why != o.Why {
		out.Why = capital(c.say(p.Why))
	}
	e := p.Effect
	if e == nil {
		return out
	}
	s := writeInterval(e.Unit, e.Interval)
	out.Of, out.Effect, out.Claimed, out.Range, out.Level = e.Of, s.Estimate, claimed(e), effectRange(e, s), level(e.Interval)
	if p.HeldToFailed() {
		out.Range = c.text("claim.held-to-failed")
	}
	if p.Noise != nil {
		n := writeInterval("×", *p.Noise)
		out.Noise = c.text("claim.noise", "estimate", n.Estimate, "range", cmp.Or(n.Range(), c.text("ranking.point")))
	}
	out.Scale = newEffectScale(e)
	return out
}

// claimed is what is claimed of an effect: "≥ 2.3×", "~ 1.37× ± 10 %".
func claimed(e *claim.Effect) string {
	sign := map[claim.Op]string{claim.LessEq: "≤", claim.GreaterEq: "≥"}[e.Op]
	figure := func(x float64) string {
		s := scaleFor(e.Unit, x)
		return join(strconv.FormatFloat(round(x/s.by, maxDigits), 'f', -1, 64), s.suffix)
	}
	if e.Op == claim.Between {
		return figure(e.Bound*(1-e.Tolerance)) + "–" + figure(e.Bound*(1+e.Tolerance))
	}
	text := words(sign, string(e.Op)) + gap + figure(e.Bound)
	if e.Op == claim.About {
		text += gap + "±" + gap + strconv.FormatFloat(round(100*e.Tolerance, digits), 'f', -1, 64) + gap + "%"
	}
	if e.Published != nil && figure(*e.Published) != figure(e.Bound) {
		text += gap + "(" + figure(*e.Published) + ")"
	}
	return text
}

// effectRange is the interval; one without an upper end is "≥ 12.8".
func effectRange(e *claim.Effect, s spread) string {
	switch {
	case e.Below && e.Above, e.Above && e.Interval.Low == 0:
		return "" // which says nothing
	case e.Above:
		return "≥" + gap + s.Low
	case e.Below:
		return "≤" + gap + s.High
	}
	return s.Range()
}

// newEffectScale lays out what is to be compared, with a tenth of room on either
// side. Ratios are laid out by their logarithms: half is as far as double.
func newEffectScale(e *claim.Effect) *effectScale {
	if e.Interval.N < 2 || e.Below && e.Above {
		return nil
	}
	at := func(x float64) float64 { return x }
	if e.Unit == "×" && e.Interval.Low > 0 && e.Bound > 0 {
		at = math.Log
	}
	marks := []float64{at(e.Interval.Low), at(e.Interval.High), at(e.Bound)}
	if e.NoEffect != nil {
		marks = append(marks, at(*e.NoEffect))
	}
	least, most := marks[0], marks[0]
	for _, x := range marks {
		least, most = min(least, x), max(most, x)
	}
	if !(most > least) {
		return nil
	}
	room := (most - least) / 10
	least, most = least-room, most+room
	on := func(x float64) float64 { return percent(at(x)-least, most-least) }
	out := &effectScale{Left: on(e.Interval.Low), Mid: on(e.Interval.Estimate), Bound: on(e.Bound)}
	out.Wide = max(percent(at(e.Interval.High)-at(e.Interval.Low), most-least), 0.6) // a hair, if it is a point
	if e.Above {
		out.Wide = 100 - out.Left
	}
	if e.Below {
		out.Left, out.Wide = 0, out.Left+out.Wide
	}
	if e.NoEffect != nil {
		out.Null, out.HasNull = on(*e.NoEffect), true
	}
	out.Figures = axisFigures(e, out)
	return out
}

// axisFigures writes what is claimed, no effect and the interval's ends beneath their
// places, the first of these first; one that would stand over another is left out.
func axisFigures(e *claim.Effect, s *effectScale) []axisFigure {
	const room = 17 // per cent: some 55 px on a phone
	write := func(x float64) string {
		scale := scaleFor(e.Unit, x)
		return join(strconv.FormatFloat(round(x/scale.by, digits), 'f', -1, 64), scale.suffix)
	}
	all := []axisFigure{{"bound", write(e.Bound), s.Bound}}
	if s.HasNull {
		all = append(all, axisFigure{"null", write(*e.NoEffect), s.Null})
	}
	if !e.Below {
		all = append(all, axisFigure{"end", write(e.Interval.Low), s.Left})
	}
	if !e.Above {
		all = append(all, axisFigure{"end", write(e.Interval.High), s.Left + s.Wide})
	}
	var out []axisFigure
	for _, f := range all {
		f.At = min(max(f.At, 6), 94)
		if !slices.ContainsFunc(out, func(o axisFigure) bool { return math.Abs(o.At-f.At) < room }) {
			out = append(out, f)
		}
	}
	return out
}

// line is the part's effect on one line: "2.21× (2.18–2.25), claimed ≥ 2.3×".
func (p *rulingPart) line(c language) string {
	if p.Effect == "" {
		return ""
	}
	text := p.Effect
	if p.Range != "" {
		text += " (" + p.Range + ")"
	}
	return text + c.text("list.comma") + c.text("claim.claimed") + " " + p.Claimed
}

// terminalClaims writes the verdicts for a terminal, nothing if there are none.
func terminalClaims(a *analysis.Analysis, c language, width int, p painter) string {
	list := rulings(a, c)
	if len(list) == 0 {
		return ""
	}
	out := p.paint(bold, c.text("claims.title")) + "\n"
	for i := range list {
		r := &list[i]
		out += "\n" + p.paint(verdictColour(r.Verdict), r.Word) + "  " + present.Clip(printable(r.ID), width-present.Width(r.Word)-2) + "\n"
		if r.Says != r.ID {
			out += indented(r.Says, width)
		}
		for k := range r.Parts {
			part := &r.Parts[k]
			out += indented(part.Expression, width)
			line := part.line(c)
			if line == "" && len(r.Parts) > 1 { // it has no figure, and the claim's reason is that of all parts
				line = part.Why
			}
			if line != "" && len(r.Parts) > 1 {
				line = part.Word + c.text("list.colon") + line
			}
			out += indented(line, width)
		}
		out += indented(r.Why+because(r.Basis), width)
	}
	return out
}

// because adds a remark in parentheses.
func because(remark string) string {
	if remark == "" {
		return ""
	}
	return " (" + remark + ")"
}

// indented wraps a text two columns in.
func indented(text string, width int) string {
	if text == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(present.Wrap(printable(oneLine(text)), max(width-2, 1)), "\n", "\n  ") + "\n"
}

func verdictColour(v claim.Verdict) string {
	switch {
	case v.Confirms():
		return green
	case v.Refutes():
		return red
	case v == claim.Unmeasurable:
		return dim
	}
	return yellow
}

// claims writes the verdicts as a table, nothing if there are none.
func (m *markdown) claims() {
	list := rulings(m.a, m.language)
	if len(list) == 0 {
		return
	}
	m.line("## %s\n", m.text("claims.title"))
	var rows [][]string
	for i := range list {
		r := &list[i]
		rows = append(rows, []string{"**" + r.Word + "**", escape(r.Says), "", "", escape(r.Why + because(r.Basis))})
		for k := range r.Parts {
			p := &r.Parts[k]
			effect := p.Effect
			if p.Range != "" {
				effect += " (" + p.Range + ")"
			}
			rows = append(rows, []string{partWord(r, p), codeSpan(p.Expression), effect, escape(p.Claimed), escape(p.Why)})
		}
	}
	m.table("llrrl", []string{m.text("claims.verdict"), m.text("claims.claim"), m.text("claims.effect"), capital(m.text("claim.claimed")), m.text("claims.why")}, rows)
	m.line("")
}

// partWord is the verdict on a part, where that is not the claim's own.
func partWord(r *ruling, p *rulingPart) string {
	if len(r.Parts) > 1 {
		return p.Word
	}
	return ""
}

// codeSpan writes a text as code within a table of Markdown.
func codeSpan(text string) string {
	return "`` " + strings.NewReplacer("|", `\|`, "`", "'", "\n", " ", "\r", " ").Replace(text) + " ``"
}

// levelOf is the confidence of the effects, or empty.
func levelOf(list []ruling) string {
	for i := range list {
		for k := range list[i].Parts {
			if l := list[i].Parts[k].Level; l != "" {
				return l
			}
		}
	}
	return level(stats.Interval{Level: 0.95})
}
