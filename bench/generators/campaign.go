//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"dyno/lab/machine"
)

// campaign answers one question by rounds of interleaved trials.
type campaign struct {
	Name     string
	Question string
	Seconds  int // length of a trial unless -seconds says otherwise
	// Arms lists what is repeated. It may measure first what levels depend on.
	Arms func(ctx context.Context, l *lab, r *record) ([]arm, error)
	// Show says how the record is summarised.
	Show presentation
}

// campaigns in the order in which "all" runs them.
func campaigns() []campaign {
	return []campaign{
		cpuCampaign(), tlsCampaign(), connectCampaign(), timersCampaign(), pacingCampaign(),
		truthCampaign(), frozenCampaign(), memoryCampaign(), toolsCampaign(), soakCampaign(),
	}
}

// run carries a campaign out, or goes on with one that was interrupted.
func (c *campaign) run(ctx context.Context, l *lab) (*record, error) {
	r, err := c.open(l)
	if err != nil {
		return nil, err
	}
	arms, err := c.Arms(ctx, l, r)
	if err != nil {
		return r, err
	}
	arms = l.choose(arms, r)
	l.noteVersions(r, arms)
	todo := r.todo(arms)
	fmt.Printf("\n%s: %s\n%d trials to go, about %s; the record is %s\n", c.Name, c.Question, len(todo), duration(todo), r.path)
	for _, why := range r.LeftOut {
		fmt.Println("left out:", why)
	}
	if l.options.plan {
		return r, nil
	}
	for i, next := range todo {
		t, err := l.measure(ctx, next.arm)
		if err != nil {
			return r, err
		}
		t.Round = next.round
		r.Trials = append(r.Trials, t)
		if err := r.save(); err != nil {
			return r, err
		}
		fmt.Printf("%4d/%d  %s\n", i+1, len(todo), t.line())
	}
	return r, nil
}

// open starts a record, or reads the one of that name.
func (c *campaign) open(l *lab) (*record, error) {
	o := l.options
	path := filepath.Join(o.out, o.name+"-"+c.Name+".json")
	wanted := settings{Rounds: o.rounds, Seconds: c.seconds(o), Connections: o.connections, Seed: o.seed}
	if exists(path) {
		r, err := readRecord(path)
		if err != nil {
			return nil, err
		}
		if r.Settings != wanted {
			return nil, fmt.Errorf("%s was begun with %+v, not with %+v: give the same flags, or another -name", path, r.Settings, wanted)
		}
		return r, nil
	}
	return &record{
		Version: recordVersion, What: c.Name, Started: time.Now(), Command: l.commandLine(), Machine: machine.Read(),
		Versions: make(map[string]string), Settings: wanted, path: path,
	}, nil
}

func (c *campaign) seconds(o options) int {
	if o.seconds > 0 {
		return o.seconds
	}
	return c.Seconds
}

// noteVersions asks each tool once.
func (l *lab) noteVersions(r *record, arms []arm) {
	for i := range arms {
		t := &arms[i].Tool
		if path, ok := t.locate(l.peers); ok && r.Versions[t.Program] == "" && t.Program != l.self && t.Program != l.dyno {
			r.Versions[t.Program] = t.version(path)
		}
	}
}

// turn is one trial that is still to be done.
type turn struct {
	round int
	arm   *arm
}

// todo lists the trials not yet in the record: round by round, each in an order
// of its own that follows from the seed.
func (r *record) todo(arms []arm) []turn {
	var turns []turn
	for round := range r.Settings.Rounds {
		random := rand.New(rand.NewPCG(r.Settings.Seed, uint64(round)))
		for _, k := range random.Perm(len(arms)) {
			a := &arms[k]
			if a.Rounds > 0 && round >= a.Rounds || r.has(round, a.Tool.Name, a.Level) {
				continue
			}
			turns = append(turns, turn{round, a})
		}
	}
	return turns
}

func duration(turns []turn) time.Duration {
	sum := 0.0
	for _, t := range turns {
		sum += t.arm.seconds()
	}
	return time.Duration(sum) * time.Second
}

// line shows a trial while the campaign runs.
func (t *trial) line() string {
	s := fmt.Sprintf("round %d  %-12s %-16s", t.Round+1, t.Tool, t.Level)
	if t.Failed != "" {
		return s + "failed: " + t.Failed
	}
	s += fmt.Sprintf("%8.0f requests/s  %7.2f µs CPU/request", t.Figures["requests_per_s"], t.Figures["cpu_us_per_request"])
	if t.Disturbed != "" {
		s += "  (" + t.Disturbed + ")"
	}
	return s
}
