//go:build linux

package main

import (
	"context"
	"slices"

	"dyno.example/dyno/bench/rounds"
)

// waysOf are the ways of testdata/uring.c to talk to the kernel, by server.
var waysOf = map[string]string{
	"C read": "read", "C sends": "sends", "C both": "both", "C wait": "wait", "C multishot": "multishot",
	"C anythread": "anythread", "C coop": "coop", "C oneshot": "oneshot",
}

// worthwhile is the ratio to two system calls a request from which another way is
// worth its code.
const worthwhile = 0.97

// waysCampaign asks what other system calls than epoll's could save a server, by
// a C server that does nothing else.
func waysCampaign() campaign {
	c := campaign{
		Name: "ways", Seconds: 2, Around: aroundClosed, Aside: true,
		Question: "What CPU time does a GET of 13 bytes take the server by other ways to talk to the kernel?",
		Show:     rounds.Summary{Columns: costColumns()},
	}
	ways := []string{"C sends", "C both", "C wait", "C multishot", "C anythread", "C coop", "C oneshot"}
	for _, name := range append([]string{nanoName, epollName, "C read"}, ways...) {
		c.Arms = append(c.Arms, arm{Server: name, Measure: closed("/plaintext", connections, 1)})
	}
	for _, name := range ways {
		c.Show.Comparisons = append(c.Show.Comparisons, rounds.Comparison{Figure: cpuFigure, Of: name, Against: []string{"C read"}, Wanted: worthwhile})
	}
	return c
}

// makeWay builds a C server with one of the ways.
func (l *lab) makeWay(ctx context.Context, way string) (program, error) {
	p, err := l.makeC(ctx, "uring")
	if err != nil {
		return p, err
	}
	p.args = slices.Insert(p.args, 1, way)
	return p, nil
}
