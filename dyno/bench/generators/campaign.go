//go:build linux

package main

import (
	"context"

	"dyno.example/dyno/bench/rounds"
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

// campaigns are those as they are carried out.
func (l *lab) campaigns() (all []rounds.Campaign) {
	for _, c := range campaigns() {
		all = append(all, rounds.Campaign{
			Name: c.Name, Question: c.Question, Seconds: c.Seconds, Show: c.Show,
			Arms: func(ctx context.Context, r *rounds.Record) ([]rounds.Arm, error) { return l.arms(ctx, &c, r) },
		})
	}
	return all
}

// arms are those of a campaign whose tools are here and can do the job.
func (l *lab) arms(ctx context.Context, c *campaign, r *rounds.Record) (all []rounds.Arm, err error) {
	arms, err := c.Arms(ctx, l, r)
	if err != nil {
		return nil, err
	}
	arms = l.choose(arms, r)
	l.noteVersions(ctx, r, arms)
	for _, a := range arms {
		all = append(all, rounds.Arm{
			Tools: []string{a.Tool.Name}, Level: a.Level, Rounds: a.Rounds, Takes: a.takes(),
			Measure: func(ctx context.Context, _ int) ([]rounds.Trial, error) {
				t, err := l.measure(ctx, &a)
				return []rounds.Trial{t}, err
			},
		})
	}
	return all, nil
}

// summary is how the record is shown.
func (c *campaign) summary() *rounds.Summary {
	s := c.Show
	s.Name, s.Question, s.First = c.Name, c.Question, "dyno"
	return &s
}

// noteVersions asks each tool once.
func (l *lab) noteVersions(ctx context.Context, r *rounds.Record, arms []arm) {
	for i := range arms {
		t := &arms[i].Tool
		if path, ok := t.locate(l.peers); ok && r.Versions[t.Program] == "" && t.Program != l.Self && t.Program != l.Dyno {
			r.Versions[t.Program] = t.version(ctx, path)
		}
	}
}
