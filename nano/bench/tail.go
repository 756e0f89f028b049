//go:build linux

package main

import (
	"context"
	"fmt"

	"dyno.example/dyno/bench/rounds"
)

const (
	// tailShare is the share of its own capacity at which a server's tail is taken.
	tailShare = 0.5
	// capacitySeconds is how long the closed loop is that finds a capacity.
	capacitySeconds = 2
)

// tailCampaign loads each server in proportion to what it can do.
func tailCampaign() campaign {
	peers := []string{"gnet", "fasthttp", "may_minihttp"}
	return campaign{
		Name: "tail", Seconds: 3, Around: aroundClosed, Capacities: true,
		Question: "At half of its own capacity, Poisson arrivals, what is p99.9 counted from when a request was due?",
		Arms:     armsOf(peers, "", open),
		Show: rounds.Summary{
			Columns: []rounds.Column{
				rounds.Shown("rate", "requests/s asked for", 4), rounds.Shown("p50_us", "p50 µs", 3), rounds.Shown("p99_us", "p99 µs", 3),
				rounds.Shown("p99.9_us", "p99.9 µs", 3), rounds.Shown(cpuFigure, "CPU µs/request", 3), rounds.Shown("errors", "errors", 3),
			},
			Comparisons: []rounds.Comparison{{Figure: "p99.9_us", Of: nanoName, Against: peers, Wanted: 1.0}},
		},
	}
}

// open puts an open loop on the plaintext, at the trial's rate. The CPU time of
// the server covers the generator's second of warming up too.
func open(ctx context.Context, t *trial) error {
	t.Figures["rate"] = t.rate
	command := t.dynoLoad(t.up.url("/plaintext"), t.rate, connections)
	return t.paced(ctx, command)
}

// paced runs dyno and takes what it says of latency.
func (t *trial) paced(ctx context.Context, command []string) error {
	t.Command = command
	t.lab.watch.Begin()
	before := rounds.ProcessCPU(t.up.PID())
	g, err := t.lab.generate(ctx, command)
	used := rounds.ProcessCPU(t.up.PID()) - before
	t.Beside = t.lab.watch.End(g.cpu, used)
	t.Disturbed = t.Beside.Disturbed()
	if err != nil {
		return err
	}
	o, validity, err := parseDyno(g.output)
	t.Says = append(t.Says, validity)
	if err != nil {
		return err
	}
	t.take(o)
	t.Figures["requests_per_s"] = o.Requests / float64(t.seconds)
	t.Figures[cpuFigure] = used.Seconds() * 1e6 / (o.Requests * (1 + 1/float64(t.seconds)))
	return nil
}

// capacities finds what each server does in a closed loop, once for a record.
func (l *lab) capacities(ctx context.Context, arms []arm, r *rounds.Record) error {
	if r.Ceilings == nil {
		r.Ceilings = make(map[string]float64)
	}
	for _, a := range arms {
		if r.Ceilings[a.Server] > 0 {
			continue
		}
		found, err := l.capacity(ctx, a.Server)
		if err != nil {
			return fmt.Errorf("capacity of %s: %w", a.Server, err)
		}
		r.Ceilings[a.Server] = found
		fmt.Printf("%-14s does %.0f requests/s in a closed loop\n", a.Server, found)
	}
	return r.Save()
}

func (l *lab) capacity(ctx context.Context, name string) (float64, error) {
	up, err := l.start(ctx, name)
	if err != nil {
		return 0, err
	}
	t := &trial{lab: l, up: up, seconds: capacitySeconds, Trial: rounds.Trial{Figures: make(map[string]float64)}}
	failed := closed("/plaintext", connections, 1)(ctx, t)
	if err := up.stop(); err != nil {
		return 0, err
	}
	return t.Figures["requests_per_s"], failed
}
