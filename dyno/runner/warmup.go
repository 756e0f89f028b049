package runner

import (
	"context"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
	"dyno.example/dyno/validity"
	"dyno.example/nano/wire/clock"
)

// rejoining is how long a subject that is already steady is loaded before it is
// measured, because the connections of the measured load are new.
const rejoining = time.Second

// warmUp puts the load of a cell on its subject until the subject is steady, for at least
// and at most as long as the timing says, and notes it in the trial. It is a load of its
// own, so that the measured one has the same schedule for every subject.
func (e *execution) warmUp(ctx context.Context, t *archive.Trial, cell *study.Cell, in *subject.Instance, timing study.Timing) error {
	w := newWatch(in.PID())
	defer w.close()
	inner, end := context.WithCancel(ctx)
	defer end()
	least := timing.Warmup - rejoining
	timing.Warmup = timing.WarmupMost // all of its seconds are warm-up: phases have their first rate
	spec := e.spec(t, cell, in, timing)
	spec.OnStart = func(int64) { w.lap() }
	tell, over := spec.OnWindow, false
	spec.OnWindow = func(window measure.Window) {
		if over || !window.Warmup() {
			end()
			return
		}
		tell(window)
		w.add(window)
		validity.Settled(&w.seen, cell.Profile.Mode)
		if over = w.seen.Steady && w.seen.Lasted() >= least || window.Index == -1; over {
			end()
		}
	}
	_, err := load.Run(inner, spec)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && !over:
		return err
	}
	t.WarmUp = &w.seen
	return nil
}

// watch notes the seconds of a warm-up, with the CPU time that the subject uses
// meanwhile. It belongs to one goroutine at a time.
type watch struct {
	seen    archive.WarmUp
	process *probe.ProcessProbe // nil of a subject that is not ours
	last    *probe.ProcessTotals
	at      int64 // when that was read
}

func newWatch(pid int) *watch {
	w := &watch{}
	if pid > 0 {
		w.process = probe.NewProcess(pid)
	}
	return w
}

func (w *watch) close() {
	if w.process != nil {
		w.process.Close()
	}
}

// lap is the CPU time used since the last lap as a share of the time since; 0 if it
// could not be seen.
func (w *watch) lap() (share float64) {
	if w.process == nil {
		return 0
	}
	now := clock.Now()
	totals, err := w.process.Snapshot()
	if err != nil {
		w.last = nil
		return 0
	}
	if w.last != nil && now > w.at {
		share = float64(totals.Since(*w.last).CPU) / float64(now-w.at)
	}
	w.last, w.at = &totals, now
	return share
}

// add notes a window, which has just ended.
func (w *watch) add(window measure.Window) {
	s := archive.WarmUpSecond{Length: window.Length, Completed: window.Completed}
	if h := window.Hist[measure.Response]; h != nil && h.TotalCount() > 0 {
		s.P50 = time.Duration(h.ValueAtQuantile(50))
	}
	s.CPU = time.Duration(w.lap() * float64(window.Length))
	w.seen.Seconds = append(w.seen.Seconds, s)
}
