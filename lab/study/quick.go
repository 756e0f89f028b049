package study

import "slices"

// Shorter is what a quick run changes. Zero fields change nothing.
type Shorter struct {
	Blocks  int
	Trial   Timing
	Loads   []string // only these
	Factors []Factor // instead of the study's factors of the same name
}

func shorterAt(at scope, s *Study) Shorter {
	f := at.fields("blocks", "trial", "loads", "factors")
	q := Shorter{Trial: s.Trial}
	if v, ok := f["blocks"]; ok {
		q.Blocks = v.integer(1, maxBlocks)
	}
	if v, ok := f["trial"]; ok {
		q.Trial = timingAt(v, s.Trial)
	}
	if v, ok := f["loads"]; ok {
		for _, item := range v.list() {
			q.Loads = append(q.Loads, item.oneOf(loadNames(s)...))
		}
	}
	if v, ok := f["factors"]; ok {
		q.Factors = factorsAt(v, s)
		for i, e := range v.entries() {
			if i < len(q.Factors) && !slices.ContainsFunc(s.Factors, func(f Factor) bool { return f.Name == e.key }) {
				e.name.problem("", "the study has no factor %q to shorten", e.key)
			}
		}
	}
	return q
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
