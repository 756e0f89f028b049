// Package compare holds two runs against each other: by how much their figures
// differ, with what certainty, and what else was different.
//
// Two runs are two occasions. Whatever changed between them on the machine moves
// all trials of one alike, which no interval over restarts can see; the list of
// [Comparison.Conditions] is there to judge that by. Runs that were measured
// block by block in turns on one machine, as dyno gate does, don't have this
// weakness, and are compared in pairs there.
package compare

import (
	"slices"
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// Schema is the version of [Comparison] as JSON.
const Schema = 1

// Defaults of [Options].
const (
	DefaultLevel  = 0.95
	DefaultMargin = 0.02
)

// Options say how runs are compared.
type Options struct {
	Level   float64  // confidence of the intervals, such as 0.95
	Margin  float64  // differences within this share count as none; 0 for no such claim
	Metrics []string // empty for the study's own, or the usual ones; "all" for all
	// AcrossMachines allows runs of different machines; the result is marked.
	AcrossMachines bool
}

// Comparison is what two runs differ in.
type Comparison struct {
	Schema         int            `json:"schema"`
	Old            Side           `json:"old"`
	New            Side           `json:"new"`
	Level          float64        `json:"level"`
	Margin         float64        `json:"margin"`
	AcrossMachines bool           `json:"across_machines"` // the machines differ: ratios are not those of the programs alone
	Conditions     []Condition    `json:"conditions"`      // what else was different
	Rows           []Row          `json:"rows"`
	Functions      []Functions    `json:"functions,omitempty"` // of cells of which both runs have kept profiles
	Unmatched      []i18n.Message `json:"unmatched,omitzero"`  // what could not be compared, and why
	Notes          []i18n.Message `json:"notes"`
}

// Side is one of the two runs.
type Side struct {
	Run      string           `json:"run"`
	Study    string           `json:"study"`
	Started  time.Time        `json:"started"`
	Dyno     string           `json:"dyno"`
	Status   archive.Status   `json:"status"`
	Validity finding.Validity `json:"validity"` // or "accepted"

	sequential bool // it could end by what it found
}

// Row is one metric of one cell in both runs.
type Row struct {
	Group   string         `json:"group"`
	Subject string         `json:"subject"`
	Metric  string         `json:"metric"`
	Unit    string         `json:"unit"`
	Better  string         `json:"better"` // "higher" or "lower"
	Old     stats.Interval `json:"old"`    // median over restarts
	New     stats.Interval `json:"new"`
	Effect
	P        float64 `json:"p"`          // of there being no difference
	Adjusted float64 `json:"p_adjusted"` // the same, adjusted by Holm for the number of rows
}

// Runs compares two analysed runs, the old one first. It fails if they have no
// cell in common, or are of different machines without leave.
func Runs(old, new *analysis.Analysis, o Options) (*Comparison, error) {
	hardware := HardwareDifferences(Hardware(&old.Run.Machine), Hardware(&new.Run.Machine))
	if len(hardware) > 0 && !o.AcrossMachines {
		return nil, &MachinesError{hardware}
	}
	c := &Comparison{
		Schema: Schema, Old: side(old), New: side(new), Level: o.Level, Margin: o.Margin,
		AcrossMachines: len(hardware) > 0, Conditions: conditions(&old.Run, &new.Run), Rows: []Row{},
	}
	if err := c.addCells(old, new, o); err != nil {
		return nil, err
	}
	c.adjust()
	c.note()
	return c, nil
}

// MachinesError says that runs are of different machines.
type MachinesError struct{ Differences []Condition }

func (e *MachinesError) Error() string { return e.Message().String() }

// Message implements [i18n.Messager].
func (e *MachinesError) Message() i18n.Message {
	var parts []i18n.Message
	for _, d := range e.Differences {
		parts = append(parts, i18n.Format("%s: %s, %s", d.What, orNone(d.Old), orNone(d.New)))
	}
	return i18n.New("compare.machines-differ", "the machines differ (%s): their figures say as much about them as about the programs; --across-machines compares them nevertheless, and marks it", i18n.List("; ", parts...))
}

func side(a *analysis.Analysis) Side {
	m := &a.Run
	return Side{
		Run: m.ID, Study: m.Study, Started: m.Started, Dyno: m.Dyno, Status: m.Status, Validity: finding.Validity(a.Level()),
		sequential: m.Until.Sequential(),
	}
}

// addCells compares the cells that both runs have.
func (c *Comparison) addCells(old, new *analysis.Analysis, o Options) error {
	metrics := o.Metrics
	if len(metrics) == 0 {
		metrics = UsualMetrics(&new.Run)
	}
	before, after := Cells(old), Cells(new)
	matched := 0
	for _, n := range after {
		i := slices.IndexFunc(before, func(b Cell) bool { return b.Key() == n.Key() })
		if i < 0 {
			c.Unmatched = append(c.Unmatched, i18n.Join(n, i18n.New("compare.only-in", ": only in %s", c.New.Run)))
			continue
		}
		matched++
		if b := &before[i]; b.Form != n.Form {
			c.Unmatched = append(c.Unmatched, i18n.New("compare.other-form", "%s was measured %s in run %s and %s in run %s, which is another load of a subject that rests between slices (dyno run --slices on, or off, measures both alike)", n, b.Form, c.Old.Run, n.Form, c.New.Run))
			continue
		}
		c.Notes = append(c.Notes, before[i].failing(c.Old.Run)...)
		c.Notes = append(c.Notes, n.failing(c.New.Run)...)
		c.addCell(&before[i], &n, metrics)
	}
	for _, b := range before {
		if !slices.ContainsFunc(after, func(n Cell) bool { return b.Key() == n.Key() }) {
			c.Unmatched = append(c.Unmatched, i18n.Join(b, i18n.New("compare.only-in", ": only in %s", c.Old.Run)))
		}
	}
	switch {
	case matched == 0:
		return i18n.Errorf("compare.no-common-cell", "runs %s and %s have no cell in common: %s", c.Old.Run, c.New.Run, i18n.List("; ", c.Unmatched...))
	case len(c.Rows) == 0:
		return i18n.Errorf("compare.nothing-compare", "nothing to compare: %s", i18n.List("; ", c.Unmatched...))
	}
	return nil
}

// addCell adds a row for each of the metrics that both cells have.
func (c *Comparison) addCell(old, new *Cell, metrics []string) {
	if slices.Equal(metrics, []string{"all"}) {
		metrics = new.MetricNames()
	}
	for _, name := range metrics {
		m, measured := new.metric(name)
		switch {
		case !measured || len(new.Values[name]) == 0:
			c.Unmatched = append(c.Unmatched, i18n.New("compare.run-lacks", "run %s lacks %s of %s: %s", c.New.Run, name, new, new.Lacks(name)))
			continue
		case len(old.Values[name]) == 0:
			c.Unmatched = append(c.Unmatched, i18n.New("compare.run-lacks", "run %s lacks %s of %s: %s", c.Old.Run, name, old, old.Lacks(name)))
			continue
		}
		row := Row{
			Group: new.Group, Subject: new.Subject, Metric: name, Unit: m.Unit, Better: m.Better,
			Old: stats.Median(old.Values[name], c.Level), New: stats.Median(new.Values[name], c.Level),
		}
		var ratio stats.Interval
		ratio, row.P = ratioOf(new.Values[name], old.Values[name], c.Level)
		row.Effect = NewEffect(name, ratio, c.Margin)
		if Contradicts(ratio, row.Old, row.New) {
			row.Effect.Sentence = i18n.Join(row.Effect.Sentence, ByMedians())
		}
		c.Rows = append(c.Rows, row)
	}
}

// ratioOf is [stats.UnpairedRatio] if there is one: if some values are zero, that
// of the others would be a choice among the trials.
func ratioOf(new, old []float64, level float64) (ratio stats.Interval, p float64) {
	if min(slices.Min(new), slices.Min(old)) <= 0 && max(slices.Max(new), slices.Max(old)) > 0 {
		return stats.Interval{Note: i18n.New("compare.ratio-of-zero", "it is zero in some trials, and of zero there is no ratio")}, 1
	}
	return stats.UnpairedRatio(new, old, level)
}

// adjust fills in the p-values adjusted for their number.
func (c *Comparison) adjust() {
	p := make([]float64, len(c.Rows))
	for i := range c.Rows {
		p[i] = c.Rows[i].P
	}
	for i, adjusted := range stats.HolmAdjusted(p) {
		c.Rows[i].Adjusted = adjusted
	}
}

// note says what a reader must keep in mind.
func (c *Comparison) note() {
	alpha := 1 - c.Level
	if n := len(c.Rows); n > 1 {
		stand := 0
		for _, r := range c.Rows {
			if r.Adjusted < alpha {
				stand++
			}
		}
		c.Notes = append(c.Notes, i18n.New("compare.many-comparisons", "%d comparisons at %s: about %.2g of them would show a difference where there is none; after Holm's correction for their number %d of them are different", n, percentText(c.Level), alpha*float64(n), stand))
	}
	c.Notes = append(c.Notes, i18n.New("compare.two-occasions", "two runs are two occasions: what changed on the machine between them is in the ratios too"))
	for _, s := range []Side{c.Old, c.New} {
		if s.sequential {
			c.Notes = append(c.Notes, i18n.New("compare.run-ended-by-result", "run %s could end by what it found, which its own intervals allow for, and those of the ratios here do not", s.Run))
		}
		if s.Validity != finding.Valid {
			c.Notes = append(c.Notes, i18n.New("compare.run-not-valid", "run %s is %s: dyno show %s says why", s.Run, s.Validity, s.Run))
		}
		if s.Status != archive.Complete {
			c.Notes = append(c.Notes, i18n.New("compare.run-is", "run %s is %s", s.Run, s.Status))
		}
	}
}
