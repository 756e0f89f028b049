//go:build linux

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os/exec"

	"dyno.example/dyno/bench/closedloop"
	"dyno.example/dyno/bench/rounds"
)

const (
	buildsName = "builds"
	twin       = "nanogate, again" // the same program: how far two of one build are apart
	other      = "nanogate, other" // another build

	// within is how much more a build may cost than another to cost the same.
	within = 1.03
)

// buildsCampaign holds nanogate to what it cost in another build: before a change that
// must cost nothing. All take turns, of a fraction of a second each.
func (l *lab) buildsCampaign() rounds.Campaign {
	c := rounds.Campaign{
		Name: buildsName, Seconds: 2, Connections: 64, Aside: true, Sliced: true, Arms: l.buildsArms,
		Question: "Does a request cost nanogate the CPU time that it did in another build?",
		Show:     rounds.Summary{Columns: costColumns()},
	}
	for _, against := range []string{other, twin} {
		c.Show.Comparisons = append(c.Show.Comparisons, rounds.Comparison{Figure: cpuFigure, Of: nanogate, Against: []string{against}, Wanted: within})
	}
	return c
}

// passed is what is passed on in a level of that campaign.
type passed struct {
	level   string
	command func(l *lab, program, address string) []string
	load    closedloop.Load
}

func (l *lab) buildsLevels(message []byte, trusted *tls.Config) []passed {
	get := closedloop.HTTP1(plainPath)
	toNull := func(l *lab, program, address string) []string {
		return plainCommand(program, address, "http://"+l.upstream.Address)
	}
	toCalls := func(l *lab, program, address string) []string {
		return plainCommand(program, address, "h2c://"+l.calls.Address)
	}
	return []passed{
		{"HTTP/1.1, 64 connections", toNull, closedloop.Load{Connections: 64, AtOnce: 1, Speak: get}},
		{"HTTP/1.1, 1,000 connections", toNull, closedloop.Load{Connections: 1000, AtOnce: 1, Speak: get}},
		{"HTTP/1.1 over TLS, 64 connections", func(l *lab, program, address string) []string {
			file := fmt.Sprintf(tlsFile, address, l.Certificate, l.upstream.Address)
			return []string{program, "run", "--loops", "1", "-c", l.write("tls.yaml", file)}
		}, closedloop.Load{Connections: 64, AtOnce: 1, Speak: get, TLS: trusted}},
		{"HTTP/2 on both sides, 8 connections of 10 streams", func(l *lab, program, address string) []string {
			return plainCommand(program, address, "h2c://"+l.upstream.Address)
		}, closedloop.Load{Connections: 8, AtOnce: 10, Speak: closedloop.HTTP2("http", plainPath)}},
		{"gRPC, 16 connections of 4 streams", toCalls, closedloop.Load{Connections: 16, AtOnce: callStreams, Speak: closedloop.GRPC("/"+usersCall, message)}},
		{"WebSocket, 64 connections", func(l *lab, program, address string) []string {
			return plainCommand(program, address, "http://"+l.echo.Address)
		}, closedloop.Load{Connections: 64, AtOnce: 1, Speak: closedloop.WebSocket("/", 128)}},
	}
}

const tlsFile = `listen: %s
tls: {certificates: [{cert: %[2]s, key: %[2]s}]}
routes: [{match: {path: "/*"}, to: "http://%[3]s"}]
`

func (l *lab) buildsArms(ctx context.Context, r *rounds.Record) (arms []rounds.Arm, err error) {
	if l.other == "" {
		return nil, errors.New("-what builds needs -other FILE: another build of nanogate (go build -o FILE ./nanogate/cmd/nanogate, from another commit)")
	}
	another, err := exec.LookPath(l.other)
	if err != nil {
		return nil, fmt.Errorf("-other: %w", err)
	}
	r.Versions[nanogate], r.Versions[other] = rounds.BuiltFrom(l.nanogate), rounds.BuiltFrom(another)
	message, err := userMessage(ctx)
	if err != nil {
		return nil, err
	}
	trusted := &tls.Config{NextProtos: []string{"http/1.1"}, ServerName: "127.0.0.1"}
	if !l.Options.Plan {
		if trusted.RootCAs, err = rounds.Trust(l.Certificate); err != nil {
			return nil, err
		}
	}
	for _, p := range l.buildsLevels(message, trusted) {
		contender := func(name, program string) rounds.Contender {
			return rounds.Contender{Tool: name, Start: func(ctx context.Context) (*rounds.Server, error) {
				return rounds.StartServer(ctx, name, l.Options.ServerCPU, func(address string) []string { return p.command(l, program, address) }, nil)
			}}
		}
		arms = append(arms, l.Sliced(p.level, r.Settings.Seconds, p.load,
			contender(nanogate, l.nanogate), contender(twin, l.nanogate), contender(other, another)))
	}
	return arms, nil
}

// plainCommand is a nanogate with one loop that passes all on to an upstream, a URL.
func plainCommand(program, address, upstream string) []string {
	return []string{program, "run", "--listen", address, "--to", upstream, "--loops", "1"}
}
