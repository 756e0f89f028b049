package study

import (
	"fmt"
	"slices"
)

// Shorter is what a quick run changes. Zero fields change nothing.
type Shorter struct {
	Blocks  int
	Trial   Timing
	Loads   []string // only these
	Factors []Factor // instead of the study's factors of the same name
	Samples int      // of a design that samples
}

func shorterAt(at scope, s *Study) Shorter {
	f, _ := at.fields("blocks", "trial", "loads", "factors", "samples")
	q := Shorter{Trial: s.Trial}
	if v, ok := f["blocks"]; ok {
		q.Blocks = v.integer(1, maxBlocks)
	}
	if v, ok := f["trial"]; ok {
		q.Trial = timingAt(v, s.Trial)
	}
	if v, ok := f["loads"]; ok {
		var names []string
		for _, l := range s.Loads {
			names = append(names, l.Name)
		}
		q.Loads = wordsOf(v, names)
	}
	if v, ok := f["factors"]; ok {
		q.Factors = shorterFactorsAt(v, s)
	}
	if v, ok := f["samples"]; ok {
		q.Samples = v.integer(leastSamples, maxSamples)
		if !s.Design.sampling() {
			v.problem("", "the study's design, %s, takes no samples", s.Design.Kind)
		}
	}
	return q
}

// shorterFactorsAt reads other levels for factors that the study has.
func shorterFactorsAt(at scope, s *Study) []Factor {
	var names []string
	for _, f := range s.Factors {
		names = append(names, f.Name)
	}
	var factors []Factor
	for _, e := range at.entries() {
		if !slices.Contains(names, e.key) {
			e.name.problem(didYouMean(e.key, names), "the study has no factor of this name")
			continue
		}
		k, _, _ := kindOf(e.key) // it is among the study's
		factors = append(factors, factorAt(e, k, s))
		checkLimit(e, s, factors[len(factors)-1])
	}
	return factors
}

// Quick returns the study's short form. Without a section "quick" that is the
// study with half as many blocks, but at least six if it has so many: fewer
// give no 95 % interval.
func (s *Study) Quick() *Study {
	short := *s
	q := s.Shorter
	if q.Blocks > 0 {
		short.Blocks = q.Blocks
	} else {
		short.Blocks = max(s.Blocks/2, min(s.Blocks, 6))
	}
	if q.Trial.Duration > 0 {
		short.Trial = q.Trial
	}
	if len(q.Loads) > 0 {
		short.Loads = slices.DeleteFunc(slices.Clone(s.Loads), func(l Load) bool { return !slices.Contains(q.Loads, l.Name) })
	}
	if q.Samples > 0 {
		short.Design.Samples = q.Samples
	}
	short.Factors = slices.Clone(s.Factors)
	for i, f := range short.Factors {
		for _, other := range q.Factors {
			if other.Name == f.Name {
				short.Factors[i] = other
			}
		}
	}
	return &short
}

// QuickText says what the study's short form changes, for a study whose file does
// not say it itself; "" for one that does.
func (s *Study) QuickText() string {
	q := &s.Shorter
	if q.Blocks > 0 || q.Trial.Duration > 0 || len(q.Loads) > 0 || len(q.Factors) > 0 || q.Samples > 0 {
		return ""
	}
	if short := s.Quick().Blocks; short < s.Blocks {
		return fmt.Sprintf("the study has no section quick:, so its short form has %d blocks instead of %d", short, s.Blocks)
	}
	return fmt.Sprintf("the study has no section quick:, and no more than %d blocks: its short form is the study itself", s.Blocks)
}
