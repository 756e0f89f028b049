package runner

import (
	"context"
	"sync"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/study"
	"dyno.example/nano/wire/clock"
)

// ledger takes a snapshot of the server's side at every boundary between two
// windows and joins the two ends.
type ledger struct {
	timing    study.Timing
	sampler   *probe.Sampler
	snapshots map[int]probe.Snapshot // by the window that begins there
	first     int
	ending    sync.Once
	quit      chan struct{}
	finished  chan struct{} // closed when no more snapshots are taken; nil before the load has begun
}

func newLedger(timing study.Timing, sampler *probe.Sampler) *ledger {
	return &ledger{timing: timing, sampler: sampler, snapshots: make(map[int]probe.Snapshot), quit: make(chan struct{})}
}

// begin starts taking snapshots; the measured time starts at the given instant.
func (l *ledger) begin(measured int64) {
	l.finished = make(chan struct{})
	go func() {
		defer close(l.finished)
		l.watch(measured)
	}()
}

// watch takes the snapshot at the start of the load, at each whole second from
// the start of the measured time, before and after it, and at the end.
func (l *ledger) watch(measured int64) {
	const second = int64(time.Second)
	warmup, end := int64(l.timing.Warmup), int64(l.timing.Duration)
	l.first = -int((warmup + second - 1) / second)
	for index, at := l.first, -warmup; ; index++ {
		if !l.sleepUntil(measured + at) {
			return
		}
		if at >= end {
			l.snapshots[index] = l.sampler.Last()
			return
		}
		l.snapshots[index] = l.sampler.Snapshot()
		at = min(int64(index+1)*second, end)
	}
}

// sleepUntil waits for an instant of the clock; false means to stop.
func (l *ledger) sleepUntil(at int64) bool {
	select {
	case <-l.quit:
		return false
	case <-time.After(time.Duration(at - clock.Now())):
		return true
	}
}

// stop ends the watching; a snapshot that is being taken, at most, is waited for.
func (l *ledger) stop() {
	l.ending.Do(func() { close(l.quit) })
	if l.finished != nil {
		<-l.finished
	}
}

// close stops the ledger.
func (l *ledger) close() {
	l.stop()
	l.sampler.Close()
}

// join waits for the last snapshot, unless ctx has ended, and puts both ends of
// each window together. A window whose snapshots are missing has no server side.
func (l *ledger) join(ctx context.Context, client []measure.Window) []archive.Window {
	select {
	case <-l.finished:
	case <-ctx.Done():
	case <-time.After(2 * time.Second): // the load is over, and nothing is waited for but a snapshot
	}
	l.stop()
	windows := make([]archive.Window, len(client))
	for i, w := range client {
		windows[i] = archive.Window{Client: w}
	}
	for i := range windows {
		index := windows[i].Client.Index
		from, ok := l.snapshots[index]
		to, also := l.snapshots[index+1]
		if ok && also {
			windows[i].Server = l.sampler.Between(from, to)
		}
	}
	return windows
}
