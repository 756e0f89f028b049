package claim

import (
	"fmt"
	"slices"
	"strings"
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
func summary(verdicts []Verdict) string {
	if v := alike(verdicts); all(verdicts, func(o Verdict) bool { return o == v }) {
		return fmt.Sprintf("all %d parts: %s", len(verdicts), v)
	}
	var counts []string
	for _, v := range Verdicts() {
		if n := count(verdicts, v); n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, v))
		}
	}
	text := fmt.Sprintf("of %d parts %s", len(verdicts), enumerate(counts))
	if slices.ContainsFunc(verdicts, Verdict.Refutes) {
		text += "; as a whole it does not hold"
	}
	return text
}

// overModerators says at which places of the moderators each verdict was given.
func (out *Outcome) overModerators() string {
	var texts []string
	for from := 0; from < len(out.Parts); {
		to := from + 1
		for to < len(out.Parts) && out.Parts[to].Expression == out.Parts[from].Expression && out.Parts[to].At != out.Parts[from].At {
			to++
		}
		texts = append(texts, alongModerator(out.Parts[from:to]))
		from = to
	}
	return strings.Join(texts, "; ")
}

// alongModerator is overModerators for one comparison.
func alongModerator(parts []Part) string {
	var texts []string
	for _, v := range Verdicts() {
		var places []string
		for _, p := range parts {
			if p.Verdict == v {
				places = append(places, p.At)
			}
		}
		switch {
		case len(places) == len(parts) && len(parts) > 1:
			return fmt.Sprintf("%s over the whole range", v)
		case len(places) == len(parts):
			return parts[0].Why
		case len(places) > 0:
			texts = append(texts, fmt.Sprintf("%s at %s", v, enumerate(places)))
		}
	}
	return "the dial decides: " + strings.Join(texts, "; ")
}

func count(list []Verdict, v Verdict) (n int) {
	for _, o := range list {
		if o == v {
			n++
		}
	}
	return n
}

// enumerate joins "a, b and c".
func enumerate(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
