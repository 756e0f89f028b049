package runner

import (
	"context"
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
)

// upstreams reports whether some subject forwards requests to another program.
func (b *builder) upstreams() bool {
	return slices.ContainsFunc(b.study.Subjects, func(s study.Subject) bool {
		if s.Upstream != "" || s.Use == "" {
			return s.Upstream != ""
		}
		m, err := b.catalog.Get(s.Use)
		return err == nil && m.Upstream != ""
	})
}

// upstream builds what a contender forwards requests to, and notes how it is started.
func (b *builder) upstream(ctx context.Context, c *contender, name string) (cached bool, err error) {
	if name == "" {
		return true, nil
	}
	m, err := b.catalog.Get(name)
	if err != nil {
		return false, i18n.Errorf("runner.upstream", "its upstream: %w", err)
	}
	artifact, err := b.build(ctx, study.Subject{Name: c.Name}, m, "")
	if err != nil {
		return false, i18n.Errorf("runner.upstream-by-name", "its upstream %s: %w", name, err)
	}
	start := artifact.StartSpec()
	start.Name = c.Name + "'s upstream"
	c.upstream = &start
	c.archived.Upstream = &archive.Upstream{Name: name, Framework: m.Framework, Version: m.Version, BuildHash: artifact.Hash}
	return artifact.Cached, nil
}

// upstream says how to start what the contender forwards requests to, on CPUs other than
// the subject's. It has the subject's variables, so that studies can vary what it does.
func (s *starter) upstream(c *contender, cell *study.Cell) *subject.StartSpec {
	if c.upstream == nil {
		return nil
	}
	up := *c.upstream
	up.Env = merged(s.services, c.Env, up.Env, cell.Env)
	up.CPUs, up.StateDir = s.places.ofUpstream(), s.stateDir
	return &up
}

// keepers are the processes that a subject and its upstream run under.
func keepers(in *subject.Instance) (list []int) {
	for ; in != nil; in = in.Upstream() {
		if pid := in.Keeper(); pid != 0 {
			list = append(list, pid)
		}
	}
	return list
}

// upstreamPID is the first process of a subject's upstream, 0 of none.
func upstreamPID(in *subject.Instance) int {
	if up := in.Upstream(); up != nil {
		return up.PID()
	}
	return 0
}
