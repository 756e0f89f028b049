package upstream

import (
	"context"
	"time"

	"dyno.example/nano/wire/clock"
)

// SlowStart gives endpoints that are new, or come back after they were left out, a small
// share of the requests at first, and more as time goes on: caches and pools of theirs
// fill while little hangs on them.
type SlowStart struct{ over time.Duration }

// NewSlowStart makes the watcher of an upstream whose endpoints take over to warm up.
func NewSlowStart(over time.Duration) *SlowStart { return &SlowStart{over} }

// coldest is how many percent of its share an endpoint has at first.
const coldest = 10

// Watch warms endpoints up until ctx ends.
func (s *SlowStart) Watch(ctx context.Context, u *Upstream) {
	tick := time.NewTicker(s.Every())
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.Step(u, clock.Now())
		}
	}
}

// Every implements [Stepper].
func (s *SlowStart) Every() time.Duration {
	return max(10*time.Millisecond, min(s.over/20, time.Second))
}

// Step implements [Stepper].
func (s *SlowStart) Step(u *Upstream, now int64) { u.warm(s.over, now) }

// chill has an endpoint start slowly from now on, if the upstream has that.
func (u *Upstream) chill(e *Endpoint, now int64) {
	if u.Config.SlowStart > 0 {
		e.percent.Store(coldest)
		e.chilled = now
	}
}

// warm gives endpoints the share that they have reached by now, in ns.
func (u *Upstream) warm(over time.Duration, now int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	changed := false
	for _, e := range u.all {
		before := e.percent.Load()
		if before == 100 {
			continue
		}
		after := int32(min(100, max(coldest, (now-e.chilled)*100/int64(over))))
		e.percent.Store(after)
		changed = changed || after != before
	}
	if changed {
		u.rebuild()
	}
}

// share is an endpoint's part of the requests, its weight in percent.
func (e *Endpoint) share() int { return int(e.Weight.Load()) * int(e.percent.Load()) }

// Warm is how many percent of its share it has.
func (e *Endpoint) Warm() int { return int(e.percent.Load()) }
