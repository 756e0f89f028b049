// Package noise measures how steady a machine is, without a subject of the user's: what
// it takes from a spinning thread, how late it wakes one up, how much a loopback
// exchange varies, and by how much a fixed subject differs from run to run and from
// start to start. From the last follows the smallest difference that a study can see
// there.
package noise

import (
	"context"
	"fmt"
	"time"

	"dyno.example/dyno/calibrate"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/machine"
	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
)

// Plan says how long to measure what.
type Plan struct {
	Hiccups  time.Duration `json:"hiccups_ns"`  // of all CPUs together
	Loopback time.Duration `json:"loopback_ns"` // of one connection
	Starts   int           `json:"starts"`      // of the subject
	Runs     int           `json:"runs"`        // of each start
	Warmup   time.Duration `json:"warmup_ns"`   // of each run
	Run      time.Duration `json:"run_ns"`      // the measured part of each
}

// Full is the plan that takes about two minutes.
func Full() Plan {
	return Plan{Hiccups: 8 * time.Second, Loopback: 2 * time.Second, Starts: 10, Runs: 4, Warmup: 500 * time.Millisecond, Run: 2 * time.Second}
}

// Quick is the plan that takes half a minute.
func Quick() Plan {
	return Plan{Hiccups: 2 * time.Second, Loopback: time.Second, Starts: 6, Runs: 3, Warmup: 250 * time.Millisecond, Run: time.Second}
}

// Estimate is how long measuring by the plan takes, about.
func (p Plan) Estimate() time.Duration {
	const start = 100 * time.Millisecond
	return p.Hiccups + time.Second + p.Loopback + time.Duration(p.Starts)*(start+time.Duration(p.Runs)*(p.Warmup+p.Run))
}

// Report is what was found. Durations are nanoseconds in JSON.
type Report struct {
	Plan      Plan                    `json:"plan"`
	Generator []int                   `json:"generator"` // CPU that sent the load
	CPUs      []CPU                   `json:"cpus"`
	Timers    []calibrate.TimerReport `json:"timers"`
	Loopback  measure.Times           `json:"loopback_ns"` // one exchange after the other
	Spreads   []Spread                `json:"spreads"`
	// Unusable is how many of the runs had no second that a study would have
	// counted. They are in the spreads all the same.
	Unusable int           `json:"unusable"`
	Took     time.Duration `json:"took_ns"`
}

// CPU is what the machine takes from a thread that spins on a CPU.
type CPU struct {
	Number int `json:"cpu"`
	measure.Hiccups
}

// connections of the load on the fixed subject: enough that it is never idle.
const connections = 16

// Measure carries out a plan. say, if not nil, is called with what is being done.
func Measure(ctx context.Context, p Plan, say func(i18n.Message)) (*Report, error) {
	if say == nil {
		say = func(i18n.Message) {}
	}
	began := time.Now()
	cpus := machine.OnlineCPUs()
	generator, _, _, err := subject.Place(subject.Split, nil, nil, cpus)
	if err != nil {
		return nil, err
	}
	r := &Report{Plan: p, Generator: generator[:1]}
	say(i18n.New("noise.hiccups", "hiccups of each CPU"))
	if err := r.hiccups(ctx, cpus); err != nil {
		return nil, err
	}
	say(i18n.New("noise.timers", "timers"))
	r.Timers = calibrate.Timers(r.Generator[0])
	say(i18n.New("noise.loopback-itself", "loopback"))
	if err := r.loopback(ctx); err != nil {
		return nil, err
	}
	if err := r.subject(ctx, say); err != nil {
		return nil, err
	}
	r.Took = time.Since(began)
	return r, nil
}

// hiccups watches one CPU after the other: all at once would not leave the
// machine any for what it has to do anyway.
func (r *Report) hiccups(ctx context.Context, cpus []int) error {
	each := r.Plan.Hiccups / time.Duration(len(cpus))
	for _, cpu := range cpus {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		h, err := calibrate.Hiccups(cpu, each)
		if err != nil {
			return fmt.Errorf("looking for hiccups: %w", err)
		}
		r.CPUs = append(r.CPUs, CPU{cpu, h})
	}
	return nil
}

// loopback plays ping-pong with a null server.
func (r *Report) loopback(ctx context.Context) error {
	server, err := calibrate.StartNull(ctx, r.Generator)
	if err != nil {
		return fmt.Errorf("measuring loopback: %w", err)
	}
	defer server.Stop()
	spec := r.spec(server.URL(), 1)
	spec.Duration = r.Plan.Loopback
	result, err := load.Run(ctx, spec)
	switch {
	case err != nil:
		return fmt.Errorf("measuring loopback: %w", err)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	r.Loopback = serviceOf(result)
	return nil
}

// spec is a closed loop on so many connections, from one CPU.
func (r *Report) spec(target string, connections int) load.Spec {
	return load.Spec{
		Target: target, Requests: []request.Request{{Name: "null", Method: "GET", Path: "/"}}, Seed: 1, Timeout: 5 * time.Second,
		Profile: profile.Profile{Mode: profile.Closed, Connections: connections}, CPUs: r.Generator,
	}
}

// serviceOf sums up the service times of all usable seconds; zero if there are
// none.
func serviceOf(result *load.Result) measure.Times {
	h := result.Total.Hist[measure.Service]
	if h == nil {
		return measure.Times{}
	}
	return measure.Times{
		Min: time.Duration(h.Min()), P50: time.Duration(h.ValueAtPercentile(50)),
		P99: time.Duration(h.ValueAtPercentile(99)), Max: time.Duration(h.Max()),
	}
}
