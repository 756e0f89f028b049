package calibrate

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"time"

	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
)

// Report is what [Test] found out. Durations are nanoseconds in JSON.
type Report struct {
	Threads     int             `json:"threads"`
	CPUs        []int           `json:"cpus,omitempty"`
	Connections int             `json:"connections"`
	Protocol    string          `json:"protocol"`          // by its ALPN name, without TLS
	Streams     int             `json:"streams,omitempty"` // that each connection had under way, over HTTP/2
	Engines     []EngineReport  `json:"engines"`
	Timers      []TimerReport   `json:"timers"`
	Hiccups     measure.Hiccups `json:"hiccups"`
	Stall       Proof           `json:"stall"`  // a pause of the server is seen
	Freeze      Proof           `json:"freeze"` // one of the generator is marked
	Ability     Ability         `json:"verdict"`
}

// EngineReport is what one engine can do.
type EngineReport struct {
	Name          string        `json:"name"`
	Error         string        `json:"error,omitempty"` // why there is nothing more
	Ceiling       float64       `json:"ceiling"`         // requests per second in a closed loop
	CPUPerRequest time.Duration `json:"cpu_per_request_ns"`
	Allocations   float64       `json:"allocations_per_request"`
	// Floor is that of several tries together: the lowest minimum and maximum,
	// the median of medians. Repeats is how far apart their medians were.
	Floor   measure.Times `json:"floor_ns"`
	Repeats time.Duration `json:"floor_repeats_ns"`
	Lags    []LagReport   `json:"lags"`
}

// LagReport is how late requests are sent at a share of the ceiling.
type LagReport struct {
	Share float64       `json:"share"`
	Rate  float64       `json:"rate"`
	Lag   measure.Times `json:"lag_ns"`
}

// TimerReport is how late a way of waiting is.
type TimerReport struct {
	Pacing Pacing        `json:"pacing"`
	Error  string        `json:"error,omitempty"`
	Late   measure.Times `json:"late_ns"`
}

// engines in the order in which they are preferred.
var engines = []string{"uring", "epoll", "portable"}

// lagShares of the ceiling at which lag is measured.
var lagShares = []float64{0.1, 0.5, 0.8}

const floorTries = 5

// Test tests the generator that the spec asks for, each measurement taking about
// the spec's duration. say, if not nil, is called with what is being done. A spec without an
// engine tests all.
func Test(ctx context.Context, spec *load.Spec, say func(string)) (*Report, error) {
	if say == nil {
		say = func(string) {}
	}
	if spec.Link.HTTP3 {
		return nil, errHTTP3
	}
	b, err := newBench(ctx, spec)
	if err != nil {
		return nil, err
	}
	defer b.close()
	r := &Report{Threads: max(spec.Threads, len(spec.CPUs), 1), CPUs: spec.CPUs, Connections: b.spec.Profile.Connections, Protocol: b.spec.Link.Protocol(), Streams: b.spec.Link.Streams}
	for _, name := range engines {
		if spec.Engine != "" && spec.Engine != name {
			continue
		}
		say("engine " + name)
		r.Engines = append(r.Engines, b.engine(name, spec.Duration))
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	say("timers")
	if err := r.timers(firstOf(spec.CPUs), spec.Duration); err != nil {
		return nil, err
	}
	best := r.best()
	if best != nil {
		b.spec.Engine = best.Name
		rate := min(proofRate, best.Ceiling/5)
		say("a server that is stopped")
		if r.Stall, err = b.stall(rate); err != nil {
			return nil, err
		}
		say("a generator that is stopped")
		if r.Freeze, err = b.freeze(rate); err != nil {
			return nil, err
		}
	}
	r.Ability = r.ability(best)
	return r, nil
}

// engine measures one engine.
func (b *bench) engine(name string, length time.Duration) EngineReport {
	e := EngineReport{Name: name}
	on := *b
	on.spec.Engine = name
	if err := on.measure(&e, length); err != nil {
		e.Error = err.Error()
	}
	return e
}

func (b *bench) measure(e *EngineReport, length time.Duration) error {
	if err := b.ceilingOf(e, length); err != nil {
		return err
	}
	if err := b.floorOf(e, length); err != nil {
		return err
	}
	for _, share := range lagShares {
		l := LagReport{Share: share, Rate: share * e.Ceiling}
		var err error
		if l.Lag, err = b.lag(l.Rate, length); err != nil {
			return err
		}
		e.Lags = append(e.Lags, l)
	}
	return nil
}

// ceilingOf measures the ceiling, and how many objects are allocated per request
// between the end of the warm-up and that of the load.
func (b *bench) ceilingOf(e *EngineReport, length time.Duration) error {
	on := *b
	var before, after runtime.MemStats
	on.spec.OnWindow = func(w measure.Window) {
		if w.Warmup() {
			runtime.ReadMemStats(&before)
		} else {
			runtime.ReadMemStats(&after)
		}
	}
	var c measure.Calibration
	if err := on.ceiling(&c, min(length, time.Second), length); err != nil {
		return err
	}
	e.Ceiling, e.CPUPerRequest = c.Ceiling, c.CPUPerRequest
	if requests := c.Ceiling * length.Seconds(); requests > 0 {
		e.Allocations = float64(after.Mallocs-before.Mallocs) / requests
	}
	return nil
}

func (b *bench) floorOf(e *EngineReport, length time.Duration) error {
	var medians []time.Duration
	for i := range floorTries {
		f, err := b.floor(length / floorTries)
		if err != nil {
			return err
		}
		if i == 0 {
			e.Floor = f
		}
		e.Floor.Min, e.Floor.P99, e.Floor.Max = min(e.Floor.Min, f.Min), min(e.Floor.P99, f.P99), min(e.Floor.Max, f.Max)
		medians = append(medians, f.P50)
	}
	slices.Sort(medians)
	e.Floor.P50, e.Repeats = medians[len(medians)/2], medians[len(medians)-1]-medians[0]
	return nil
}

// timers measures every pacing, and what the machine takes by itself.
func (r *Report) timers(cpu int, length time.Duration) (err error) {
	for _, pacing := range pacings {
		r.timer(pacing, cpu)
	}
	r.Hiccups, err = hiccups(cpu, length)
	return err
}

// timer measures one pacing.
func (r *Report) timer(pacing Pacing, cpu int) {
	t := TimerReport{Pacing: pacing}
	var err error
	if t.Late, err = timerError(pacing, cpu, wakeUps); err != nil {
		t.Error = err.Error()
	}
	r.Timers = append(r.Timers, t)
}

// best is the engine that would be used: the first that could be tested, nil if
// none could.
func (r *Report) best() *EngineReport {
	for i := range r.Engines {
		if r.Engines[i].Error == "" {
			return &r.Engines[i]
		}
	}
	return nil
}

// cause is why something failed: that it was to end, if so.
func cause(ctx context.Context, err error) error { return cmp.Or(context.Cause(ctx), err) }
