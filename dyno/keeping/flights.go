package keeping

import (
	"context"
	"fmt"
	"sync"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/evidence"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/study"
	"dyno.example/nano/wire/clock"
)

// How many execution traces a trial keeps, and how far apart they are: taking one holds up
// the subject.
const (
	mostFlights  = 3
	betweenEvery = 2 * time.Second
)

// flights takes execution traces of a subject when requests are slow: the first that is, and
// then only those that are slower than those before.
type flights struct {
	listener *probe.FlightListener
	ctx      context.Context
	cancel   context.CancelFunc
	taking   sync.WaitGroup

	mu      sync.Mutex
	begun   int   // snapshots
	slowest int64 // request that one was taken for, ns
	next    time.Time
	taken   []flight
	failed  error
}

// flight is a snapshot and what it was taken for.
type flight struct {
	content []byte
	note    string
}

func newFlights(listener *probe.FlightListener) *flights {
	f := &flights{listener: listener}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	return f
}

// slow is called with a slow request that has just ended.
func (f *flights) slow(r *evidence.Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	if f.begun == mostFlights || now.Before(f.next) || r.Response() <= f.slowest {
		return
	}
	f.begun++
	f.slowest, f.next = r.Response(), now.Add(betweenEvery)
	exact := func(ns int64) time.Duration { return time.Duration(ns).Round(time.Microsecond) }
	note := fmt.Sprintf("request %d on %s took %v and ended %v before", r.Sequence, r.Connection, exact(r.Response()), exact(clock.Now()-r.Done))
	f.taking.Go(func() {
		list, err := f.listener.Snapshot(f.ctx)
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, content := range list {
			f.taken = append(f.taken, flight{content, note})
		}
		if err != nil {
			f.failed = err
		}
	})
}

// end puts what was taken into the trial, or why there is nothing.
func (f *flights) end(t *archive.Trial, secrets study.Secrets) {
	stop := time.AfterFunc(fetchTime, f.cancel)
	f.taking.Wait()
	stop.Stop()
	f.cancel()
	for _, one := range f.taken {
		t.KeepFlight(one.content, one.note, secrets)
	}
	switch {
	case f.failed != nil:
		t.Lack(archive.FlightTrace, f.failed)
	case f.begun == 0:
		t.Lack(archive.FlightTrace, errNoneSlow)
	}
}
