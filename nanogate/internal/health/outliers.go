package health

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/upstream"
)

// Outliers ejects endpoints whose responses fail repeatedly (outlier detection). Loops
// report each try to it; it ejects on a goroutine of its own.
type Outliers struct {
	rules   config.Outliers
	tripped chan struct{} // something is to be done
	records sync.Map      // *upstream.Endpoint to *tries, of those that have failed
}

// tries is what is known of an endpoint that has failed.
type tries struct {
	failures atomic.Int32 // in a row
	last     atomic.Int32 // status of the last of them, or, below 0, its [request.Failure]
	trip     atomic.Bool  // too many

	// The watching goroutine's:
	ejected bool
	until   time.Time
	times   int // that it was ejected lately
}

// NewOutliers makes the detector, which is to be a watcher of the same upstream too.
func NewOutliers(rules *config.Outliers) *Outliers {
	return &Outliers{rules: *rules, tripped: make(chan struct{}, 1)}
}

// Tried counts failures in a row. A 4xx is none: the request was wrong.
func (o *Outliers) Tried(e *upstream.Endpoint, status int, failed request.Failure, _ int64) {
	bad := status >= 500
	switch failed {
	case request.OK:
	case request.ClientGone:
		return
	default:
		bad = true
	}
	known, there := o.records.Load(e)
	if !there {
		if !bad {
			return
		}
		known, _ = o.records.LoadOrStore(e, &tries{})
	}
	r := known.(*tries)
	if !bad {
		if r.failures.Load() != 0 {
			r.failures.Store(0)
		}
		return
	}
	r.last.Store(int32(status))
	if failed != request.OK {
		r.last.Store(-int32(failed))
	}
	if int(r.failures.Add(1)) >= o.rules.Failures && !r.trip.Swap(true) {
		select {
		case o.tripped <- struct{}{}:
		default:
		}
	}
}

// lookEvery is how often it checks which endpoints may return.
const lookEvery = 100 * time.Millisecond

// Watch takes endpoints out and puts them back until ctx ends.
func (o *Outliers) Watch(ctx context.Context, u *upstream.Upstream) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-o.tripped:
		case <-tick.C:
		}
		o.look(u, time.Now())
	}
}

// Every implements [upstream.Stepper].
func (o *Outliers) Every() time.Duration { return lookEvery }

// Step implements [upstream.Stepper].
func (o *Outliers) Step(u *upstream.Upstream, now int64) { o.look(u, time.Unix(0, now)) }

// look decides about each endpoint that has failed. When not all that have failed enough may be
// ejected, those that are listed first are.
func (o *Outliers) look(u *upstream.Upstream, now time.Time) {
	all, out := u.Set().All, 0
	o.records.Range(func(key, known any) bool {
		e, r := key.(*upstream.Endpoint), known.(*tries)
		switch {
		case e.Gone():
			o.records.Delete(e)
		case r.ejected:
			out++
		}
		return true
	})
	if out > 0 {
		out -= o.restore(u, all, now)
	}
	for _, e := range all {
		known, there := o.records.Load(e)
		if !there {
			continue
		}
		r := known.(*tries)
		if !r.trip.Load() || r.ejected {
			continue
		}
		r.failures.Store(0)
		r.trip.Store(false)
		if float64(out+1) > o.rules.Most*float64(len(all)) {
			continue // the others would get more than their share
		}
		if now.Sub(r.until) > 10*o.rules.Eject {
			r.times = 0
		}
		r.times++
		r.ejected, r.until = true, now.Add(time.Duration(r.times)*o.rules.Eject)
		out++
		u.Mark(e, upstream.Ejected, true, r.why(o.rules.Failures)+", ejected for "+r.until.Sub(now).String())
	}
}

// restore puts those back whose time is over, and returns how many these are.
func (o *Outliers) restore(u *upstream.Upstream, all []*upstream.Endpoint, now time.Time) (n int) {
	for _, e := range all {
		known, there := o.records.Load(e)
		if !there {
			continue
		}
		if r := known.(*tries); r.ejected && !now.Before(r.until) {
			r.ejected = false
			n++
			u.Mark(e, upstream.Ejected, false, "")
		}
	}
	return n
}

// why says what it is ejected for.
func (r *tries) why(failures int) string {
	last := r.last.Load()
	what := "status " + strconv.Itoa(int(last))
	if last < 0 {
		what = request.Failure(-last).String()
	}
	return strconv.Itoa(failures) + " failures in a row, the last: " + what
}
