//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"dyno/bench/rounds"
	"dyno/lab/machine"
)

// campaign answers one question by rounds of interleaved trials.
type campaign struct {
	Name     string
	Question string
	Seconds  int // length of a trial's load unless -seconds says otherwise
	Around   time.Duration
	Arms     []arm
	Show     rounds.Summary
	// Aside is a campaign that "all" leaves out: it compares no products.
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

func (c *campaign) seconds(asked int) int {
	if asked > 0 {
		return asked
	}
	return c.Seconds
}

// duration is how long so many trials take, about.
func (c *campaign) duration(asked, trials int) time.Duration {
	took := time.Duration(trials) * (time.Duration(c.seconds(asked))*time.Second + c.Around)
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
	todo := pending(r, arms)
	fmt.Printf("\n%s: %s\n%d trials to go, about %v; the record is %s\n", c.Name, c.Question, len(todo), c.duration(l.options.seconds, len(todo)).Round(time.Second), r.Path)
	for i, turn := range todo {
		t, err := l.measure(ctx, c, &arms[turn.Arm], r)
		if err != nil {
			return nil, err
		}
		t.Round = turn.Round
		r.Trials = append(r.Trials, t)
		if err := r.Save(); err != nil {
			return nil, err
		}
		fmt.Printf("%4d/%d  %s\n", i+1, len(todo), t.Line())
	}
	return r, nil
}

// fresh is the record of a campaign that has not begun.
func (l *lab) fresh(c *campaign) *rounds.Record {
	o := l.options
	return &rounds.Record{
		Version: rounds.RecordVersion, What: c.Name, Started: time.Now(), Machine: machine.Read(),
		Command:  append([]string{"go", "run", "./bench/servers"}, os.Args[1:]...),
		Versions: l.versions(), Path: filepath.Join(o.out, o.name+"-"+c.Name+".json"),
		Settings: rounds.Settings{Rounds: o.rounds, Seconds: c.seconds(o.seconds), Connections: connections, Seed: o.seed},
	}
}

// pending lists the turns that are not in the record yet.
func pending(r *rounds.Record, arms []arm) []rounds.Turn {
	var turns []rounds.Turn
	for _, t := range r.Turns(len(arms)) {
		if !r.Has(t.Round, arms[t.Arm].Server, arms[t.Arm].Level) {
			turns = append(turns, t)
		}
	}
	return turns
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
		lab:   l, up: up, seconds: c.seconds(l.options.seconds), rate: r.Ceilings[a.Server] * tailShare,
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
