//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/machine"
)

// campaign answers one question by rounds of interleaved trials.
type campaign struct {
	Name     string
	Question string
	Seconds  int // length of a trial's load unless -seconds says otherwise
	Around   time.Duration
	Arms     []arm
	Show     rounds.Summary
	// Aside is a campaign that "all" leaves out: it compares no products, or is run
	// by its name.
	Aside bool
	// Capacities asks for each server's closed-loop capacity before the trials.
	Capacities bool
}

// arm is one server under one load: what is repeated in every round.
type arm struct {
	Server  string
	Level   string
	Measure func(ctx context.Context, t *trial) error
}

// trial is one turn of an arm: the server is up.
type trial struct {
	rounds.Trial
	lab     *lab
	up      *running
	seconds int
	rate    float64 // half of the server's capacity, if the campaign asks for capacities
}

// Around every load: starting the server, warming up, stopping it.
const aroundClosed = 1500 * time.Millisecond

// duration is how long so many trials take, about.
func (c *campaign) duration(o *rounds.Options, trials int) time.Duration {
	took := time.Duration(trials) * (time.Duration(o.Length(c.Seconds))*time.Second + c.Around)
	if c.Capacities {
		took += time.Duration(len(c.Arms)) * (capacitySeconds*time.Second + aroundClosed)
	}
	return took
}

// summary is how the record is shown.
func (c *campaign) summary() *rounds.Summary {
	s := c.Show
	s.Name, s.Question, s.First = c.Name, c.Question, "nano"
	return &s
}

// run carries a campaign out, or goes on with one that was interrupted.
func (l *lab) run(ctx context.Context, c *campaign) (*rounds.Record, error) {
	r, err := rounds.Open(l.fresh(c))
	if err != nil {
		return nil, err
	}
	arms, err := l.build(ctx, c.Arms, r)
	if err != nil {
		return nil, err
	}
	if c.Capacities {
		if err := l.capacities(ctx, arms, r); err != nil {
			return nil, err
		}
	}
	todo := r.Pending(named(arms))
	fmt.Printf("\n%s: %s\n%d trials to go, about %v; the record is %s\n", c.Name, c.Question, len(todo), c.duration(&l.options, len(todo)).Round(time.Second), r.Path)
	err = r.Carry(todo, func(arm int) (rounds.Trial, error) { return l.measure(ctx, c, &arms[arm], r) })
	return r, err
}

// fresh is the record of a campaign that has not begun.
func (l *lab) fresh(c *campaign) *rounds.Record {
	o := &l.options
	return &rounds.Record{
		Version: rounds.RecordVersion, What: c.Name, Started: time.Now(), Machine: machine.Read(),
		Command:  append([]string{"go", "run", "./nano/bench"}, os.Args[1:]...),
		Versions: l.versions(), Path: o.Path(c.Name),
		Settings: rounds.Settings{Rounds: o.Rounds, Seconds: o.Length(c.Seconds), Connections: connections, Seed: o.Seed},
	}
}

// named are the arms as their trials name them.
func named(arms []arm) []rounds.Arm {
	names := make([]rounds.Arm, len(arms))
	for i := range arms {
		names[i] = rounds.Arm{Tool: arms[i].Server, Level: arms[i].Level}
	}
	return names
}

// measure carries out one trial on a server of its own. A load that fails gives
// a failed trial, not an error.
func (l *lab) measure(ctx context.Context, c *campaign, a *arm, r *rounds.Record) (rounds.Trial, error) {
	up, err := l.start(ctx, a.Server)
	if err != nil {
		return rounds.Trial{}, err
	}
	t := &trial{
		Trial: rounds.Trial{Tool: a.Server, Level: a.Level, Started: time.Now(), Figures: make(map[string]float64)},
		lab:   l, up: up, seconds: l.options.Length(c.Seconds), rate: r.Ceilings[a.Server] * tailShare,
	}
	failed := a.Measure(ctx, t)
	if died := up.stop(); died != nil {
		failed = errors.Join(failed, died)
	}
	if ctx.Err() != nil {
		return rounds.Trial{}, ctx.Err()
	}
	if failed != nil {
		t.Failed = rounds.Tail(failed.Error())
	}
	return t.Trial, nil
}
