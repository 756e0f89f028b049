//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"dyno.example/dyno/bench/rounds"
)

// campaign is one question, put to some servers.
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
	*rounds.Trial
	lab     *lab
	up      *running
	seconds int
	rate    float64 // half of the server's capacity, if the campaign asks for capacities
}

// Around every load: starting the server, warming up, stopping it.
const aroundClosed = 1500 * time.Millisecond

// campaigns are all of them as they are carried out.
func (l *lab) campaigns() (all []rounds.Campaign) {
	for _, c := range campaigns() {
		all = append(all, rounds.Campaign{
			Name: c.Name, Question: c.Question, Seconds: c.Seconds, Connections: connections, Aside: c.Aside, Show: c.Show,
			Arms: func(ctx context.Context, r *rounds.Record) ([]rounds.Arm, error) { return l.arms(ctx, &c, r) },
		})
	}
	return append(all, l.buildsCampaign())
}

// arms are those of a campaign whose servers could be made.
func (l *lab) arms(ctx context.Context, c *campaign, r *rounds.Record) (all []rounds.Arm, err error) {
	arms := c.Arms
	if !l.Options.Plan {
		if arms, err = l.build(ctx, arms, r); err != nil {
			return nil, err
		}
		if c.Capacities {
			if err := l.capacities(ctx, arms, r); err != nil {
				return nil, err
			}
		}
	}
	for _, a := range arms {
		all = append(all, rounds.Arm{
			Tools: []string{a.Server}, Level: a.Level, Takes: time.Duration(r.Settings.Seconds)*time.Second + c.Around,
			Measure: func(ctx context.Context, _ int) ([]rounds.Trial, error) {
				return l.measure(ctx, &a, r.Settings.Seconds, r.Ceilings[a.Server]*tailShare)
			},
		})
	}
	return all, nil
}

// measure carries out one trial on a server of its own.
func (l *lab) measure(ctx context.Context, a *arm, seconds int, rate float64) ([]rounds.Trial, error) {
	start := func(ctx context.Context) (*rounds.Server, error) { return l.start(ctx, a.Server) }
	return rounds.OnServer(ctx, rounds.Trial{Tool: a.Server, Level: a.Level}, start, func(ctx context.Context, s *rounds.Server, to *rounds.Trial) error {
		up := &running{Server: s, scheme: "http"}
		if l.programs[a.Server].tls {
			up.scheme = "https"
		}
		return a.Measure(ctx, &trial{Trial: to, lab: l, up: up, seconds: seconds, rate: rate})
	})
}

// capacities finds what each server does in a closed loop, once for a record.
func (l *lab) capacities(ctx context.Context, arms []arm, r *rounds.Record) error {
	if r.Ceilings == nil {
		r.Ceilings = make(map[string]float64)
	}
	for _, a := range arms {
		if r.Ceilings[a.Server] > 0 {
			continue
		}
		found, err := l.measure(ctx, &arm{Server: a.Server, Measure: closed("/plaintext", connections, 1)}, capacitySeconds, 0)
		if err != nil {
			return fmt.Errorf("capacity of %s: %w", a.Server, err)
		}
		if why := found[0].Failed; why != "" {
			return fmt.Errorf("capacity of %s: %s", a.Server, why)
		}
		r.Ceilings[a.Server] = found[0].Figures["requests_per_s"]
		fmt.Printf("%-14s does %.0f requests/s in a closed loop\n", a.Server, r.Ceilings[a.Server])
	}
	return r.Save()
}
