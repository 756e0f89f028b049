//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"dyno/bench/rounds"
	"dyno/lab/machine"
)

// campaign is one question, put to every gateway in interleaved rounds.
type campaign struct {
	name, question string
	connections    int
	seconds        int       // of a trial's load
	gateways       []gateway // in place of those of the plain ones
	columns        []rounds.Column
	load           func(l *lab, ctx context.Context, c *campaign, s *rounds.Server, t *rounds.Trial) error
}

func campaigns() []campaign {
	question := func(n int) string {
		return fmt.Sprintf("What CPU time does proxying a GET of 13 bytes take the gateway in a closed loop of %d connections, kept on both sides?", n)
	}
	return []campaign{
		{name: "plain64", question: question(64), connections: 64, seconds: 3, gateways: gateways, load: (*lab).load},
		{name: "plain1000", question: question(1000), connections: 1000, seconds: 3, gateways: gateways, load: (*lab).load},
		overloadCampaign(),
	}
}

// around is what a trial takes besides its load: starting, warming up, stopping.
const around = 2 * time.Second

const cpuFigure = "cpu_us_per_request"

func (c *campaign) summary() *rounds.Summary {
	if c.columns != nil {
		return &rounds.Summary{Name: c.name, Question: c.question, First: nanogate, Columns: c.columns}
	}
	return &rounds.Summary{
		Name: c.name, Question: c.question, First: nanogate,
		Columns: []rounds.Column{
			rounds.Shown(cpuFigure, "CPU µs/request", 3), rounds.Shown("requests_per_s", "requests/s", 4),
			rounds.Shown("server_cpus", "gateway's CPU", 2), rounds.Shown("p99_us", "p99 µs", 3), rounds.Shown("errors", "errors", 3),
		},
		Comparisons: []rounds.Comparison{
			{Figure: cpuFigure, Of: nanogate, Against: []string{haproxy}, Wanted: 0.9},
			{Figure: cpuFigure, Of: nanogate, Against: []string{nginx}, Wanted: 0.9},
		},
	}
}

// run carries a campaign out, or goes on with one that was interrupted.
func (l *lab) run(ctx context.Context, c *campaign) (*rounds.Record, error) {
	o := &l.options
	r, err := rounds.Open(&rounds.Record{
		Version: rounds.RecordVersion, What: c.name, Started: time.Now(), Machine: machine.Read(),
		Command:  append([]string{"go", "run", "./bench/gateways"}, os.Args[1:]...),
		Versions: l.versions, Path: o.Path(c.name),
		Settings: rounds.Settings{Rounds: o.Rounds, Seconds: o.Length(c.seconds), Connections: c.connections, Seed: o.Seed},
	})
	if err != nil {
		return nil, err
	}
	var arms []rounds.Arm
	var have []gateway
	for _, g := range c.gateways {
		if why := l.missing[g.name]; why != "" {
			r.Note(g.name + ": " + why)
			continue
		}
		have = append(have, g)
		arms = append(arms, rounds.Arm{Tool: g.name})
	}
	todo := r.Pending(arms)
	fmt.Printf("\n%s: %s\n%d trials to go; the record is %s\n", c.name, c.question, len(todo), r.Path)
	return r, r.Carry(todo, func(arm int) (rounds.Trial, error) { return l.measure(ctx, c, &have[arm]) })
}

// measure carries out one trial with a gateway of its own. A load that fails gives a
// failed trial, not an error.
func (l *lab) measure(ctx context.Context, c *campaign, g *gateway) (rounds.Trial, error) {
	t := rounds.Trial{Tool: g.name, Started: time.Now(), Figures: map[string]float64{}}
	s, err := rounds.StartServer(ctx, g.name, l.options.ServerCPU, func(address string) []string { return g.command(l, address) }, nil)
	if err != nil {
		return t, err
	}
	failed := c.load(l, ctx, c, s, &t)
	s.Stop(2 * time.Second) // gateways differ in the status with which they end
	if ctx.Err() != nil {
		return t, ctx.Err()
	}
	if failed != nil {
		t.Failed = rounds.Tail(failed.Error() + " " + s.Says())
	}
	return t, nil
}

// load puts the load on a gateway and takes what a request cost it.
func (l *lab) load(ctx context.Context, c *campaign, s *rounds.Server, t *rounds.Trial) error {
	command := func(seconds int) []string {
		return []string{"wrk", "-t1", "-c", strconv.Itoa(c.connections), "-d", fmt.Sprint(seconds, "s"), "-s", "bench/servers/testdata/report.lua", "http://" + s.Address + "/plaintext"}
	}
	if _, _, err := l.generate(ctx, command(1)); err != nil {
		return fmt.Errorf("warming up: %w", err)
	}
	t.Command = command(l.options.Length(c.seconds))
	l.watch.Begin()
	upstream := rounds.ProcessCPU(l.upstream.PID())
	before, begun := rounds.ProcessCPU(s.PID()), time.Now()
	text, generator, err := l.generate(ctx, t.Command)
	used, took := rounds.ProcessCPU(s.PID())-before, time.Since(begun)
	t.Beside = l.watch.End(generator+rounds.ProcessCPU(l.upstream.PID())-upstream, used)
	t.Disturbed = t.Beside.Disturbed()
	if err != nil {
		return err
	}
	o, err := parse(text)
	if err != nil {
		return err
	}
	t.Figures["requests"], t.Figures["errors"] = o.Requests, o.Errors
	t.Figures["p50_us"], t.Figures["p99_us"] = o.P50, o.P99
	t.Figures["requests_per_s"] = o.Requests / took.Seconds()
	t.Figures[cpuFigure] = used.Seconds() * 1e6 / o.Requests
	t.Figures["server_cpus"] = t.Beside.ServerCPU
	return nil
}

// outcome is what report.lua says of a load.
type outcome struct {
	Requests float64 `json:"requests"`
	Errors   float64 `json:"errors"`
	P50      float64 `json:"p50_us"`
	P99      float64 `json:"p99_us"`
}

// parse reads the line of JSON behind what wrk prints for people. A load that says
// nothing about the gateway is an error.
func parse(text string) (o outcome, err error) {
	at := strings.LastIndex(text, `{"requests"`)
	if at < 0 {
		return o, fmt.Errorf("the generator reported nothing: %s", rounds.Tail(text))
	}
	if err := json.NewDecoder(strings.NewReader(text[at:])).Decode(&o); err != nil {
		return o, fmt.Errorf("reading the generator's report: %w", err)
	}
	switch {
	case o.Requests <= 0:
		return o, errors.New("no request was answered")
	case o.Errors > o.Requests/1000:
		return o, fmt.Errorf("%.0f errors in %.0f requests", o.Errors, o.Requests)
	}
	return o, nil
}
