//go:build linux

package main

import (
	"context"
	"strconv"
	"time"

	"dyno.example/dyno/bench/rounds"
)

// connections of all loads that don't say otherwise.
const connections = 64

// closed puts a closed loop on a path, by wrk, and takes what a request cost the
// server. Depth is how many requests are sent at once on each connection.
func closed(path string, connections, depth int) func(context.Context, *trial) error {
	return func(ctx context.Context, t *trial) error {
		return t.cost(ctx, rounds.Load{
			Command: rounds.Wrk(connections, t.up.url(path)), Parse: rounds.ParseLine, Env: []string{"PIPELINE=" + strconv.Itoa(depth)},
		})
	}
}

// cost puts a load on the server, and takes what a request of it cost.
func (t *trial) cost(ctx context.Context, load rounds.Load) error {
	return t.lab.Cost(ctx, t.up.Server, t.Trial, t.seconds, load)
}

// watched notes what else the machine did meanwhile. This program is the generator,
// which the watch knows.
func (t *trial) watched(measure func() error) error {
	_, err := t.lab.Watched(t.Trial, func() (time.Duration, error) { return 0, measure() }, t.up.Server)
	return err
}

// paced is an open loop of dyno, whose report counts as errors what wasn't sent or
// served. Its own calibration is left out: it would take longer than the trial.
func (t *trial) paced(url string, rate float64, connections int, flags ...string) rounds.Load {
	return rounds.Load{Cold: true, Parse: rounds.ParseDynoWhole, Command: func(seconds int) []string {
		args := []string{
			t.lab.Dyno, "load", "--json", "--no-calibration", "--cpus", strconv.Itoa(t.lab.Options.GeneratorCPU),
			"-R", strconv.FormatFloat(rate, 'f', 0, 64), "-c", strconv.Itoa(connections), "-d", strconv.Itoa(seconds) + "s", "-w", "1s",
			"--max-errors", "100%",
		}
		return append(append(args, flags...), url)
	}}
}
