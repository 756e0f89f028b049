package capacity

import (
	"context"
	"errors"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

// ceilingShare of what the generator reaches against a server that costs nothing
// is where a closed loop measures the generator.
const ceilingShare = 0.9

// robbed are the findings that the CPUs had less to give than at other times. That
// lowers a closed loop's throughput as much as it lasts; a loop that stalled for some
// milliseconds does not.
var robbed = []finding.Name{finding.Steal, finding.Suspended, finding.OtherLoad, finding.CPUSpeed}

// Level runs a closed loop of so many connections for a time, for a [Sweep]. memory, if
// not nil, is called for the server's memory in bytes once a second while the
// connections are open, from one goroutine; the last value counts. A trial without all
// its connections is spoiled.
func (g *Generator) Level(ctx context.Context, connections int, length time.Duration, memory func() (uint64, error)) (LevelTrial, error) {
	t := LevelTrial{Connections: connections, P50: none(), P99: none()}
	if g.idle == 0 {
		if err := g.sound(ctx); err != nil {
			return t, err
		}
	}
	spec := g.Spec
	spec.Profile = profile.Profile{Mode: profile.Closed, Connections: connections, Think: g.Spec.Profile.Think}
	spec.Duration, spec.MaxRequests = length, 0
	spec.OnWindow = func(w measure.Window) {
		if memory != nil && !w.Warmup() {
			if bytes, err := memory(); err == nil {
				t.Memory = bytes
			}
		}
		if g.OnWindow != nil {
			g.OnWindow(w)
		}
	}
	r, err := g.Load(ctx, spec)
	var none *request.UnreachableError
	switch {
	case errors.As(err, &none):
		t.Spoiled, t.Why = true, i18n.New("capacity.no-connection-because", "no connection came up: %s", none.Why)
		return t, nil
	case err != nil:
		return t, err
	}
	t.judge(r, spec.Calibration)
	return t, nil
}

// judge takes the figures, and says whether it was the service that they are of.
func (t *LevelTrial) judge(r *load.Result, c *measure.Calibration) {
	t.Throughput, t.Errors, t.Responses, t.First = r.Throughput(), r.Total.Errors, r.Total.Right(), r.FirstErrors
	t.P50, _ = quantile(&r.Total, 50)
	t.P99, t.AtLeast = quantile(&r.Total, 99)
	limited := named(r.Findings, limits)
	t.Disturbed, t.Accepted, t.Unsteady = disturbing(r), accepted(r), unsteady(r.Findings)
	machine := proven(named(r.Findings, robbed), r.Windows)
	leftOut, measured, _ := r.LeftOut()
	switch {
	case limited != nil:
		t.Spoiled, t.Limited, t.Why = true, true, details(limited)
	case c != nil && c.Ceiling > 0 && t.Throughput > ceilingShare*c.Ceiling:
		t.Spoiled, t.Limited = true, true
		t.Why = i18n.New("capacity.generator-reach", "the generator reaches %s/s against a server that costs nothing (limit %.0f %%)", rateText(c.Ceiling), 100*ceilingShare)
	case leftOut == measured:
		t.Spoiled, t.Why = true, details(invalid(r.Findings))
	case machine != nil:
		t.Spoiled, t.Why = true, details(machine)
	case t.Errors.Connect > 0:
		t.Spoiled, t.Why = true, i18n.New("capacity.fewer-connections", "there were fewer connections: %d attempts failed (%s)", t.Errors.Connect, r.FirstErrors["connect"])
	case t.Throughput == 0 && t.Errors.Total() > 0: // that is the service's doing
		t.Why = whyNothing(r)
	case t.Throughput == 0:
		t.Spoiled, t.Why = true, i18n.New("capacity.trial-too-short-for-connections", "no response came within the trial, which is too short for so many connections")
	}
}
