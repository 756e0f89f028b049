package analysis

import (
	"maps"
	"math"
	"slices"

	"dyno/lab/archive"
	"dyno/lab/load"
	"dyno/lab/stats"
	"dyno/lab/study"
)

// sheet is a cell while its trials are taken in one by one.
type sheet struct {
	Cell
	mode   load.Mode
	clocks []load.Clock // that figures rest on
	blocks []int        // block of each used trial
	merged *sums        // all used trials
	stages *stageSums   // of all used trials; nil unless the load has several
	// responses of each used trial, see [responseWindows]
	responses [][]stats.Counts
	unusable  map[string][]float64 // metric → one value per completed trial left out
}

func newSheet(c *study.Cell) *sheet {
	return &sheet{
		Cell: Cell{
			Cell: c.Index, Subject: c.Subject, Trials: []int{}, Seconds: []Second{},
			Values: map[string][]float64{}, Estimates: map[string]stats.Interval{},
			Ratios: map[string]stats.Interval{}, ByRank: map[string]stats.Interval{}, Omitted: map[string]string{},
		},
		unusable: map[string][]float64{},
		mode:     c.Profile.Mode, clocks: []load.Clock{load.Response, load.Service, load.FirstByte, load.Lag}, merged: newSums(c.Profile.Mode, load.Response, load.Service), stages: newStageSums(&c.Profile),
	}
}

// take adds the next trial. It reports whether figures rest on it.
func (s *sheet) take(run *archive.Run, i int, all []figure) (used bool, err error) {
	t := &run.Trials[i]
	sums := newSums(s.mode, s.clocks...)
	sums.startUp, sums.executable = t.StartUp, t.Executable
	responses := responseWindows{each: 1}
	for w, err := range run.Windows(i) {
		if err != nil {
			return false, err
		}
		s.Seconds = append(s.Seconds, newSecond(t, &w))
		if sums.add(&w) {
			responses.add(responseCounts(&w))
		}
	}
	s.takeBreakdown(t, sums)
	if t.Status != archive.Complete || t.Validity == load.Invalid || !sums.usable() {
		s.Left = append(s.Left, t.Index)
		return false, s.takeUnusable(run, i, all)
	}
	s.Trials = append(s.Trials, t.Index)
	s.blocks = append(s.blocks, t.Block)
	s.Windows += sums.windows
	s.Invalid += sums.invalid
	s.merged.merge(sums)
	s.responses = append(s.responses, responses.counts)
	for _, f := range all {
		s.compute(f, sums)
	}
	return true, s.takeStages(run, i)
}

// takeStages adds a used trial's windows to the stages of a load with several.
func (s *sheet) takeStages(run *archive.Run, i int) error {
	if s.stages == nil {
		return nil
	}
	for w, err := range run.Windows(i) {
		if err != nil {
			return err
		}
		s.stages.add(&w)
	}
	return nil
}

// compute adds the trial's value of a metric. One trial that has none takes the
// metric from the cell: the rest would be a choice of the better trials.
func (s *sheet) compute(f figure, sums *sums) {
	if s.Omitted[f.Name] != "" {
		return
	}
	value, missing := f.of(sums)
	if missing != "" {
		s.Omitted[f.Name] = missing
		delete(s.Values, f.Name)
		return
	}
	s.Values[f.Name] = append(s.Values[f.Name], value)
}

// estimate computes what rests on all trials of the cell.
func (s *sheet) estimate(c *confidence) {
	for name, values := range s.Values {
		s.Estimates[name] = c.median(values)
	}
	s.Curve = s.merged.distribution(load.Response).curve()
	s.Service = s.merged.distribution(load.Service).curve()
	s.Stages = s.stages.stages()
	s.Merged = s.mergedIntervals()
	s.Unusable = s.unusableFigures()
}

// compare computes the ratios to the reference, block by block. A metric with a
// value that is not above zero has none: those of the other blocks would be a
// choice.
func (s *sheet) compare(reference *sheet, c *confidence) {
	for name := range s.Values {
		a, b, ok := s.pairs(reference, name)
		if !ok {
			continue
		}
		if ratio := c.ratio(a, b); ratio.N > 0 {
			s.Ratios[name] = ratio
			s.ByRank[name] = stats.RankRatio(a, b, level)
		}
	}
}

// pairs are a metric's values and those of the reference, by block. They are not ok
// if there is no ratio of them.
func (s *sheet) pairs(reference *sheet, metric string) (a, b []float64, ok bool) {
	values, others := s.Values[metric], reference.Values[metric]
	if len(values) == 0 || !positive(values) || !positive(others) {
		return nil, nil, false
	}
	blocks := union(s.blocks, reference.blocks)
	return s.byBlock(metric, blocks), reference.byBlock(metric, blocks), true
}

// positive reports whether all values are above zero, so that there are ratios of
// them.
func positive(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v <= 0 })
}

// ByBlock returns a metric's values of the used trials, by block.
func (c *Cell) ByBlock(metric string) map[int]float64 {
	blocks := make(map[int]int) // of each trial
	for i := range c.Seconds {
		blocks[c.Seconds[i].Trial] = c.Seconds[i].Block
	}
	values := make(map[int]float64)
	for i, v := range c.Values[metric] {
		values[blocks[c.Trials[i]]] = v
	}
	return values
}

// byBlock returns a metric's value for each of the blocks, NaN where the cell
// has none.
func (s *sheet) byBlock(metric string, blocks []int) []float64 {
	values := make([]float64, len(blocks))
	for i, block := range blocks {
		values[i] = math.NaN()
		at := slices.Index(s.blocks, block)
		if list := s.Values[metric]; at >= 0 && list != nil {
			values[i] = list[at]
		}
	}
	return values
}

// union returns the numbers that are in any of the lists, sorted.
func union(lists ...[]int) []int {
	all := map[int]bool{}
	for _, list := range lists {
		for _, n := range list {
			all[n] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
