package analysis

import (
	"maps"
	"math"
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/explain"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/study"
	"dyno.example/dyno/validity"
	"dyno.example/internal/i18n"
)

// cellBuilder is a cell while its trials are taken in one by one.
type cellBuilder struct {
	Cell
	name      string               // of the cell: its subject and group
	title     string               // of its group
	other     *cellBuilder         // the same, measured beside it: one of the two in slices, the other in trials; nil if there is none
	inTrials  bool                 // it is the one in trials
	aside     map[string][]float64 // values of metrics that are the other's
	mode      profile.Mode
	clocks    []measure.Clock // that figures rest on
	blocks    []int           // block of each used trial
	merged    *sums           // all used trials
	unsettled bool            // the response times of some are of slices that don't tell them
	stages    *stageSums      // of all used trials; nil unless the load has several
	services  []*serviceSums  // of all used trials
	// responses of each used trial, see [responseWindows]
	responses [][]stats.Counts
	explained *explain.Cell           // what is known of the slow requests of its used trials
	sliced    []*archive.Sliced       // of each used trial; nil of one that was not
	turns     map[int][]stats.Turn    // by block, those of the trials that were …
	slots     map[int][]archive.Slice // … and when they had them
	unusable  map[string][]float64    // metric → one value per completed trial left out
	disturbed map[int]*disturbed      // by block, of each used trial if there are claims
	parts     map[int]parts           // by block, of each used trial's slices

	places []int                   // block of each trial that counts: used, or failed
	failed map[int]bool            // blocks in which the subject failed, or failed many requests
	known  map[string][]knowable   // by metric, for each place
	absent map[string]i18n.Message // metrics that some trial has no value of, and why
}

// knowable is a value, NaN if it isn't known, with the least that it can be. What is
// worse than any value is infinite.
type knowable struct{ value, least float64 }

func newCellBuilder(c *study.Cell) *cellBuilder {
	return &cellBuilder{
		Cell: Cell{
			Cell: c.Index, Subject: c.Subject, Trials: []int{}, Seconds: []Second{},
			Values: map[string][]float64{}, Estimates: map[string]stats.Interval{},
			Ratios: map[string]stats.Interval{}, ByRank: map[string]stats.Interval{}, Omitted: map[string]i18n.Message{},
		},
		disturbed: map[int]*disturbed{}, failed: map[int]bool{}, turns: map[int][]stats.Turn{}, slots: map[int][]archive.Slice{}, parts: map[int]parts{}, known: map[string][]knowable{}, absent: map[string]i18n.Message{}, unusable: map[string][]float64{},
		explained: &explain.Cell{},
		name:      c.Subject + " under " + c.Title(), title: c.Title(), mode: c.Profile.Mode, clocks: []measure.Clock{measure.Response, measure.Service, measure.FirstByte, measure.Lag}, merged: newSums(c.Profile.Mode, measure.Response, measure.Service), stages: newStageSums(&c.Profile),
	}
}

// newSums are the sums of one trial, for the figures named.
func (s *cellBuilder) newSums(all []figure) *sums {
	sums := newSums(s.mode, s.clocks...)
	if slices.ContainsFunc(all, figure.isOfTail) {
		sums.tail = &tail{}
	}
	sums.traced = &explain.Cell{}
	return sums
}

// take adds the next trial. It reports whether figures rest on it.
func (s *cellBuilder) take(run *archive.Run, i int, all []figure) (used bool, err error) {
	t := &run.Trials[i]
	sums := s.newSums(all)
	sums.fromSlices(t, run.Manifest.Plan.Cells)
	sums.startUp, sums.executable, sums.size, sums.idle, sums.warmUp = t.StartUp, t.Executable, t.Size, t.Idle, t.WarmUp
	responses := responseWindows{each: 1}
	disturbances := watch(run, t)
	for w, err := range run.Windows(i) {
		if err != nil {
			return false, err
		}
		disturbances.add(&w, run.Manifest.Placement.Generator)
		s.Seconds = append(s.Seconds, newSecond(t, &w))
		used := sums.add(&w)
		if w.Client = w.Client.Counted(w.Counts()); used || w.Client.Booked() > 0 {
			counts := responseCounts(&w)
			responses.add(counts)
			if used {
				s.explained.Add(t.Index, &w, counts)
			}
		}
	}
	s.takeBreakdown(t, sums)
	if t.Fault == archive.OfSubject {
		s.explained.Drop(t.Index)
		s.fail(t, all)
		return false, nil
	}
	if t.Status != archive.Complete || validity.Spoiled(t) || !sums.usable() {
		s.explained.Drop(t.Index)
		s.Left = append(s.Left, t.Index)
		return false, s.takeUnusable(run, i, all)
	}
	header, records, err := run.Evidence(i)
	if err != nil {
		return false, err
	}
	if header != nil {
		s.explained.AddEvidence(t.Index, header, records)
	}
	if slices.ContainsFunc(all, figure.isOfTraced) {
		sums.traced = s.explained.Only(t.Index)
	}
	s.places = append(s.places, t.Block)
	s.failed[t.Block] = s.failed[t.Block] || validity.Misserved(t.Findings)
	s.Trials = append(s.Trials, t.Index)
	s.blocks = append(s.blocks, t.Block)
	s.takeSlices(t, &sums.parts)
	s.disturbed[t.Block] = disturbances.settle(sums, disturbing(t))
	s.Windows += sums.windows
	s.Invalid += sums.invalid
	s.merged.merge(sums)
	s.unsettled = s.unsettled || !sums.unsettled().IsZero()
	s.responses = append(s.responses, responses.counts)
	for _, f := range all {
		s.compute(f, sums)
	}
	s.takeServices(t)
	return true, s.takeStages(run, i)
}

// takeServices adds what services did in a used trial's windows.
func (s *cellBuilder) takeServices(t *archive.Trial) {
	for w := range t.Windows {
		if t.Windows[w].Counts() {
			s.addServices(&t.Windows[w])
		}
	}
}

// fail takes a trial in which the subject failed.
func (s *cellBuilder) fail(t *archive.Trial, all []figure) {
	s.Failed = append(s.Failed, t.Index)
	s.places = append(s.places, t.Block)
	s.failed[t.Block] = true
	for i := range all {
		worst, ok := all[i].worst()
		if !ok {
			worst = math.NaN()
		}
		s.known[all[i].Name] = append(s.known[all[i].Name], knowable{worst, worst})
	}
}

// takeStages adds a used trial's windows to the stages of a load with several.
func (s *cellBuilder) takeStages(run *archive.Run, i int) error {
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
func (s *cellBuilder) compute(f figure, sums *sums) {
	value, missing := f.of(sums)
	s.known[f.Name] = append(s.known[f.Name], s.know(f, sums, value, missing))
	switch {
	case !s.Omitted[f.Name].IsZero():
	case !missing.IsZero():
		s.Omitted[f.Name] = missing
		delete(s.Values, f.Name)
	default:
		s.Values[f.Name] = append(s.Values[f.Name], value)
	}
}

// know is what is known of a trial's value.
func (s *cellBuilder) know(f figure, sums *sums, value float64, missing i18n.Message) knowable {
	k := knowable{math.NaN(), math.NaN()}
	if missing.IsZero() {
		k = knowable{value, value}
	}
	if f.atLeast != nil {
		if least, ok := f.atLeast(sums); ok && !(least > k.value) {
			k.least = least
		}
	}
	if missing.IsZero() {
		return k
	}
	if math.IsInf(k.least, 1) {
		k.value = k.least
	} else if s.absent[f.Name].IsZero() {
		s.absent[f.Name] = missing
	}
	return k
}

// estimate computes what rests on all trials of the cell. A trial in which the
// subject failed counts as the worst: where the median, or an end of its interval, is
// among those, there is no figure.
func (s *cellBuilder) estimate(c *confidence) {
	for name, values := range s.Values {
		if len(s.Failed) > 0 {
			values = s.withWorst(name)
		}
		i := c.median(values)
		if math.IsInf(i.Low, 0) || math.IsInf(i.High, 0) {
			s.Omitted[name] = i18n.New("analysis.subject-failed", "the subject failed in %d of %d trials", len(s.Failed), len(s.Failed)+len(s.Trials))
			delete(s.Values, name)
			continue
		}
		s.Estimates[name] = i
	}
	if !s.unsettled {
		s.Curve = s.merged.distribution(measure.Response).curve()
		s.Service = s.merged.distribution(measure.Service).curve()
		s.Merged = s.mergedIntervals()
	}
	s.Stages = s.stages.stages()
	s.Services = s.servicesOf()
	s.Unusable = s.unusableFigures()
}

// withWorst are a metric's values with those of the trials in which the subject
// failed.
func (s *cellBuilder) withWorst(metric string) (values []float64) {
	for _, k := range s.known[metric] {
		if !math.IsNaN(k.value) {
			values = append(values, k.value)
		}
	}
	return values
}

// compare computes the ratios to the reference, block by block. A metric with a
// value that is not above zero has none: those of the other blocks would be a
// choice.
func (s *cellBuilder) compare(reference *cellBuilder, c *confidence) {
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
// if they have no ratio, as for a subject that failed.
func (s *cellBuilder) pairs(reference *cellBuilder, metric string) (a, b []float64, ok bool) {
	values, others := s.Values[metric], reference.Values[metric]
	if len(values) == 0 || !positive(values) || !positive(others) || len(s.Failed)+len(reference.Failed) > 0 {
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
func (s *cellBuilder) byBlock(metric string, blocks []int) []float64 {
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

// knownBy returns what is known of a metric's values, for each of the blocks.
func (s *cellBuilder) knownBy(metric string, blocks []int) []knowable {
	list := slices.Repeat([]knowable{{math.NaN(), math.NaN()}}, len(blocks))
	for i, block := range blocks {
		if at := slices.Index(s.places, block); at >= 0 && at < len(s.known[metric]) {
			list[i] = s.known[metric][at]
		}
	}
	return list
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
