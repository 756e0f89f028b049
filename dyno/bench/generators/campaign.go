//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/machine"
)

// campaign answers one question by rounds of interleaved trials.
type campaign struct {
	Name     string
	Question string
	Seconds  int // length of a trial unless -seconds says otherwise
	// Arms lists what is repeated. It may measure first what levels depend on.
	Arms func(ctx context.Context, l *lab, r *rounds.Record) ([]arm, error)
	// Show says how the record is summarised.
	Show rounds.Summary
}

// campaigns in the order in which "all" runs them.
func campaigns() []campaign {
	return []campaign{
		cpuCampaign(), tlsCampaign(), h2Campaign(), connectCampaign(), timersCampaign(), pacingCampaign(),
		truthCampaign(), frozenCampaign(), memoryCampaign(), toolsCampaign(), soakCampaign(), grpcCampaign(),
	}
}

// run carries a campaign out, or goes on with one that was interrupted.
func (c *campaign) run(ctx context.Context, l *lab) (*rounds.Record, error) {
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
	todo := r.Pending(named(arms))
	fmt.Printf("\n%s: %s\n%d trials to go, about %s; the record is %s\n", c.Name, c.Question, len(todo), duration(todo, arms), r.Path)
	for _, why := range r.LeftOut {
		fmt.Println("left out:", why)
	}
	if l.options.Plan {
		return r, nil
	}
	return r, r.Carry(todo, func(arm int) (rounds.Trial, error) { return l.measure(ctx, &arms[arm]) })
}

// open starts a record, or reads the one of that name.
func (c *campaign) open(l *lab) (*rounds.Record, error) {
	o := &l.options
	return rounds.Open(&rounds.Record{
		Version: rounds.RecordVersion, What: c.Name, Started: time.Now(), Command: l.commandLine(), Machine: machine.Read(),
		Versions: make(map[string]string), Path: o.Path(c.Name),
		Settings: rounds.Settings{Rounds: o.Rounds, Seconds: o.Length(c.Seconds), Connections: o.connections, Seed: o.Seed},
	})
}

// summary is how the record is shown.
func (c *campaign) summary() *rounds.Summary {
	s := c.Show
	s.Name, s.Question, s.First = c.Name, c.Question, "dyno"
	return &s
}

// noteVersions asks each tool once.
func (l *lab) noteVersions(r *rounds.Record, arms []arm) {
	for i := range arms {
		t := &arms[i].Tool
		if path, ok := t.locate(l.peers); ok && r.Versions[t.Program] == "" && t.Program != l.self && t.Program != l.dyno {
			r.Versions[t.Program] = t.version(path)
		}
	}
}

// named are the arms as their trials name them.
func named(arms []arm) []rounds.Arm {
	names := make([]rounds.Arm, len(arms))
	for i := range arms {
		names[i] = rounds.Arm{Tool: arms[i].Tool.Name, Level: arms[i].Level, Rounds: arms[i].Rounds}
	}
	return names
}

func duration(turns []rounds.Turn, arms []arm) time.Duration {
	sum := 0.0
	for _, t := range turns {
		sum += arms[t.Arm].seconds()
	}
	return time.Duration(sum) * time.Second
}
