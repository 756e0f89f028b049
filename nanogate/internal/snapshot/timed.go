package snapshot

import (
	"reflect"
	"strings"
	"time"

	"dyno.example/nano/wire/clock"
	"dyno.example/nanogate/internal/guard"
	"dyno.example/nanogate/internal/limit"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/stats"
)

// timed has each of a route's guards and limits timed, for a sample of the requests. A
// timing goes on when its route is changed and has a check of that name still.
func (r *Route) timed(before *Route) {
	timing := func(check any) *stats.Timing {
		name := nameOf(check)
		for _, t := range r.Timings {
			if t.Name == name { // two of a kind: they are one series
				return t
			}
		}
		t := &stats.Timing{Name: name, Made: time.Now()}
		if before != nil {
			for _, old := range before.Timings {
				if old.Name == name {
					t = old
				}
			}
		}
		r.Timings = append(r.Timings, t)
		return t
	}
	for i, g := range r.Guards {
		r.Guards[i] = timedGuard{g, timing(g)}
	}
	for i, l := range r.Limits {
		r.Limits[i] = timedLimit{l, timing(l)}
	}
}

// nameOf is what a check is called in metrics: its own name, or its type's, such as "jwt".
func nameOf(check any) string {
	if named, ok := check.(interface{ Name() string }); ok {
		return named.Name()
	}
	t := reflect.TypeOf(check)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return strings.ToLower(t.Name())
}

type timedGuard struct {
	guard.Guard
	timing *stats.Timing
}

func (g timedGuard) Check(r *request.Request) *request.Reply {
	if !stats.Sampled(r) {
		return g.Guard.Check(r)
	}
	began := clock.Now()
	defer g.timing.Since(began)
	return g.Guard.Check(r)
}

// RemoteStatus is whom the guard that is timed asks.
func (g timedGuard) RemoteStatus() (a guard.RemoteStatus, ok bool) {
	if asker, is := g.Guard.(guard.Remote); is {
		return asker.RemoteStatus()
	}
	return a, false
}

func (g timedGuard) Close() {
	if c, ok := g.Guard.(guard.Closer); ok {
		c.Close()
	}
}

type timedLimit struct {
	limit.Limit
	timing *stats.Timing
}

func (l timedLimit) Admit(r *request.Request) *request.Reply {
	if !stats.Sampled(r) {
		return l.Limit.Admit(r)
	}
	began := clock.Now()
	defer l.timing.Since(began)
	return l.Limit.Admit(r)
}

// Gauges are those of the limit that is timed.
func (l timedLimit) Gauges() []limit.Gauge {
	if g, ok := l.Limit.(limit.Gauged); ok {
		return g.Gauges()
	}
	return nil
}

// Waits are those of the limit that is timed.
func (l timedLimit) Waits() (w limit.Waits, ok bool) {
	if q, is := l.Limit.(limit.Queued); is {
		return q.Waits()
	}
	return w, false
}

// Gauge is a figure of the state of a limit.
type Gauge struct {
	Limit string // its kind, such as "shed"
	limit.Gauge
}

// GaugesOf are the figures of limits, of a route or of an upstream.
func GaugesOf(limits []limit.Limit) (all []Gauge) {
	for _, l := range limits {
		name := nameOf(l)
		if t, ok := l.(timedLimit); ok {
			name = t.timing.Name
		}
		if g, ok := l.(limit.Gauged); ok {
			for _, one := range g.Gauges() {
				all = append(all, Gauge{name, one})
			}
		}
	}
	return all
}

func (l timedLimit) Close() {
	if c, ok := l.Limit.(limit.Closer); ok {
		c.Close()
	}
}
