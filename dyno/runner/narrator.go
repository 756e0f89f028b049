package runner

import (
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/study"
)

// narrator passes events to an observer, one at a time and without secrets. Builds, loads
// and probes report from goroutines of their own.
type narrator struct {
	observe func(Event)   // nil: there is no observer
	turn    chan struct{} // holds the right to call observe
	secrets study.Secrets
	shown   []study.Cell // those of the plan without secrets
	pace    *pace
}

func newNarrator(r *Runner, p *pace) *narrator {
	return &narrator{
		observe: r.Observe, turn: make(chan struct{}, 1), secrets: r.Plan.Secrets, shown: archive.RedactPlan(r.Plan).Cells, pace: p,
	}
}

func (n *narrator) tell(e Event) {
	if n.observe == nil {
		return
	}
	n.turn <- struct{}{}
	defer func() { <-n.turn }()
	e.Time, e.Done, e.Total = time.Now(), n.pace.done, n.pace.total
	e.Line = e.Line.Map(n.secrets.Hide)
	if e.Cell != nil {
		e.Cell = &n.shown[e.Cell.Index]
	}
	n.observe(e)
}
