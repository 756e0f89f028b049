package noise

import (
	"fmt"
	"io"
	"time"

	"dyno.example/dyno/present"
)

// Describe prints the report as tables.
func Describe(w io.Writer, r *Report) {
	fmt.Fprintf(w, "\n  %-30s %24s %11s\n", "A thread that only spins", "was stopped for at most", "and lost")
	for _, c := range r.CPUs {
		fmt.Fprintf(w, "  %-30s %24s %10.2f%%\n", fmt.Sprintf("on CPU %d", c.Number), present.Exact(c.Longest), 100*c.Taken)
	}
	fmt.Fprintf(w, "\n  %-30s %11s %11s %11s\n", "woken up late by", "p50", "p99", "max")
	for _, t := range r.Timers {
		if t.Error != "" {
			fmt.Fprintf(w, "  %-30s %11s\n", t.Pacing, t.Error)
			continue
		}
		fmt.Fprintf(w, "  %-30s %11s %11s %11s\n", t.Pacing, present.Exact(t.Late.P50), present.Exact(t.Late.P99), present.Exact(t.Late.Max))
	}
	l := r.Loopback
	fmt.Fprintf(w, "\n  %-30s %11s %11s %11s %11s\n", "one loopback exchange", "min", "p50", "p99", "max")
	fmt.Fprintf(w, "  %-30s %11s %11s %11s %11s\n", "", present.Exact(l.Min), present.Exact(l.P50), present.Exact(l.P99), present.Exact(l.Max))
	writeSpreads(w, r)
}

func writeSpreads(w io.Writer, r *Report) {
	fmt.Fprintf(w, "\n  a server that costs nothing, %d starts of %d runs of %v\n", r.Plan.Starts, r.Plan.Runs, r.Plan.Run)
	fmt.Fprintf(w, "  %-30s %11s %11s %15s %9s\n", "varies by (standard deviation)", "mean", "run to run", "start to start", "a trial")
	for _, s := range r.Spreads {
		fmt.Fprintf(w, "  %-30s %11s %10.1f%% %14.1f%% %8.1f%%\n", noiseFigures[s.Figure], noiseMean(&s), 100*s.Components.Within, 100*s.Components.Between, 100*s.Trial)
	}
	if r.Unusable > 0 {
		fmt.Fprintf(w, "  %d of the %d runs had no second that a study would have counted.\n", r.Unusable, r.Plan.Starts*r.Plan.Runs)
	}
	fmt.Fprintf(w, "\n  the smallest difference that a study of so many blocks sees here, %.0f times of 10, at %.0f%% confidence\n", 10*Power, 100*Level)
	for i, s := range r.Spreads {
		if i == 0 {
			fmt.Fprintf(w, "  %-30s", "blocks")
			for _, d := range s.Detectable {
				fmt.Fprintf(w, " %9d", d.Blocks)
			}
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "  %-30s", noiseFigures[s.Figure])
		for _, d := range s.Detectable {
			fmt.Fprintf(w, " %8.1f%%", 100*d.Difference)
		}
		fmt.Fprintln(w)
	}
}

// noiseFigures names the figures of spreads for people.
var noiseFigures = map[string]string{"throughput": "requests per second", "cpu": "CPU per request"}

// noiseMean is the mean of a spread with its unit.
func noiseMean(s *Spread) string {
	if s.Figure == "cpu" {
		return present.Exact(time.Duration(s.Mean * float64(time.Second)))
	}
	return fmt.Sprintf("%.0f", s.Mean)
}
