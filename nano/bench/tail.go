//go:build linux

package main

import (
	"context"

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

// open puts an open loop on the plaintext, at the trial's rate.
func open(ctx context.Context, t *trial) error {
	t.Figures["rate"] = t.rate
	return t.cost(ctx, t.paced(t.up.url("/plaintext"), t.rate, connections))
}
