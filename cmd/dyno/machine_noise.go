package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"dyno/lab/machine/noise"
)

func newNoise(global *globalFlags) *cobra.Command {
	var quick, asJSON bool
	cmd := &cobra.Command{
		Use:   "noise",
		Short: "Measure how small a difference can be seen on this machine",
		Long: `Measure how steady this machine is: what it takes from a thread that spins on
each CPU, how late it wakes one up, how much a loopback exchange varies, and by how
much a fixed subject, a server that costs nothing, differs from run to run and from
start to start. From that follows the smallest difference that a study of so many
blocks can see here. A subject with noise of its own needs more.`,
		Args: exactArgs(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan := noise.Full()
			if quick {
				plan = noise.Quick()
			}
			return measureNoise(cmd.Context(), os.Stdout, plan, global.quiet, asJSON)
		},
	}
	cmd.Flags().BoolVar(&quick, "quick", false, "take half a minute instead of two")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func measureNoise(ctx context.Context, w io.Writer, plan noise.Plan, quiet, asJSON bool) error {
	say := func(what string) {
		if !quiet {
			fmt.Fprintf(os.Stderr, "measuring: %s\n", what)
		}
	}
	say(fmt.Sprintf("about %v; leave the machine alone meanwhile", plan.Estimate().Round(time.Second)))
	r, err := noise.Measure(ctx, plan, say)
	if err != nil {
		return fmt.Errorf("noise: %w", err)
	}
	if asJSON {
		return printJSON(w, r)
	}
	writeNoise(w, r)
	return nil
}

// writeNoise prints the report as tables.
func writeNoise(w io.Writer, r *noise.Report) {
	fmt.Fprintf(w, "\n  %-30s %24s %11s\n", "A thread that only spins", "was stopped for at most", "and lost")
	for _, c := range r.CPUs {
		fmt.Fprintf(w, "  %-30s %24s %10.2f%%\n", fmt.Sprintf("on CPU %d", c.Number), exact(c.Longest), 100*c.Taken)
	}
	fmt.Fprintf(w, "\n  %-30s %11s %11s %11s\n", "woken up late by", "p50", "p99", "max")
	for _, t := range r.Timers {
		if t.Error != "" {
			fmt.Fprintf(w, "  %-30s %11s\n", t.Pacing, t.Error)
			continue
		}
		fmt.Fprintf(w, "  %-30s %11s %11s %11s\n", t.Pacing, exact(t.Late.P50), exact(t.Late.P99), exact(t.Late.Max))
	}
	l := r.Loopback
	fmt.Fprintf(w, "\n  %-30s %11s %11s %11s %11s\n", "one loopback exchange", "min", "p50", "p99", "max")
	fmt.Fprintf(w, "  %-30s %11s %11s %11s %11s\n", "", exact(l.Min), exact(l.P50), exact(l.P99), exact(l.Max))
	writeSpreads(w, r)
}

func writeSpreads(w io.Writer, r *noise.Report) {
	fmt.Fprintf(w, "\n  a server that costs nothing, %d starts of %d runs of %v\n", r.Plan.Starts, r.Plan.Runs, r.Plan.Run)
	fmt.Fprintf(w, "  %-30s %11s %11s %15s %9s\n", "varies by (standard deviation)", "mean", "run to run", "start to start", "a trial")
	for _, s := range r.Spreads {
		fmt.Fprintf(w, "  %-30s %11s %10.1f%% %14.1f%% %8.1f%%\n", noiseFigures[s.Figure], noiseMean(&s), 100*s.Components.Within, 100*s.Components.Between, 100*s.Trial)
	}
	if r.Unusable > 0 {
		fmt.Fprintf(w, "  %d of the %d runs had no second that a study would have counted.\n", r.Unusable, r.Plan.Starts*r.Plan.Runs)
	}
	fmt.Fprintf(w, "\n  the smallest difference that a study of so many blocks sees here, %.0f times of 10, at %.0f%% confidence\n", 10*noise.Power, 100*noise.Level)
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
func noiseMean(s *noise.Spread) string {
	if s.Figure == "cpu" {
		return exact(time.Duration(s.Mean * float64(time.Second)))
	}
	return fmt.Sprintf("%.0f", s.Mean)
}
