package claim

import (
	"slices"

	"dyno.example/internal/i18n"
)

// Basis is what a verdict rests on, and what is said with it wherever it is
// shown.
type Basis struct {
	Run      string `json:"run,omitempty"`     // its ID
	Validity string `json:"validity"`          // of the run: VALID, SUSPECT or INVALID
	Machine  string `json:"machine,omitempty"` // in a line
	Dyno     string `json:"dyno,omitempty"`    // version
	Commit   string `json:"commit,omitempty"`  // of the source; empty if it is not known
	Clean    bool   `json:"clean"`             // the source was exactly that of the commit
	// Doubts are findings of the run that are said with the verdict, such as trials that
	// one arm lost and the other did not.
	Doubts []i18n.Message `json:"doubts,omitzero"`
	// Tried says that of a run that is SUSPECT each reason was held to this verdict: Turning
	// are those that could have turned it. Without any the verdict stands as on a VALID run.
	Tried   bool           `json:"tried,omitempty"`
	Turning []i18n.Message `json:"turning,omitzero"`
	// ByPart says that each part has what could have turned the verdict on it. That on the whole
	// may stand where one on a part doesn't.
	ByPart bool `json:"by_part,omitempty"`
	// Dismissed is how many findings about what the verdict rests on could not have turned it.
	Dismissed int `json:"dismissed,omitempty"`
	// Rule says by which rule it was judged, where that is not today's.
	Rule i18n.Message `json:"rule,omitzero"`
}

// enoughBlocks is how many blocks it takes for an interval that stands without the
// assumption that noise is log-normal.
const enoughBlocks = 6

// Weakness is what weakens a verdict, and is said in the same breath.
type Weakness struct {
	Validity string       // of the run, if it is not VALID
	Few      bool         // there are few blocks
	Blocks   int          // how many, if they are few
	Doubts   bool         // findings are said with it
	ByRank   bool         // it is another by ranks: a few starts, or one subject's, move the mean
	Rule     i18n.Message // by which it was judged, if that is not today's
}

// Weakness is that of the overall verdict.
func (out *Outcome) Weakness() Weakness {
	if len(out.Parts) == 0 {
		return Weakness{}
	}
	w := out.weakness(out.Verdict, out.Fewest())
	w.ByRank = slices.ContainsFunc(out.Parts, func(p Part) bool { return p.otherwiseByRank() })
	return w
}

// Fewest is the number of blocks of the part that has fewest, of those that could be
// measured if any could: one with values in less than two blocks could not.
func (out *Outcome) Fewest() int {
	var all, measured []int
	for i := range out.Parts {
		p := &out.Parts[i]
		all = append(all, p.Blocks)
		if p.Verdict != Unmeasurable && p.Blocks >= 2 {
			measured = append(measured, p.Blocks)
		}
	}
	switch {
	case len(measured) > 0:
		return slices.Min(measured)
	case len(all) > 0:
		return slices.Min(all)
	}
	return out.Blocks
}

// WeaknessOf is that of the part with the index given.
func (out *Outcome) WeaknessOf(part int) Weakness {
	w := out.weakness(out.Parts[part].Verdict, out.Parts[part].Blocks)
	w.ByRank = out.Parts[part].otherwiseByRank()
	if b := out.Basis; b != nil && b.ByPart && out.Parts[part].Verdict != Unmeasurable {
		if w.Validity = ""; len(out.Parts[part].Turning) > 0 {
			w.Validity = b.Validity
		}
	}
	return w
}

func (out *Outcome) weakness(v Verdict, blocks int) (w Weakness) {
	if v == Unmeasurable {
		return w
	}
	if b := out.Basis; b != nil {
		w.Doubts, w.Rule = len(b.Doubts) > 0, b.Rule
		if b.Validity != "VALID" && !(b.Tried && len(b.Turning) == 0) {
			w.Validity = b.Validity
		}
	}
	if blocks < enoughBlocks {
		w.Few, w.Blocks = true, blocks
	}
	return w
}

// Word is the verdict with what weakens it: "confirmed as published (SUSPECT run, 4
// blocks)". What else is to be said with it follows.
func (out *Outcome) Word(also ...i18n.Message) i18n.Message {
	return out.Weakness().word(out.Verdict, also...)
}

// WordOf is that of the part with the index given.
func (out *Outcome) WordOf(part int) i18n.Message {
	return out.WeaknessOf(part).word(out.Parts[part].Verdict)
}

func (w Weakness) word(v Verdict, also ...i18n.Message) i18n.Message {
	var texts []i18n.Message
	if w.Validity != "" {
		texts = append(texts, i18n.New("claim.of-run", "%s run", w.Validity))
	}
	switch {
	case w.Few && w.Blocks == 1:
		texts = append(texts, i18n.New("claim.block", "1 block"))
	case w.Few:
		texts = append(texts, i18n.New("claim.blocks", "%d blocks", w.Blocks))
	}
	if w.ByRank {
		texts = append(texts, i18n.New("claim.otherwise-ranks", "otherwise by ranks"))
	}
	if w.Doubts {
		texts = append(texts, i18n.New("claim.see-doubts", "see its doubts"))
	}
	if !w.Rule.IsZero() {
		texts = append(texts, w.Rule)
	}
	if texts = append(texts, also...); len(texts) == 0 {
		return v.Message()
	}
	return i18n.Format("%s (%s)", v, i18n.List(", ", texts...))
}
