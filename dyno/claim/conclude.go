package claim

import (
	"slices"

	"dyno.example/internal/i18n"
)

// conclude sums up the parts. verdicts are those on each comparison over the whole
// range of the moderators.
func (out *Outcome) conclude(verdicts []Verdict, moderated bool) {
	out.Verdict = alike(verdicts)
	out.Blocks = out.Fewest()
	for _, p := range out.Parts {
		out.Open = out.Open || p.Open
		out.Needed = max(out.Needed, p.Needed)
	}
	if slices.ContainsFunc(out.Parts, func(p Part) bool { return p.Open && p.Needed == 0 }) {
		out.Needed = 0 // however many, one part stays open
	}
	switch {
	case len(out.Parts) == 1:
		out.Why = out.Parts[0].Why
	case moderated:
		out.Why = out.overModerators()
	default:
		out.Why = summary(verdicts)
	}
}

// summary is an honest sentence about parts: "of 9 parts 3 are direction only and 6
// size refuted; as a whole it does not hold".
func summary(verdicts []Verdict) i18n.Message {
	if v := alike(verdicts); all(verdicts, func(o Verdict) bool { return o == v }) {
		return i18n.New("claim.all-parts", "all %d parts: %s", len(verdicts), v)
	}
	var counts []i18n.Message
	for _, v := range Verdicts() {
		if n := count(verdicts, v); n > 0 {
			counts = append(counts, i18n.Format("%d %s", n, v))
		}
	}
	text := i18n.New("claim.parts", "of %d parts %s", len(verdicts), i18n.And(counts...))
	if slices.ContainsFunc(verdicts, Verdict.Refutes) {
		text = i18n.Join(text, i18n.New("claim.conjunction-fails", "; as a whole it does not hold"))
	}
	return text
}

// overModerators says at which places of the moderators each verdict was given.
func (out *Outcome) overModerators() i18n.Message {
	var texts []i18n.Message
	for from := 0; from < len(out.Parts); {
		to := from + 1
		for to < len(out.Parts) && out.Parts[to].Expression == out.Parts[from].Expression && out.Parts[to].At != out.Parts[from].At {
			to++
		}
		texts = append(texts, alongModerator(out.Parts[from:to]))
		from = to
	}
	return i18n.List("; ", texts...)
}

// alongModerator is overModerators for one comparison.
func alongModerator(parts []Part) i18n.Message {
	var texts []i18n.Message
	for _, v := range Verdicts() {
		var places []i18n.Message
		for _, p := range parts {
			if p.Verdict == v {
				places = append(places, i18n.Verbatim(p.At))
			}
		}
		switch {
		case len(places) == len(parts) && len(parts) > 1:
			return i18n.New("claim.over-whole-range", "%s over the whole range", v)
		case len(places) == len(parts):
			return parts[0].Why
		case len(places) > 0:
			texts = append(texts, i18n.New("claim.at", "%s at %s", v, i18n.And(places...)))
		}
	}
	return i18n.New("claim.moderator-decides", "the dial decides: %s", i18n.List("; ", texts...))
}

func count(list []Verdict, v Verdict) (n int) {
	for _, o := range list {
		if o == v {
			n++
		}
	}
	return n
}
