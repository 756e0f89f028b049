package load

import (
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
)

// whole sums all measured windows, whatever their findings: counts of requests and
// responses don't become wrong because the machine was busy with something else, only
// times do.
type whole struct {
	total     measure.Window
	durations measure.Durations
	breakdown *measure.Breakdown // nil until there is a window
}

// add takes the next window, and what it is made of. What was due in the warm-up stays out.
func (a *whole) add(w *measure.Window, p *partial) {
	if w.Warmup() {
		return
	}
	if a.breakdown == nil {
		a.breakdown = measure.NewBreakdown(len(p.breakdown.Kinds))
	}
	a.total.Add(w)
	a.durations.Add(&p.durations)
	a.breakdown.Add(p.breakdown)
	for _, part := range p.parts {
		if part.Index < 0 {
			a.total.Leave(&part.Window)
			a.durations.Sub(&part.Durations)
			a.breakdown.Leave(part.Breakdown)
		}
	}
}

// Shown is the window that figures are shown of: Total, or All if no window counts. Then
// trusted is false, and they are to be shown as such.
func (r *Result) Shown() (w *measure.Window, trusted bool) {
	if r.Total.Length <= 0 && r.All.Length > 0 {
		return &r.All, false
	}
	return &r.Total, true
}

// Level is the load's validity in a word, or "accepted" if it is valid only because a
// finding was accepted.
func (r *Result) Level() string {
	return finding.Level(r.Validity, r.Findings)
}
