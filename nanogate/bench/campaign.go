//go:build linux

package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"dyno.example/dyno/bench/rounds"
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
	fullQuestion := "What do a thousand routes, a token of ES256, a limit, metrics and a sampled access log add, against HAProxy that only passes on?"
	return []campaign{
		{name: "plain64", question: question(64), connections: 64, seconds: 3, gateways: peers, load: (*lab).load, path: plainPath},
		{name: "plain1000", question: question(1000), connections: 1000, seconds: 3, gateways: peers, load: (*lab).load, path: plainPath},
		{name: "full64", question: fullQuestion, connections: 64, seconds: 3, gateways: named(full, nanogate, haproxy), load: (*lab).load, path: fullPath},
		{name: "full1000", question: fullQuestion, connections: 1000, seconds: 3, gateways: named(full, nanogate, haproxy), load: (*lab).load, path: fullPath},
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
	}
}

// campaigns are those, and that of builds, as they are carried out.
func (l *lab) campaigns() (all []rounds.Campaign) {
	for _, c := range campaigns() {
		all = append(all, rounds.Campaign{
			Name: c.name, Question: c.question, Seconds: c.seconds, Connections: c.connections, Show: c.summary(),
			Arms: func(ctx context.Context, r *rounds.Record) ([]rounds.Arm, error) { return l.arms(ctx, &c, r), nil },
		})
	}
	return append(all, l.buildsCampaign())
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

// around is what a trial takes in addition to its load: starting, warming up, stopping.
const around = 2 * time.Second

const (
	cpuFigure  = rounds.CPUFigure
	tailFigure = rounds.TailFigure
)

// costColumns are what is shown of a load that a generator puts on.
func costColumns() []rounds.Column {
	return []rounds.Column{
		rounds.Shown(cpuFigure, "CPU µs/request", 3), rounds.Shown("requests_per_s", "requests/s", 4),
		rounds.Shown("server_cpus", "gateway's CPU", 2), rounds.Shown("p99_us", "p99 µs", 3), rounds.Shown(tailFigure, "p99.9 µs", 3), rounds.Shown("errors", "errors", 3),
	}
}

func (c *campaign) summary() rounds.Summary {
	if c.columns != nil {
		return rounds.Summary{Columns: c.columns}
	}
	s := rounds.Summary{Columns: costColumns()}
	if c.rate > 0 {
		s.Columns = s.Columns[1:]
	}
	add := func(figure, of, against string, wanted float64) {
		s.Comparisons = append(s.Comparisons, rounds.Comparison{Figure: figure, Of: of, Against: []string{against}, Wanted: wanted})
	}
	switch {
	case c.compare != nil:
		c.compare(&s)
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

// arms are the gateways of a campaign that are here; why others are left out is noted.
func (l *lab) arms(ctx context.Context, c *campaign, r *rounds.Record) (arms []rounds.Arm) {
	for _, g := range c.gateways {
		if !l.Options.Plan {
			if why := l.find(ctx, c, &g, r); why != nil {
				r.Note(g.name + ": " + why.Error())
				continue
			}
		}
		start := func(ctx context.Context) (*rounds.Server, error) {
			return rounds.StartServer(ctx, g.name, l.Options.ServerCPU, func(address string) []string { return g.command(l, address) }, nil)
		}
		load := func(ctx context.Context, s *rounds.Server, t *rounds.Trial) error { return c.load(l, ctx, c, s, t) }
		arms = append(arms, rounds.Arm{
			Tools: []string{g.name}, Takes: time.Duration(l.Options.Length(c.seconds))*time.Second + around,
			Measure: func(ctx context.Context, _ int) ([]rounds.Trial, error) {
				return rounds.OnServer(ctx, rounds.Trial{Tool: g.name}, start, load)
			},
		})
	}
	return arms
}

// find asks a gateway for its version, and builds one that has to be built.
func (l *lab) find(ctx context.Context, c *campaign, g *gateway, r *rounds.Record) error {
	if len(g.version) > 0 {
		version, err := rounds.Version(ctx, g.version[0], g.version[1:]...)
		if err != nil {
			return fmt.Errorf("%w (to have it: %s)", err, g.install)
		}
		r.Versions[g.name] = version
	}
	if build := c.builds[g.name]; build != nil {
		return build(l, ctx)
	}
	return nil
}

// load puts the load of generator on a gateway and takes what a request cost it.
func (l *lab) load(ctx context.Context, c *campaign, s *rounds.Server, t *rounds.Trial) error {
	return l.cost(ctx, c, s, t, l.generator(c, s.Address))
}

// cost puts a load on a gateway, and takes what a request of it cost.
func (l *lab) cost(ctx context.Context, c *campaign, s *rounds.Server, t *rounds.Trial, load rounds.Load) error {
	return l.Cost(ctx, s, t, l.Options.Length(c.seconds), load)
}

// generator is a load: wrk in a closed loop, dyno where requests come whether or not those
// before have their responses.
func (l *lab) generator(c *campaign, address string) rounds.Load {
	url := "http://" + address + c.path
	if c.rate > 0 {
		return l.dynoLoad(url, c, "--rate", strconv.Itoa(c.rate))
	}
	var more []string
	if c.path == fullPath {
		more = []string{"-H", "Authorization: Bearer " + l.token}
	}
	return rounds.Load{Command: rounds.Wrk(c.connections, url, more...), Parse: rounds.ParseLine}
}

// dynoLoad is dyno as the generator, for which gateway and upstream are other programs: who
// else ran is found by the watch.
func (l *lab) dynoLoad(url string, c *campaign, flags ...string) rounds.Load {
	return rounds.Load{Parse: rounds.ParseDyno, Command: func(seconds int) []string {
		return append([]string{
			l.Dyno, "load", url, "--json", "-c", strconv.Itoa(c.connections), "-d", fmt.Sprint(seconds, "s"),
			"--max-errors", "100%", "--accept", "other-load",
		}, flags...)
	}}
}
