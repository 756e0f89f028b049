package baseline

import (
	"cmp"
	"slices"
	"time"

	"dyno.example/dyno/compare"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// maxRuns bounds the runs of a baseline.
const maxRuns = 100

// runs are all runs, oldest first.
func (b *Baseline) runs() []Earlier {
	return append(slices.Clone(b.Earlier), Earlier{b.Run, b.RunHash, b.Started})
}

// anotherDay is how long after the first run of a day one begins, at least, that is of
// another: the date alone would make two days of two runs before and after midnight, which
// in UTC is in the working hours of half of the world, and a night's change of neighbours
// and temperature would pass for none.
const anotherDay = 12 * time.Hour

// dayOf numbers the days on which the runs were started, from 0 on, one number for each
// run. A run is of another day than the one before if its date is, in UTC, and some hours
// lie between it and the first of that day.
func (b *Baseline) dayOf() []int {
	date := func(r Earlier) string { return r.Started.UTC().Format(time.DateOnly) }
	var days []int
	var first Earlier // of the day
	day := 0
	for i, r := range b.runs() {
		switch {
		case i == 0:
			first = r
		case date(r) != date(first) && r.Started.Sub(first.Started) >= anotherDay:
			first, day = r, day+1
		}
		days = append(days, day)
	}
	return days
}

// Days are how many different ones there are.
func (b *Baseline) Days() int { return b.dayOf()[len(b.Earlier)] + 1 }

// Span is when the first and the last run were started.
func (b *Baseline) Span() (first, last time.Time) {
	runs := b.runs()
	return runs[0].Started, runs[len(runs)-1].Started
}

// ByDay are the values of a metric of the baseline, those of each day together, in
// the order of the days.
func (b *Baseline) ByDay(m *Metric) [][]float64 {
	dayOf := b.dayOf()
	var days [][]float64
	last := -1
	for run, values := range m.byRun() {
		if len(values) == 0 {
			continue
		}
		if dayOf[run] != last {
			days, last = append(days, nil), dayOf[run]
		}
		at := len(days) - 1
		days[at] = append(days[at], values...)
	}
	return days
}

// byRun are the values of each run.
func (m *Metric) byRun() [][]float64 {
	if m.Each == nil {
		return [][]float64{m.Values}
	}
	var list [][]float64
	from := 0
	for _, n := range m.Each {
		list = append(list, m.Values[from:from+n])
		from += n
	}
	return list
}

// Add adds a run, as a baseline of its own that [New] made, to those of the baseline.
// It must be of the same study, machine, loads and builds: what else differs would
// pass for a difference between days. The conditions kept are those of the newest run.
func (b *Baseline) Add(run *Baseline) (*Baseline, error) {
	if err := b.addable(run); err != nil {
		return nil, err
	}
	newest := b
	if run.Started.After(b.Started) {
		newest = run
	}
	both := *newest
	both.Name, both.Cells = b.Name, nil
	all := append(b.runs(), run.runs()...)
	order := make([]int, len(all)) // of the runs, by time
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(all[i].Started.Compare(all[j].Started), cmp.Compare(all[i].Run, all[j].Run))
	})
	both.Earlier = nil
	for _, i := range order[:len(order)-1] {
		both.Earlier = append(both.Earlier, all[i])
	}
	last := all[order[len(order)-1]]
	both.Run, both.RunHash, both.Started = last.Run, last.RunHash, last.Started
	for i := range b.Cells {
		old := &b.Cells[i]
		new := run.Find([2]string{old.Group, old.Subject})
		both.Cells = append(both.Cells, addCell(old, new, order))
	}
	return &both, nil
}

// addable says why a run can't be added.
func (b *Baseline) addable(run *Baseline) error {
	if len(b.Earlier)+len(run.Earlier)+2 > maxRuns {
		return i18n.Errorf("baseline.too-many-runs", "a baseline has at most %d runs: make a new one", maxRuns)
	}
	for _, r := range run.runs() {
		if slices.ContainsFunc(b.runs(), func(o Earlier) bool { return o.Run == r.Run || o.RunHash == r.RunHash }) {
			return i18n.Errorf("baseline.run-already-in", "run %s is in baseline %s already", r.Run, b.Name)
		}
	}
	if d := compare.HardwareDifferences(b.Machine, run.Machine); len(d) > 0 {
		return i18n.Errorf("baseline.other-machine", "run %s is of another machine than baseline %s (%s): make one for each machine", run.Run, b.Name, d[0])
	}
	if b.Study.Name != run.Study.Name || b.Study.Quick != run.Study.Quick {
		return i18n.Errorf("baseline.other-study", "run %s is of another study than baseline %s (%s)", run.Run, b.Name, b.Study.Name)
	}
	for _, old := range b.Subjects {
		for _, new := range run.Subjects {
			if old.Name == new.Name && old.Build != new.Build {
				return i18n.Errorf("baseline.other-build", "%s of run %s is another build than that of baseline %s: a baseline is of one version; dyno baseline set makes a new one", old.Name, run.Run, b.Name)
			}
		}
	}
	for i := range b.Cells {
		old := &b.Cells[i]
		new := run.Find([2]string{old.Group, old.Subject})
		switch {
		case new == nil:
			return i18n.Errorf("baseline.cell-missing", "run %s has no %s under %s, which baseline %s has", run.Run, old.Subject, old.Group, b.Name)
		case new.Load != old.Load:
			return i18n.Errorf("baseline.other-load", "the load of %s under %s in run %s, or that it was measured in slices or in trials, is not as in baseline %s: make a new baseline", old.Subject, old.Group, run.Run, b.Name)
		}
	}
	return nil
}

// addCell joins the values of two baselines of one cell; order is that of all runs by time. A metric that one of them lacks is lacking.
func addCell(old, new *Cell, order []int) Cell {
	both := *old
	both.Metrics = make(map[string]Metric)
	for name, m := range old.Metrics {
		other, ok := new.Metrics[name]
		if !ok {
			continue
		}
		runs := append(m.byRun(), other.byRun()...)
		m.Values, m.Each = nil, nil
		for _, i := range order {
			m.Values, m.Each = append(m.Values, runs[i]...), append(m.Each, len(runs[i]))
		}
		iv := stats.Median(m.Values, level)
		m.Median, m.Low, m.High, m.N = round(iv.Estimate), iv.Low, iv.High, len(m.Values)
		both.Metrics[name] = m
	}
	return both
}
