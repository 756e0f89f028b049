package capacity

import (
	"cmp"
	"context"
	"errors"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/machine/busy"
	"dyno.example/dyno/objective"
	"dyno.example/internal/i18n"
)

// How a service is sounded and how long it may take to calm down.
const (
	ceilingTime  = time.Second
	ceilingTries = 3
	// ceilingResponses is for how many response times of an idle service, in a row, the
	// ceiling is worth waiting.
	ceilingResponses = 3
	soundingTime     = 100 * time.Millisecond
	calmFactor       = 2 // times the response of an idle service
	calmSlack        = time.Millisecond
	DefaultSettle    = 5 * time.Second
)

// Generator runs trials with package load. It is the [Service] of a search over a
// network.
type Generator struct {
	// Spec says what is sent and where from. Its profile's mode, rate and phases,
	// its duration and its request limit are set for each trial.
	Spec      load.Spec
	Objective *objective.Objective
	// SettleTime bounds [Generator.Settle]; 0 means DefaultSettle.
	SettleTime time.Duration
	// OnWindow, if set, is given each finished window of the trials.
	OnWindow func(measure.Window)
	// Machine, if set, watches what other programs do to the CPUs in use, and makes
	// the loads have findings about these CPUs' speed. It stays the caller's to close.
	Machine *busy.Watch

	speeds []*archive.Speed // of the loads done so far
	idle   time.Duration    // median response of the service with one request at a time; 0 before it is known
}

// Ceiling runs a closed loop over all connections for a second, longer if the
// service is slow, and again if the generator was disturbed all the time.
func (g *Generator) Ceiling(ctx context.Context) (Ceiling, error) {
	if err := g.sound(ctx); err != nil {
		return Ceiling{}, err
	}
	var r *load.Result
	for range ceilingTries {
		var err error
		r, err = g.run(ctx, profile.Profile{Mode: profile.Closed, Connections: g.Spec.Profile.Connections}, max(ceilingTime, ceilingResponses*g.idle), 0)
		if err != nil {
			return Ceiling{}, err
		}
		if invalid, measured, _ := r.LeftOut(); invalid < measured {
			break
		}
	}
	c := Ceiling{Rate: r.Throughput(), Disturbed: disturbing(r), Accepted: accepted(r)}
	invalid, measured, _ := r.LeftOut()
	if c.Useless = invalid == measured; c.Rate == 0 {
		c.Why, c.Seen = whyNothing(r), seen(r)
	}
	return c, nil
}

// seen is the rate of expected responses a second, whatever the validity of the
// windows.
func seen(r *load.Result) float64 {
	responses, length := uint64(0), time.Duration(0)
	for i := range r.Windows {
		responses += r.Windows[i].Completed
		length += r.Windows[i].Length
	}
	if length <= 0 {
		return 0
	}
	return float64(responses) / length.Seconds()
}

// whyNothing says why no response counts.
func whyNothing(r *load.Result) i18n.Message {
	if invalid, measured, reasons := r.LeftOut(); invalid == measured {
		return i18n.New("capacity.generator-disturbed", "the generator was disturbed all the time: %s", i18n.Names(finding.Words(reasons)...))
	}
	if kind := r.Total.Errors.Most(); kind != "" {
		return i18n.Join(kind, ": ", r.FirstErrors[kind])
	}
	return i18n.New("capacity.nothing-as-expected", "no response was as expected")
}

// Trial runs an open loop with the arrivals and overflow of the spec's profile.
// Where no connection comes up, the service has failed; the first trial of all
// gives that back as an error, for there may be none.
func (g *Generator) Trial(ctx context.Context, ask Ask) (Trial, error) {
	if g.idle == 0 {
		if err := g.sound(ctx); err != nil {
			return Trial{}, err
		}
	}
	p := g.Spec.Profile
	p.Mode, p.Rate, p.Phases, p.Think = profile.Open, ask.Rate, nil, profile.Think{}
	r, err := g.run(ctx, p, ask.Length, uint64(ask.Number))
	var none *request.UnreachableError
	var t Trial
	switch {
	case errors.As(err, &none):
		t = unreachable(g.Objective, &p, none)
	case err != nil:
		return Trial{}, err
	default:
		t = judge(g.Objective, r, &p)
	}
	t.Length = ask.Length
	return t, nil
}

// Settle sends one request at a time until the service responds as fast as when it was
// idle, which the first call finds out.
func (g *Generator) Settle(ctx context.Context) (time.Duration, error) {
	if g.idle == 0 {
		return 0, g.sound(ctx)
	}
	limit := g.SettleTime
	if limit == 0 {
		limit = DefaultSettle
	}
	for began := time.Now(); ; {
		median, err := g.median(ctx, max(limit-time.Since(began), soundingTime))
		var none *request.UnreachableError
		switch {
		case errors.As(err, &none):
			if err := pause(ctx, soundingTime); err != nil {
				return 0, err
			}
		case err != nil:
			return 0, err
		}
		calm := err == nil && median > 0 && median <= calmFactor*g.idle+calmSlack
		if took := time.Since(began); calm || took >= limit {
			return took, nil
		}
	}
}

// pause waits, or ends with ctx.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// sound finds out how quickly the service responds when it is idle.
func (g *Generator) sound(ctx context.Context) (err error) {
	g.idle, err = g.median(ctx, request.DefaultTimeout)
	return err
}

// median is that of the service time of one request at a time: of as many as complete
// in a tenth of a second or, if none does, of one that is waited for. It is 0 if that
// has no response either, within the spec's time limit or patience.
func (g *Generator) median(ctx context.Context, patience time.Duration) (time.Duration, error) {
	spec := g.Spec
	spec.Warmup, spec.OnWindow, spec.Calibration = 0, nil, nil
	spec.Profile = profile.Profile{Mode: profile.Closed, Connections: 1}
	spec.Threads, spec.CPUs, spec.Timeout = 1, nil, min(cmp.Or(spec.Timeout, request.DefaultTimeout), patience)
	spec.Duration, spec.MaxRequests = soundingTime, 0
	median, err := serviceTime(ctx, spec)
	if median == 0 && err == nil {
		spec.Duration, spec.MaxRequests = 0, 1
		median, err = serviceTime(ctx, spec)
	}
	return median, err
}

// serviceTime runs a load and returns its median, 0 if there was no response.
func serviceTime(ctx context.Context, spec load.Spec) (time.Duration, error) {
	r, err := load.Run(ctx, spec)
	if err == nil {
		err = interrupted(ctx)
	}
	if err != nil {
		return 0, err
	}
	ns, _ := r.Total.Quantile(measure.Service, 50)
	return time.Duration(ns), nil
}

// run puts a load on the service; number picks the schedule.
func (g *Generator) run(ctx context.Context, p profile.Profile, length time.Duration, number uint64) (*load.Result, error) {
	spec := g.Spec
	spec.Profile, spec.Duration, spec.MaxRequests = p, length, 0
	spec.Seed += number
	spec.OnWindow = g.OnWindow
	return g.Load(ctx, spec)
}

func interrupted(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
