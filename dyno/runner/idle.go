package runner

import (
	"context"
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/probe"
	"dyno.example/nano/wire/clock"
)

// How long a subject is watched before its load. Most use nothing, which shows at once. A
// busy one may only be about to finish starting: it is watched again for longer, and the
// second look counts.
const (
	idleGlance = 50 * time.Millisecond
	idleLook   = 250 * time.Millisecond
)

// idle measures what a subject uses before the load, with all processes under it. It is
// nil if that isn't known.
func idle(ctx context.Context, pid int) *measure.Idle {
	if pid <= 0 {
		return nil // not one of ours
	}
	p := probe.NewProcess(pid)
	defer p.Close()
	seen := idleFor(ctx, p, idleGlance)
	if seen.Share() >= measure.IdleSuspect {
		seen = idleFor(ctx, p, idleLook)
	}
	return seen
}

func idleFor(ctx context.Context, p *probe.ProcessProbe, d time.Duration) *measure.Idle {
	began := clock.Now()
	before, err := p.Snapshot()
	if err != nil {
		return nil
	}
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(d):
	}
	after, err := p.Snapshot()
	if err != nil {
		return nil
	}
	return &measure.Idle{Length: time.Duration(clock.Now() - began), CPU: after.Since(before).CPU}
}
