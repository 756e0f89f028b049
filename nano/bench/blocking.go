//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/stats"
)

// The load of the campaign blocking: a tenth of the requests goes to a handler
// that sleeps, on connections of their own, or that doesn't, on the same ones.
const (
	quickRate, slowRate = 3600, 400 // requests/s
	sleepTime           = 20 * time.Millisecond
	awakeLevel          = "a tenth sleeps 0 ms"
	asleepLevel         = "a tenth sleeps 20 ms"
)

func blockingCampaign() campaign {
	c := campaign{
		Name: "blocking", Seconds: 3, Around: aroundClosed,
		Question: "When a tenth of 4,000 requests/s sleeps 20 ms in its handler, what happens to the p99 of the others?",
		Show: rounds.Summary{
			Columns: []rounds.Column{
				rounds.Shown("p50_us", "p50 µs of the others", 3), rounds.Shown("p99_us", "p99 µs", 3), rounds.Shown("p99.9_us", "p99.9 µs", 3),
				rounds.Shown("slow_p50_us", "p50 µs of the tenth", 3), rounds.Shown("errors", "errors", 3),
			},
			More: showRise,
		},
	}
	for _, name := range []string{"nano/own", "nethttp/own"} {
		c.Arms = append(c.Arms, arm{Server: name, Level: awakeLevel, Measure: mixed(0)}, arm{Server: name, Level: asleepLevel, Measure: mixed(sleepTime)})
	}
	return c
}

// mixed runs both generators beside each other. That of the slow requests sleeps
// between them: it has no part in what is measured.
func mixed(sleep time.Duration) func(context.Context, *trial) error {
	return func(ctx context.Context, t *trial) error {
		load := t.paced(t.up.url(fmt.Sprintf("/sleep/%d", sleep.Milliseconds())), slowRate, connections, "--pacing", "timer")
		type result struct {
			rounds.Generated
			err error
		}
		ended := make(chan result, 1)
		go func() {
			g, err := t.lab.Generate(ctx, load.Command(t.seconds))
			ended <- result{g, err}
		}()
		failed := t.cost(ctx, t.paced(t.up.url("/plaintext"), quickRate, connections))
		slow := <-ended
		// What the other generator used was not other programs' work.
		t.Beside.Other = max(0, t.Beside.Other-slow.CPU.Seconds()/float64(t.seconds+1))
		t.Disturbed = t.Beside.Disturbed()
		delete(t.Figures, cpuFigure) // of both loads
		if failed != nil || slow.err != nil {
			return fmt.Errorf("the quick load: %v; the slow load: %v", failed, slow.err)
		}
		o, err := load.Parse(slow.Output)
		t.Figures["slow_p50_us"] = o.P50
		return err
	}
}

// wantedRise is by how much p99 may rise, in ms.
const wantedRise = 1.0

// showRise shows how p99 differs between the levels, in pairs of the same round.
func showRise(w io.Writer, v *rounds.Values) {
	for _, tool := range v.Tools() {
		rise := stats.Median(rises(v.Of(tool, asleepLevel, "p99_us"), v.Of(tool, awakeLevel, "p99_us")), rounds.Confidence)
		if rise.N == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s: p99 of the others rises by **%.3f ms** (%.3f to %.3f, %d pairs)", tool, rise.Estimate, rise.Low, rise.High, rise.N)
		if tool == "nano/own" {
			fmt.Fprintf(w, "; wanted < %.0f ms: %s", wantedRise, rounds.Judged(rise, wantedRise))
		}
		fmt.Fprintln(w)
	}
}

// rises are the differences of known pairs, from µs to ms.
func rises(asleep, awake []float64) []float64 {
	differences := make([]float64, len(asleep))
	for i := range asleep {
		differences[i] = (asleep[i] - awake[i]) / 1e3
	}
	return slices.DeleteFunc(differences, math.IsNaN)
}
