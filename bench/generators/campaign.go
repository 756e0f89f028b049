//go:build linux

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"dyno/bench/rounds"
	"dyno/lab/machine"
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
		cpuCampaign(), tlsCampaign(), connectCampaign(), timersCampaign(), pacingCampaign(),
		truthCampaign(), frozenCampaign(), memoryCampaign(), toolsCampaign(), soakCampaign(),
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
	todo := todo(r, arms)
	fmt.Printf("\n%s: %s\n%d trials to go, about %s; the record is %s\n", c.Name, c.Question, len(todo), duration(todo), r.Path)
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
		if err := r.Save(); err != nil {
			return r, err
		}
		fmt.Printf("%4d/%d  %s\n", i+1, len(todo), t.Line())
	}
	return r, nil
}

// open starts a record, or reads the one of that name.
func (c *campaign) open(l *lab) (*rounds.Record, error) {
	o := l.options
	return rounds.Open(&rounds.Record{
		Version: rounds.RecordVersion, What: c.Name, Started: time.Now(), Command: l.commandLine(), Machine: machine.Read(),
		Versions: make(map[string]string), Path: filepath.Join(o.out, o.name+"-"+c.Name+".json"),
		Settings: rounds.Settings{Rounds: o.rounds, Seconds: c.seconds(o), Connections: o.connections, Seed: o.seed},
	})
}

// summary is how the record is shown.
func (c *campaign) summary() *rounds.Summary {
	s := c.Show
	s.Name, s.Question, s.First = c.Name, c.Question, "dyno"
	return &s
}

func (c *campaign) seconds(o options) int {
	if o.seconds > 0 {
		return o.seconds
	}
	return c.Seconds
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

// turn is one trial that is still to be done.
type turn struct {
	round int
	arm   *arm
}

// todo lists the trials not yet in the record, in the order of its turns.
func todo(r *rounds.Record, arms []arm) []turn {
	var turns []turn
	for _, t := range r.Turns(len(arms)) {
		a := &arms[t.Arm]
		if a.Rounds > 0 && t.Round >= a.Rounds || r.Has(t.Round, a.Tool.Name, a.Level) {
			continue
		}
		turns = append(turns, turn{t.Round, a})
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
