package study

import (
	"slices"
	"time"
)

// Shorter says what a quick run changes. The zero value means the defaults: at
// most 6 blocks of trials of 1 s warm-up and 3 s, everything else as it is.
type Shorter struct {
	Blocks  int      // 0: the default
	Trial   Timing   // zero Duration: the default
	Loads   []string // the loads to keep, by name; empty: all
	Factors []Factor // levels instead of those of the factors of the same name
}

// quickTiming and quickBlocks are what a quick run does at most, unless told.
// Six blocks are the fewest whose median has a 95 % interval without
// assumptions: all six are on one side of it with probability 2·2⁻⁶ = 3 %.
const (
	quickBlocks   = 6
	quickWarmup   = time.Second
	quickDuration = 3 * time.Second
)

// Quick returns a shorter form of the study, for a first look: the changes of
// its quick section, or the defaults of [Shorter]. The study itself stays as it
// is; the two share what neither changes.
func (s *Study) Quick() *Study {
	q := *s
	q.Blocks = s.Shorter.Blocks
	if q.Blocks == 0 {
		q.Blocks = min(s.Blocks, quickBlocks)
	}
	q.Trial = s.Shorter.Trial
	if q.Trial.Duration == 0 {
		q.Trial = s.quickTiming()
	}
	if len(s.Shorter.Loads) > 0 {
		q.Loads = slices.DeleteFunc(slices.Clone(s.Loads), func(l Load) bool {
			return !slices.Contains(s.Shorter.Loads, l.Name)
		})
	}
	q.Factors = slices.Clone(s.Factors)
	for _, f := range s.Shorter.Factors {
		if factor := q.factor(f.Name); factor != nil {
			factor.Levels = f.Levels
		}
	}
	q.Shorter = Shorter{Blocks: q.Blocks, Trial: q.Trial}
	return &q
}

func (s *Study) quickTiming() Timing {
	return Timing{
		Warmup:   min(s.Trial.Warmup, quickWarmup),
		Duration: min(s.Trial.Duration, quickDuration),
	}
}

// readQuick reads the quick section. Everything else must have been read.
func (s *Study) readQuick(f fields) {
	v, ok := f.get("quick")
	if !ok {
		return
	}
	q := v.fields("blocks", "trial", "loads", "factors")
	if v, ok := q.get("blocks"); ok {
		s.Shorter.Blocks = v.integer(1, maxBlocks)
	}
	if v, ok := q.get("trial"); ok {
		s.Shorter.Trial = s.quickTiming()
		s.Shorter.Trial.read(v)
	}
	if v, ok := q.get("loads"); ok {
		s.Shorter.Loads = s.readQuickLoads(v)
	}
	if v, ok := q.get("factors"); ok {
		s.Shorter.Factors = s.readQuickFactors(v)
	}
}

func (s *Study) readQuickLoads(at scope) []string {
	var names []string
	for _, item := range at.items("loads") {
		name, ok := item.oneOf("one of the study's loads", s.loadNames())
		if ok && slices.Contains(names, name) {
			item.fail("", "expected each load once, got %q again", name)
		}
		names = append(names, name)
	}
	return names
}

func (s *Study) readQuickFactors(at scope) []Factor {
	known := make([]string, len(s.Factors))
	for i, factor := range s.Factors {
		known[i] = factor.Name
	}
	var factors []Factor
	for _, e := range at.entries(exactly) {
		if !slices.Contains(known, e.name) {
			e.key.fail(didYouMean(e.name, known), "expected one of the study's factors")
			continue
		}
		factors = append(factors, Factor{Name: e.name, Levels: s.readLevels(e)})
	}
	return factors
}
