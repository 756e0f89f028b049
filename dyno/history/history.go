// Package history looks at a series of runs of one study and finds from which
// run on a figure is another than before.
//
// The value of a run is the median over its restarts; changes are found in the
// logarithms, so that a rise and the fall that takes it back are as large. What
// changed is not told apart from the machine's own changes: runs are left out
// whose machine or load is another than the newest run's, and each change names
// what was measured before and after it.
package history

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/compare"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// Schema is the version of [History] as JSON.
const Schema = 1

// Defaults of [Options].
const (
	DefaultP      = 0.01
	DefaultMargin = 0.02
)

// level is the confidence of the intervals of single runs.
const level = 0.95

// Options say what is looked at.
type Options struct {
	Metrics []string // empty for the newest run's usual ones; "all" for all
	P       float64  // share of the series said to change that may not, see [stats.FalseDiscovery]
	Margin  float64  // smaller changes don't count
	// AcrossMachines takes runs of all machines; the result is marked.
	AcrossMachines bool
}

// History is a series of runs of one study.
type History struct {
	Schema         int            `json:"schema"`
	Study          string         `json:"study"`
	Runs           []Run          `json:"runs"` // oldest first
	Left           []LeftOut      `json:"left,omitempty"`
	AcrossMachines bool           `json:"across_machines"`
	P              float64        `json:"p"`
	Margin         float64        `json:"margin"`
	Limit          float64        `json:"limit"` // the largest p-value of a change, for so many series; 0 if none has one
	Twins          *Twins         `json:"twins,omitempty"`
	Series         []Series       `json:"series"`
	Notes          []i18n.Message `json:"notes,omitzero"`
}

// Run is one of the runs.
type Run struct {
	ID       string            `json:"id"`
	Started  time.Time         `json:"started"`
	Dyno     string            `json:"dyno"`
	Kernel   string            `json:"kernel"`
	Versions map[string]string `json:"versions,omitempty"` // of subjects, where known
}

// LeftOut is a run that was not looked at, and why.
type LeftOut struct {
	Run string       `json:"run"`
	Why i18n.Message `json:"why"`
}

// Series is one metric of one cell over the runs that have it.
type Series struct {
	Group   string   `json:"group"`
	Subject string   `json:"subject"`
	Metric  string   `json:"metric"`
	Unit    string   `json:"unit"`
	Better  string   `json:"better"`
	Points  []Point  `json:"points"`
	P       float64  `json:"p"` // of there being no change at all; 1 if unknown
	Changes []Change `json:"changes,omitempty"`
}

// Point is the metric in one run.
type Point struct {
	Run   int            `json:"run"` // index into the runs
	Value stats.Interval `json:"value"`
}

// Change is a run from which on the metric is another than before.
type Change struct {
	Point    int          `json:"point"`    // index into the points: the first after the change
	Run      string       `json:"run"`      // ID of that run
	Previous string       `json:"previous"` // ID of the last run before the change
	P        float64      `json:"p"`
	Before   float64      `json:"before"` // median from the change before to this one
	After    float64      `json:"after"`  // median from this change to the next
	Worse    bool         `json:"worse"`
	Sentence i18n.Message `json:"sentence"`
}

// Of looks at analysed runs, in any order. They must be of one study.
func Of(runs []*analysis.Analysis, o Options) (*History, error) {
	if len(runs) == 0 {
		return nil, i18n.Errorf("history.no-runs", "no runs to look at")
	}
	runs = slices.Clone(runs)
	slices.SortStableFunc(runs, func(a, b *analysis.Analysis) int {
		return cmp.Or(a.Run.Started.Compare(b.Run.Started), cmp.Compare(a.Run.ID, b.Run.ID))
	})
	newest := runs[len(runs)-1]
	h := &History{Schema: Schema, Study: newest.Run.Study, P: o.P, Margin: o.Margin, Series: []Series{}}
	kept := h.keep(runs, newest, o)
	var extra []string
	if len(o.Metrics) == 0 {
		o.Metrics = compare.UsualMetrics(&newest.Run)
		if !slices.Contains(o.Metrics, errorShare) {
			extra = []string{errorShare}
		}
	}
	cells := make([][]compare.Cell, len(kept))
	for i, a := range kept {
		cells[i] = compare.Cells(a)
	}
	for _, c := range compare.Cells(newest) {
		metrics := slices.Concat(o.Metrics, extra)
		if slices.Equal(metrics, []string{"all"}) {
			metrics = c.MetricNames()
		}
		for _, name := range metrics {
			s, ok := h.series(&c, name, cells)
			if ok && (s.happens() || !slices.Contains(extra, name)) {
				h.Series = append(h.Series, s)
			}
		}
		h.noteFailures(&c, cells)
	}
	if len(h.Series) == 0 {
		return nil, i18n.Errorf("history.newest-lacks-figures", "the newest run, %s, has no figures of what was asked for", newest.Run.ID)
	}
	h.findChanges()
	h.Twins = poolTwins(kept, o.Metrics)
	h.note()
	return h, nil
}

// keep notes the runs that may be held against the newest one, and returns them.
func (h *History) keep(runs []*analysis.Analysis, newest *analysis.Analysis, o Options) []*analysis.Analysis {
	var kept []*analysis.Analysis
	machine := compare.Hardware(&newest.Run.Machine)
	for _, a := range runs {
		other := compare.HardwareDifferences(compare.Hardware(&a.Run.Machine), machine)
		var why i18n.Message
		switch {
		case a.Run.Study != newest.Run.Study:
			why = i18n.New("history.other-study", "it is of the study %s", a.Run.Study)
		case a.Validity == finding.Invalid:
			why = i18n.New("history.is-invalid", "it is invalid")
		case len(other) > 0 && !o.AcrossMachines:
			why = i18n.New("history.other-machine", "it is of another machine (%s)", other[0])
		}
		if !why.IsZero() {
			h.Left = append(h.Left, LeftOut{a.Run.ID, why})
			continue
		}
		h.AcrossMachines = h.AcrossMachines || len(other) > 0
		kept = append(kept, a)
		h.Runs = append(h.Runs, newRun(a))
	}
	return kept
}

func newRun(a *analysis.Analysis) Run {
	m := &a.Run
	r := Run{ID: m.ID, Started: m.Started, Dyno: m.Dyno, Kernel: m.Machine.Kernel, Versions: make(map[string]string)}
	for _, s := range m.Subjects {
		if s.Version != "" {
			r.Versions[s.Name] = s.Version
		}
	}
	return r
}

// series collects a metric of a cell from the runs whose load was the same. cells are
// those of each run.
func (h *History) series(c *compare.Cell, metric string, cells [][]compare.Cell) (s Series, ok bool) {
	s = Series{Group: c.Group, Subject: c.Subject, Metric: metric}
	for _, m := range c.Metrics {
		if m.Name == metric {
			s.Unit, s.Better = m.Unit, m.Better
		}
	}
	var g gaps
	for i := range cells {
		for k := range cells[i] {
			old := &cells[i][k]
			if old.Key() != c.Key() {
				continue
			}
			if old.Load != c.Load {
				h.leave(h.Runs[i].ID, c.Group+": its load, or that it was measured in slices or in trials, is not as in the newest run")
				continue
			}
			values := old.Values[metric]
			g.add(h.Runs[i].ID, old, metric)
			if len(values) > 0 {
				s.Points = append(s.Points, Point{Run: i, Value: stats.Median(values, level)})
			}
		}
	}
	h.noteGaps(&s, &g)
	return s, len(s.Points) > 0
}

// errorShare is the share of requests that failed, in percent. Failing is cheaper than
// serving, so that it is looked at whatever else is, unless there are no errors at all.
const errorShare = "errors"

// happens reports whether any figure of the series is not zero.
func (s *Series) happens() bool {
	return slices.ContainsFunc(s.Points, func(p Point) bool { return p.Value.Estimate != 0 })
}

func (h *History) leave(run, why string) {
	l := LeftOut{run, i18n.Verbatim(why)}
	if !slices.Contains(h.Left, l) {
		h.Left = append(h.Left, l)
	}
}

// what says what differs between the runs on either side of a change.
func what(s *Series, last, first *Run) i18n.Message {
	text := i18n.Message{}
	add := func(name, old, new string) {
		switch {
		case old == new:
		case old == "":
			text = i18n.Join(text, fmt.Sprintf("; %s %s", name, new))
		default:
			text = i18n.Join(text, i18n.New("history.before", "; %s %s, before %s", name, new, old))
		}
	}
	add(s.Subject, last.Versions[s.Subject], first.Versions[s.Subject])
	add("kernel", last.Kernel, first.Kernel)
	add("dyno", last.Dyno, first.Dyno)
	return text
}

// note says what the series can't tell.
func (h *History) note() {
	const few = 12
	if n := len(h.Runs); n < few {
		h.Notes = append(h.Notes, i18n.New("history.few-runs", "%d runs are few to find a change in: with fewer than about %d, neither the noise nor how alike neighbouring runs are is known well", n, few))
	}
	h.Notes = append(h.Notes, i18n.New("history.false-discovery-share", "%d series were looked at: of those said to change, at most the share of %.2g does by chance alone if runs are independent, more if neighbours are much alike; a history looked at every night adds that up (dyno/docs/regressions.md has the rates)", len(h.Series), h.P))
	if h.Twins != nil {
		h.Notes = append(h.Notes, h.Twins.text())
	}
}

// FirstBad are the runs with which something became worse, oldest first, each
// once.
func (h *History) FirstBad() []string {
	var ids []string
	for _, r := range h.Runs {
		for i := range h.Series {
			for _, c := range h.Series[i].Changes {
				if c.Worse && c.Run == r.ID && !slices.Contains(ids, r.ID) {
					ids = append(ids, r.ID)
				}
			}
		}
	}
	return ids
}
