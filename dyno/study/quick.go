package study

import (
	"slices"

	"dyno.example/dyno/claim"
	"dyno.example/internal/i18n"
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
		q.Blocks = v.Integer(1, maxBlocks)
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
		q.Samples = v.Integer(leastSamples, maxSamples)
		if !s.Design.sampling() {
			v.Report(i18n.New("study.design-without-samples", "the study's design, %s, takes no samples", s.Design.Kind))
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
			e.name.Report(i18n.New("study.unknown-factor-name", "the study has no factor of this name"), didYouMean(e.key, names))
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
// give no 95 % interval. In slices it goes on to intervals that are narrow enough,
// but for a study with claims: a verdict of fewer than six blocks is a weak one, and
// intervals of a run that can end early are wider.
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
	if short.Trial.Slices.On() && !short.Trial.Slices.Beside && !short.Until.Sequential() && len(s.Claims) == 0 {
		short.Until = Until{Precision: usualPrecision, Blocks: short.Blocks}
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

// QuickOpen says which claims the short form can't decide, as it has no longer the levels
// or loads that they name.
func (s *Study) QuickOpen() []i18n.Message {
	short := s.Quick()
	if short.Design.sampling() || checkSize(short) != nil {
		return nil
	}
	space := claimSpace(short)
	var open []i18n.Message
	for _, c := range s.Claims {
		if err := cantBeAsked(c, space); err != nil {
			why := err.What
			if !err.Hint.IsZero() {
				why = i18n.Join(why, " (", err.Hint, ")")
			}
			open = append(open, i18n.New("study.short-form-undecides", "the short form can't decide the claim %s: %s", c.ID, why))
		}
	}
	return open
}

// cantBeAsked returns what a claim names that isn't in the space, or nil.
func cantBeAsked(c claim.Claim, space *claim.Space) *claim.Error {
	if err := claim.CheckOver(c.Over, space); err != nil {
		return err
	}
	for _, text := range append(slices.Clone(c.Expressions), c.Direction) {
		e, err := claim.Parse(text)
		if err != nil {
			continue // the study was read, so it is only a direction that isn't said
		}
		if wrong := claim.CheckAt(e, c.Over, space); len(wrong) > 0 {
			return wrong[0]
		}
	}
	return nil
}

// QuickText says what the study's short form changes, for a study whose file does
// not say it itself; "" for one that does.
func (s *Study) QuickText() i18n.Message {
	q := &s.Shorter
	if q.Blocks > 0 || q.Trial.Duration > 0 || len(q.Loads) > 0 || len(q.Factors) > 0 || q.Samples > 0 {
		return i18n.Message{}
	}
	if short := s.Quick().Blocks; short < s.Blocks {
		return i18n.New("study.quick-has-fewer-blocks", "the study has no section quick:, so its short form has %d blocks instead of %d", short, s.Blocks)
	}
	return i18n.New("study.quick-is-study", "the study has no section quick:, and no more than %d blocks: its short form is the study itself", s.Blocks)
}
