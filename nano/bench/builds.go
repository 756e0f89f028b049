//go:build linux

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"dyno.example/dyno/bench/closedloop"
	"dyno.example/dyno/bench/rounds"
)

const (
	buildsName = "builds"
	// within is how much more a build may cost than another to cost the same.
	within = 1.03
)

// builds are the servers that are compared, by what they serve: this one, the same program
// again, which says how far two of one build are apart, and another build of it.
var builds = []struct {
	flags             []string
	this, again, that string
}{
	{[]string{"-kind", "nano"}, "nano/own", "nano/again", "nano/other"},
	{[]string{"-kind", "nano", "-tls"}, "nano/tls", "tls/again", "tls/other"},
}

// buildsCampaign holds nano to what it cost in another build: before a change that
// must cost nothing. All take turns, of a fraction of a second each.
func (l *lab) buildsCampaign() rounds.Campaign {
	c := rounds.Campaign{
		Name: buildsName, Seconds: 2, Connections: connections, Aside: true, Sliced: true, Arms: l.buildsArms,
		Question: "Does a request cost nano's server the CPU time that it did in another build?",
		Show:     rounds.Summary{Columns: costColumns()},
	}
	for _, b := range builds {
		for _, against := range []string{b.that, b.again} {
			c.Show.Comparisons = append(c.Show.Comparisons, rounds.Comparison{Figure: cpuFigure, Of: b.this, Against: []string{against}, Wanted: within})
		}
	}
	return c
}

// asked is a level of that campaign: what is asked of each.
type asked struct {
	level string
	tls   bool
	load  closedloop.Load
}

func buildsLevels() []asked {
	get := closedloop.HTTP1("/plaintext")
	levels := []asked{
		{"plaintext", false, closedloop.Load{Connections: connections, AtOnce: 1, Speak: get}},
		{"1,000 connections", false, closedloop.Load{Connections: 1000, AtOnce: 1, Speak: get}},
		{"TLS", true, closedloop.Load{Connections: connections, AtOnce: 1, Speak: get, TLS: &tls.Config{NextProtos: []string{"http/1.1"}}}},
		{"HTTP/2, 10 streams, TLS", true, closedloop.Load{
			Connections: streamedLoads[1].connections, AtOnce: streamedLoads[1].streams,
			Speak: closedloop.HTTP2("https", "/plaintext"), TLS: &tls.Config{NextProtos: []string{"h2"}},
		}},
	}
	for _, s := range streamedLoads {
		name, _, _ := strings.Cut(s.String(), " ×")
		levels = append(levels, asked{"HTTP/2, " + name, false, closedloop.Load{Connections: s.connections, AtOnce: s.streams, Speak: closedloop.HTTP2("http", "/plaintext")}})
	}
	return levels
}

func (l *lab) buildsArms(_ context.Context, r *rounds.Record) (arms []rounds.Arm, err error) {
	if l.other == "" {
		return nil, errors.New("-what builds needs -other FILE: another build of this program (go build -o FILE ./nano/bench, from another commit)")
	}
	another, err := exec.LookPath(l.other)
	if err != nil {
		return nil, fmt.Errorf("-other: %w", err)
	}
	r.Versions["nano/own"], r.Versions["nano/other"] = rounds.BuiltFrom(l.Self), rounds.BuiltFrom(another)
	for _, a := range buildsLevels() {
		b := builds[0]
		if a.tls && !l.Options.Plan {
			if a.load.TLS.RootCAs, err = rounds.Trust(l.Certificate); err != nil {
				return nil, err
			}
			a.load.TLS.ServerName = "127.0.0.1"
		}
		if a.tls {
			b = builds[1]
		}
		contender := func(name, program string) rounds.Contender {
			p := l.makeOwn(program, b.flags, "")
			return rounds.Contender{Tool: name, Start: func(ctx context.Context) (*rounds.Server, error) {
				return rounds.StartServer(ctx, name, l.Options.ServerCPU, p.command, p.env)
			}}
		}
		arms = append(arms, l.Sliced(a.level, r.Settings.Seconds, a.load, contender(b.this, l.Self), contender(b.again, l.Self), contender(b.that, another)))
	}
	return arms, nil
}
