package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"dyno/lab/calibrate"
	"dyno/lab/load"
)

// selftestTime is what each measurement of a self-test takes unless -d says
// otherwise.
const selftestTime = time.Second

// runSelftest tests the generator and prints what it can measure. A machine that
// can't is an error.
func runSelftest(ctx context.Context, f *loadFlags, global *globalFlags) error {
	spec, err := f.selftestSpec()
	if err != nil {
		return usageError(err)
	}
	say := func(what string) {
		if !global.quiet && !f.asJSON {
			fmt.Fprintf(os.Stderr, "testing: %s\n", what)
		}
	}
	report, err := calibrate.Test(ctx, &spec, say)
	if err != nil {
		return fmt.Errorf("self-test: %w", err)
	}
	if f.asJSON {
		enc := json.NewEncoder(os.Stdout)
		enc.SetIndent("", "  ")
		err = enc.Encode(report)
	} else {
		writeSelftest(os.Stdout, report)
	}
	if err == nil && !report.Verdict.OK {
		err = errors.New("self-test: this machine can't be trusted to measure")
	}
	return err
}

// selftestSpec is the generator that the flags ask for; what they say of the
// target is not used.
func (f *loadFlags) selftestSpec() (load.Spec, error) {
	spec, err := f.spec("http://127.0.0.1")
	if f.duration == 0 {
		spec.Duration = selftestTime
	}
	if err == nil && spec.Duration < 50*time.Millisecond {
		err = fmt.Errorf("--duration must be at least 50ms for a self-test, not %v", spec.Duration)
	}
	return spec, err
}

// writeSelftest prints the report as tables.
func writeSelftest(w io.Writer, r *calibrate.Report) {
	fmt.Fprintf(w, "\n  generator    %d thread(s), %d connections, against a server that costs nothing\n", r.Threads, r.Connections)
	fmt.Fprintf(w, "\n  %-12s %12s %11s %11s %9s %9s   %s\n", "engine", "requests/s", "CPU/request", "allocations", "floor min", "floor p50", "lag p99 at 10 %, 50 %, 80 % of it")
	for i := range r.Engines {
		writeEngine(w, &r.Engines[i])
	}
	fmt.Fprintf(w, "\n  %-20s %9s %9s %9s\n", "woken up late by", "p50", "p99", "max")
	for _, t := range r.Timers {
		if t.Error != "" {
			fmt.Fprintf(w, "  %-20s %s\n", t.Pacing, t.Error)
			continue
		}
		fmt.Fprintf(w, "  %-20s %9s %9s %9s\n", t.Pacing, exact(t.Late.P50), exact(t.Late.P99), exact(t.Late.Max))
	}
	fmt.Fprintf(w, "\n  hiccups      the machine took %.2f %% of the time from a thread that did nothing else, %s at the longest\n", 100*r.Hiccups.Taken, exact(r.Hiccups.Longest))
	writeProof(w, "stall", &r.Stall)
	writeProof(w, "freeze", &r.Freeze)
	writeVerdict(w, &r.Verdict)
}

func writeEngine(w io.Writer, e *calibrate.EngineReport) {
	if e.Error != "" {
		fmt.Fprintf(w, "  %-12s %s\n", e.Name, e.Error)
		return
	}
	fmt.Fprintf(w, "  %-12s %12s %11s %11.3f %9s %9s  ", e.Name, number(e.Ceiling), exact(e.CPUPerRequest), e.Allocations, exact(e.Floor.Min), exact(e.Floor.P50))
	for _, l := range e.Lags {
		fmt.Fprintf(w, " %9s", exact(l.Lag.P99))
	}
	fmt.Fprintln(w)
}

func writeProof(w io.Writer, name string, p *calibrate.Proof) {
	word := "failed"
	if p.Passed {
		word = "passed"
	}
	fmt.Fprintf(w, "  %-12s %s: %s\n", name, word, p.Detail)
}

func writeVerdict(w io.Writer, v *calibrate.Verdict) {
	if !v.OK {
		fmt.Fprint(w, "\n  verdict      this machine can't be trusted to measure:\n")
		for _, why := range v.Why {
			fmt.Fprintf(w, "    %s\n", why)
		}
		return
	}
	fmt.Fprintf(w, "\n  verdict      this machine can measure: up to %s requests/s, latencies above %s, differences in time above %s\n", number(v.UpTo), exact(v.Above), exact(v.Difference))
}

// exact writes short durations to a tenth of a microsecond.
func exact(d time.Duration) string {
	if d < 10*time.Microsecond {
		return fmt.Sprintf("%.1fµs", micros(d))
	}
	return duration(float64(d))
}
