//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/machine"
)

// campaign is one question, put to some gateways in interleaved rounds.
type campaign struct {
	name, question string
	connections    int
	seconds        int // of a trial's load
	gateways       []gateway
	builds         map[string]func(l *lab, ctx context.Context) error // of those of them that are built from testdata
	columns        []rounds.Column                                    // none: those of a load that wrk or dyno puts on
	load           func(l *lab, ctx context.Context, c *campaign, s *rounds.Server, t *rounds.Trial) error
	path           string // that is asked for
	rate           int    // requests a second of an open loop; 0 for a closed one

	compare func(s *rounds.Summary) // what is held against what; nil: what follows from path and rate
}

func campaigns() []campaign {
	question := func(n int) string {
		return fmt.Sprintf("What CPU time does proxying a GET of 13 bytes take the gateway in a closed loop of %d connections, kept on both sides?", n)
	}
	peers := named(nanogate, haproxy, nginx, caddy, traefik)
	besides := "What do a thousand routes, a token of ES256, a limit, metrics and a sampled access log add, against HAProxy that only passes on?"
	return []campaign{
		{name: "plain64", question: question(64), connections: 64, seconds: 3, gateways: peers, load: (*lab).load, path: plainPath},
		{name: "plain1000", question: question(1000), connections: 1000, seconds: 3, gateways: peers, load: (*lab).load, path: plainPath},
		{name: "full64", question: besides, connections: 64, seconds: 3, gateways: named(full, nanogate, haproxy), load: (*lab).load, path: fullPath},
		{name: "full1000", question: besides, connections: 1000, seconds: 3, gateways: named(full, nanogate, haproxy), load: (*lab).load, path: fullPath},
		{
			name: "half", question: "How long does a proxied GET take at half of what HAProxy can pass on (40,000 requests/s, as plain64 has it)?",
			connections: 64, seconds: 5, gateways: named(nanogate, haproxy, nginx), load: (*lab).load, path: plainPath, rate: 40_000,
		},
		overloadCampaign(),
		churnCampaign(),
		cacheCampaign(),
		callsCampaign(),
		transcodeCampaign(),
		mirrorCampaign(),
		buildsCampaign(),
	}
}

// named are the gateways of these names.
func named(names ...string) (list []gateway) {
	for _, g := range gateways {
		if slices.Contains(names, g.name) {
			list = append(list, g)
		}
	}
	return list
}

// around is what a trial takes besides its load: starting, warming up, stopping.
const around = 2 * time.Second

const (
	cpuFigure  = "cpu_us_per_request"
	tailFigure = "p99.9_us"
)

func (c *campaign) summary() *rounds.Summary {
	if c.columns != nil {
		return &rounds.Summary{Name: c.name, Question: c.question, First: nanogate, Columns: c.columns}
	}
	s := &rounds.Summary{
		Name: c.name, Question: c.question, First: nanogate,
		Columns: []rounds.Column{
			rounds.Shown("requests_per_s", "requests/s", 4),
			rounds.Shown("server_cpus", "gateway's CPU", 2), rounds.Shown("p99_us", "p99 µs", 3), rounds.Shown(tailFigure, "p99.9 µs", 3), rounds.Shown("errors", "errors", 3),
		},
	}
	if c.rate == 0 {
		s.Columns = slices.Insert(s.Columns, 0, rounds.Shown(cpuFigure, "CPU µs/request", 3))
	}
	add := func(figure, of, against string, wanted float64) {
		s.Comparisons = append(s.Comparisons, rounds.Comparison{Figure: figure, Of: of, Against: []string{against}, Wanted: wanted})
	}
	switch {
	case c.compare != nil:
		c.compare(s)
	case c.rate > 0:
		add(tailFigure, nanogate, haproxy, 1)
	case c.path == fullPath:
		add(cpuFigure, full, haproxy, 1.2)
	default:
		add(cpuFigure, nanogate, haproxy, 0.9)
		add(cpuFigure, nanogate, nginx, 0.9)
		add(cpuFigure, nanogate, caddy, 0.25)
		add(cpuFigure, nanogate, traefik, 0.25)
	}
	return s
}

// run carries a campaign out, or goes on with one that was interrupted.
func (l *lab) run(ctx context.Context, c *campaign) (*rounds.Record, error) {
	o := &l.options
	versions, missing := find(ctx, c.gateways)
	for name, build := range c.builds {
		if missing[name] != "" {
			continue
		}
		if err := build(l, ctx); err != nil {
			missing[name] = err.Error()
			fmt.Printf("left out: %s: %v\n", name, err)
		}
	}
	r, err := rounds.Open(&rounds.Record{
		Version: rounds.RecordVersion, What: c.name, Started: time.Now(), Machine: machine.Read(),
		Command:  append([]string{"go", "run", "./nanogate/bench"}, os.Args[1:]...),
		Versions: versions, Path: o.Path(c.name),
		Settings: rounds.Settings{Rounds: o.Rounds, Seconds: o.Length(c.seconds), Connections: c.connections, Seed: o.Seed},
	})
	if err != nil {
		return nil, err
	}
	var arms []rounds.Arm
	var have []gateway
	for _, g := range c.gateways {
		if why := missing[g.name]; why != "" {
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

// load puts the load of generator on a gateway and takes what a request cost it.
func (l *lab) load(ctx context.Context, c *campaign, s *rounds.Server, t *rounds.Trial) error {
	return l.cost(ctx, c, s, t, func(seconds int) []string { return l.generator(c, s.Address, seconds) })
}

// cost puts a load on a gateway, whose command for so many seconds is given, and takes what
// a request of it cost.
func (l *lab) cost(ctx context.Context, c *campaign, s *rounds.Server, t *rounds.Trial, command func(seconds int) []string) error {
	if _, _, err := l.generate(ctx, command(1)); err != nil {
		return fmt.Errorf("warming up: %w", err)
	}
	t.Command = command(l.options.Length(c.seconds))
	l.watch.Begin()
	upstreams := l.upstreamsCPU()
	before, begun := rounds.ProcessCPU(s.PID()), time.Now()
	text, generator, err := l.generate(ctx, t.Command)
	used, took := rounds.ProcessCPU(s.PID())-before, time.Since(begun)
	t.Beside = l.watch.End(generator+l.upstreamsCPU()-upstreams, used)
	t.Disturbed = t.Beside.Disturbed()
	if err != nil {
		return err
	}
	o, err := parse(text)
	if err != nil {
		return err
	}
	t.Figures["requests"], t.Figures["errors"] = o.Requests, o.Errors
	t.Figures["p50_us"], t.Figures["p99_us"], t.Figures[tailFigure] = o.P50, o.P99, o.P999
	t.Figures["requests_per_s"] = o.Throughput
	t.Figures["server_cpus"] = t.Beside.ServerCPU
	if !o.dynos {
		t.Figures["requests_per_s"] = o.Requests / took.Seconds()
	}
	if o.Sent > 0 {
		t.Figures[cpuFigure] = used.Seconds() * 1e6 / o.Sent
	}
	return nil
}

// generator is the command of a load: wrk in a closed loop, dyno where requests come
// whether or not those before have been answered.
func (l *lab) generator(c *campaign, address string, seconds int) []string {
	url := "http://" + address + c.path
	if c.rate > 0 {
		return append([]string{l.dyno, "load", url, "--json", "--rate", strconv.Itoa(c.rate), "-c", strconv.Itoa(c.connections), "-d", fmt.Sprint(seconds, "s"), "--max-errors", "100%"}, besideUpstreams...)
	}
	args := []string{"wrk", "-t1", "-c", strconv.Itoa(c.connections), "-d", fmt.Sprint(seconds, "s"), "-s", "nano/bench/testdata/report.lua"}
	if c.path == fullPath {
		args = append(args, "-H", "Authorization: Bearer "+l.token)
	}
	return append(args, url)
}

// besideUpstreams is said to dyno, for which gateway and upstream are other programs: who
// else ran is found by the watch.
var besideUpstreams = []string{"--accept", "other-load"}

// outcome is what report.lua, or dyno, says of a load.
type outcome struct {
	Requests float64 `json:"requests"`
	Errors   float64 `json:"errors"`
	P50      float64 `json:"p50_us"`
	P99      float64 `json:"p99_us"`
	P999     float64 `json:"p99.9_us"`

	dynos      bool
	Throughput float64 `json:"-"` // requests/s while the load was measured; dyno alone says it
	Sent       float64 `json:"-"` // all that the gateway got of it: dyno's Requests are those of the seconds that count
}

// said is what dyno's JSON has of that.
type said struct {
	Validity   string             `json:"validity"`
	Throughput float64            `json:"throughput"`
	Requests   float64            `json:"requests"`
	Errors     map[string]float64 `json:"errors"`
	Latency    struct {
		Response map[string]*float64 `json:"response"`
	} `json:"latency_us"`
	Windows []struct {
		Sent float64 `json:"sent"`
	} `json:"windows"`
}

// outcome is what was said, or why it says nothing about the gateway.
func (d *said) outcome() (o outcome, err error) {
	if d.Validity == "invalid" {
		return o, errors.New("dyno says that this load is invalid")
	}
	o = outcome{dynos: true, Requests: d.Requests, Throughput: d.Throughput}
	for _, w := range d.Windows {
		o.Sent += w.Sent
	}
	for _, n := range d.Errors {
		o.Errors += n
	}
	for name, to := range map[string]*float64{"p50": &o.P50, "p99": &o.P99, "p99.9": &o.P999} {
		v := d.Latency.Response[name]
		if v == nil {
			return o, fmt.Errorf("dyno has no %s of this load", name)
		}
		*to = *v
	}
	return o, o.check()
}

// parse reads dyno's JSON, or the line of JSON behind what wrk prints for people. A load
// that says nothing about the gateway is an error.
func parse(text string) (o outcome, err error) {
	if at := strings.Index(text, "{\n"); at >= 0 && strings.Contains(text, `"latency_us"`) {
		var d said
		if err := json.NewDecoder(strings.NewReader(text[at:])).Decode(&d); err != nil {
			return o, fmt.Errorf("reading the generator's report: %w", err)
		}
		return d.outcome()
	}
	at := strings.LastIndex(text, `{"requests"`)
	if at < 0 {
		return o, fmt.Errorf("the generator reported nothing: %s", rounds.Tail(text))
	}
	if err := json.NewDecoder(strings.NewReader(text[at:])).Decode(&o); err != nil {
		return o, fmt.Errorf("reading the generator's report: %w", err)
	}
	o.Sent = o.Requests
	return o, o.check()
}

// check says why a load says nothing about the gateway.
func (o *outcome) check() error {
	switch {
	case o.Requests <= 0:
		return errors.New("no request was answered")
	case o.Errors > o.Requests/1000:
		return fmt.Errorf("%.0f errors in %.0f requests", o.Errors, o.Requests)
	}
	return nil
}
