package noise

import (
	"context"
	"fmt"

	"dyno.example/dyno/calibrate"
	"dyno.example/dyno/load"
	"dyno.example/dyno/probe"
	"dyno.example/internal/i18n"
)

// run is what one run of the fixed subject came to.
type run struct {
	throughput float64 // requests per second
	cpu        float64 // seconds of the subject's per request
	usable     bool    // it has a second that a study would count
}

// subject starts the fixed subject again and again, and puts it under load
// several times each.
func (r *Report) subject(ctx context.Context, say func(i18n.Message)) error {
	runs := make([][]run, r.Plan.Starts)
	for i := range runs {
		say(i18n.New("noise.fixed-subject", "a fixed subject, start %d of %d", i+1, r.Plan.Starts))
		var err error
		if runs[i], err = r.start(ctx); err != nil {
			return fmt.Errorf("measuring a fixed subject: %w", err)
		}
	}
	r.sumUp(runs)
	return nil
}

// start measures all runs of one start.
func (r *Report) start(ctx context.Context) (runs []run, err error) {
	server, err := calibrate.StartNull(ctx, r.Generator)
	if err != nil {
		return nil, err
	}
	defer server.Stop()
	process := probe.NewProcess(server.PID())
	defer process.Close()
	for range r.Plan.Runs {
		before, err := process.Snapshot()
		if err != nil {
			return nil, err
		}
		spec := r.spec(server.URL(), connections)
		spec.Warmup, spec.Duration = r.Plan.Warmup, r.Plan.Run
		result, err := load.Run(ctx, spec)
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		after, err := process.Snapshot()
		if err != nil {
			return nil, err
		}
		one, err := runOf(result, after.Since(before))
		if err != nil {
			return nil, err
		}
		runs = append(runs, one)
	}
	return runs, nil
}

// runOf takes the figures of a run: those of the seconds that a study would count,
// or of all if there are none. CPU time is that of warm-up and measured time.
func runOf(result *load.Result, p probe.Process) (run, error) {
	all, measured, seconds := uint64(0), uint64(0), 0.0
	for i := range result.Windows {
		w := &result.Windows[i]
		all += w.Completed
		if !w.Warmup() {
			measured += w.Completed
			seconds += w.Length.Seconds()
		}
	}
	if measured == 0 || p.CPU <= 0 || seconds <= 0 {
		return run{}, fmt.Errorf("a run of %v had %d responses", result.Total.Length, measured)
	}
	one := run{throughput: result.Throughput(), cpu: p.CPU.Seconds() / float64(all), usable: result.Total.Completed > 0}
	if !one.usable {
		one.throughput = float64(measured) / seconds
	}
	return one, nil
}
