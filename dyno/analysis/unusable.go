package analysis

import (
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// takeUnusable computes the figures of a trial that was left out, over all its measured
// windows whatever they are worth: nothing rests on them, but after an hour of
// measuring the user may see what was measured.
func (s *cellBuilder) takeUnusable(run *archive.Run, i int, all []figure) error {
	sums := s.newSums(all)
	t := &run.Trials[i]
	sums.fromSlices(t, run.Manifest.Plan.Cells)
	for w, err := range run.Windows(i) {
		if err != nil {
			return err
		}
		w.Level, w.Client.Parts = finding.Valid, nil
		sums.add(&w)
	}
	if !sums.usable() {
		return nil
	}
	for _, f := range all {
		if value, missing := f.of(sums); missing.IsZero() {
			s.unusable[f.Name] = append(s.unusable[f.Name], value)
		}
	}
	return nil
}

// unusableFigures are the medians over the trials left out with the range of
// these, for a cell that has no others; else nil.
func (s *cellBuilder) unusableFigures() map[string]stats.Interval {
	if len(s.Trials) > 0 || len(s.unusable) == 0 {
		return nil
	}
	out := make(map[string]stats.Interval)
	for name, values := range s.unusable {
		iv := stats.Median(values, level)
		iv.Low, iv.High, iv.Level, iv.Note = slices.Min(values), slices.Max(values), 0, i18n.New("analysis.unusable-trials", "from trials that can't be used")
		out[name] = iv
	}
	return out
}
