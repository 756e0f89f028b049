package history

import (
	"dyno.example/dyno/compare"
	"dyno.example/internal/i18n"
)

// gaps are the runs in which a series has no figure, as a percentile has none that lies
// among requests that were given up. Where a service became so bad that it has no figure,
// the series ends before it.
type gaps struct {
	runs, empty int // that have the cell; of which without a figure
	last        string
	why         i18n.Message // of these, the last one, and why it has none
	today       bool         // that is the newest of all
}

// add takes the next run.
func (g *gaps) add(run string, c *compare.Cell, metric string) {
	g.runs++
	if g.today = len(c.Values[metric]) == 0; g.today {
		g.empty, g.last, g.why = g.empty+1, run, c.Lacks(metric)
	}
}

// noteGaps says so of a series.
func (h *History) noteGaps(s *Series, g *gaps) {
	if g.empty == 0 || len(s.Points) == 0 {
		return
	}
	note := i18n.New("history.figure-missing-in-runs", "%s of %s under %s has no figure in %d of %d runs, the last of which is %s (%s)", compare.MetricName(s.Metric), s.Subject, s.Group, g.empty, g.runs, g.last, g.why)
	if g.today {
		note = i18n.Join(note, i18n.New("history.series-ends-before", "; so the series ends before it, and tells nothing of today"))
	}
	h.Notes = append(h.Notes, note)
}

// noteFailures says in which runs a subject failed in some trials: the figures of those
// runs are of the other trials, which are a choice.
func (h *History) noteFailures(c *compare.Cell, cells [][]compare.Cell) {
	runs, failures, trials, last := 0, 0, 0, ""
	for i := range cells {
		for k := range cells[i] {
			old := &cells[i][k]
			if old.Key() == c.Key() && len(old.Failed) > 0 {
				runs, last = runs+1, h.Runs[i].ID
				failures, trials = failures+len(old.Failed), trials+len(old.Failed)+len(old.Trials)
			}
		}
	}
	if runs > 0 {
		h.Notes = append(h.Notes, i18n.New("history.failed-trials-in-runs", "%s under %s failed in %d of %d trials of %d runs, the last of which is %s: the figures of those are of the other trials", c.Subject, c.Group, failures, trials, runs, last))
	}
}
