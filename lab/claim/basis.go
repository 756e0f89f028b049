package claim

import (
	"fmt"
	"strings"
)

// Basis is what a verdict rests on, and what stands beside it wherever it is
// shown.
type Basis struct {
	Run      string `json:"run,omitempty"`     // its ID
	Validity string `json:"validity"`          // of the run: VALID, SUSPECT or INVALID
	Machine  string `json:"machine,omitempty"` // in a line
	Dyno     string `json:"dyno,omitempty"`    // version
	Commit   string `json:"commit,omitempty"`  // of the source; empty if it is not known
	Clean    bool   `json:"clean"`             // the source was exactly that of the commit
	// Doubts are findings of the run that stand beside the verdict, such as trials that
	// one arm lost and the other did not.
	Doubts []string `json:"doubts,omitempty"`
	// Rule says by which rule it was judged, where that is not today's.
	Rule string `json:"rule,omitempty"`
}

// enoughBlocks is how many blocks it takes for an interval that stands without the
// assumption that noise is log-normal.
const enoughBlocks = 6

// Weakness is what weakens a verdict, and is said in the same breath.
type Weakness struct {
	Validity string // of the run, if it is not VALID
	Blocks   int    // if they are few; 0 if there are enough
	Doubts   bool   // findings stand beside it
	Rule     string // by which it was judged, if that is not today's
}

// Weakness is that of the verdict on the whole.
func (out *Outcome) Weakness() Weakness {
	if len(out.Parts) == 0 {
		return Weakness{}
	}
	return out.weakness(out.Verdict, out.Blocks)
}

// WeaknessOf is that of the part with the index given.
func (out *Outcome) WeaknessOf(part int) Weakness {
	return out.weakness(out.Parts[part].Verdict, out.Parts[part].Blocks)
}

func (out *Outcome) weakness(v Verdict, blocks int) (w Weakness) {
	if v == Unmeasurable {
		return w
	}
	if b := out.Basis; b != nil {
		w.Doubts, w.Rule = len(b.Doubts) > 0, b.Rule
		if b.Validity != "VALID" {
			w.Validity = b.Validity
		}
	}
	if blocks < enoughBlocks {
		w.Blocks = max(blocks, 1)
	}
	return w
}

// Word is the verdict with what weakens it: "confirmed as published (SUSPECT run, 4
// blocks)".
func (out *Outcome) Word() string { return out.Weakness().word(out.Verdict) }

// WordOf is that of the part with the index given.
func (out *Outcome) WordOf(part int) string {
	return out.WeaknessOf(part).word(out.Parts[part].Verdict)
}

func (w Weakness) word(v Verdict) string {
	var texts []string
	if w.Validity != "" {
		texts = append(texts, w.Validity+" run")
	}
	switch {
	case w.Blocks == 1:
		texts = append(texts, "1 block")
	case w.Blocks > 0:
		texts = append(texts, fmt.Sprintf("%d blocks", w.Blocks))
	}
	if w.Doubts {
		texts = append(texts, "see its doubts")
	}
	if w.Rule != "" {
		texts = append(texts, w.Rule)
	}
	if len(texts) == 0 {
		return string(v)
	}
	return fmt.Sprintf("%s (%s)", v, strings.Join(texts, ", "))
}
