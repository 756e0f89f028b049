package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"dyno/lab/archive"
	"dyno/lab/load"
	"dyno/lab/probe"
	"dyno/lab/study"
	"dyno/lab/subject"
)

// contender is a subject made ready for its trials.
type contender struct {
	study.Subject
	start    subject.StartSpec // how to start it; unused if it is already up
	routes   []subject.Route   // the contract it must fulfil; nil if only the requests are known
	goProbe  bool              // it can show its Go runtime
	archived archive.Subject
}

// prepare builds every subject of the study.
func (r *Runner) prepare(ctx context.Context) error {
	for _, s := range r.Study.Subjects {
		r.tell(Event{Kind: Building, Subject: s.Name})
		c, cached, err := r.contender(ctx, s)
		if err != nil {
			return fmt.Errorf("subject %s: %w", s.Name, err)
		}
		r.contenders[s.Name] = c
		e := Event{Kind: Built, Subject: s.Name}
		if cached {
			e.Line = "cached"
		}
		r.tell(e)
	}
	return nil
}

func (r *Runner) contender(ctx context.Context, s study.Subject) (*contender, bool, error) {
	switch {
	case s.URL != "":
		c := &contender{Subject: s, archived: archive.Subject{Name: s.Name, Role: "own", URL: s.URL}}
		return c, true, nil
	case s.Use != "":
		return r.shipped(ctx, s)
	}
	return r.own(ctx, s)
}

// shipped builds a subject that ships with dyno.
func (r *Runner) shipped(ctx context.Context, s study.Subject) (*contender, bool, error) {
	m, err := r.Catalog.Get(s.Use)
	if err != nil {
		return nil, false, err
	}
	builder := subject.Builder{Dir: r.CacheDir, Progress: func(line string) {
		r.tell(Event{Kind: BuildLine, Subject: s.Name, Line: line})
	}}
	artifact, err := builder.Build(ctx, r.Catalog, m)
	if err != nil {
		return nil, false, err
	}
	routes, err := r.Catalog.Routes(m)
	if err != nil {
		return nil, false, err
	}
	start := artifact.StartSpec()
	start.Name, start.Limits = s.Name, limitsOf(s)
	start.Env = merged(start.Env, s.Env)
	env := merged(m.Env, s.Env)
	return &contender{
		Subject: s, start: start, routes: routes, goProbe: m.Probe == "go",
		archived: archive.Subject{
			Name: s.Name, Language: m.Language, Framework: m.Framework, Version: m.Version, Role: string(m.Role),
			BuildHash: artifact.Hash, Command: m.Run, Env: env, Limits: s.Limits,
		},
	}, artifact.Cached, nil
}

// own prepares a program of the user's.
func (r *Runner) own(ctx context.Context, s study.Subject) (*contender, bool, error) {
	dir := s.Dir
	if !filepath.IsAbs(dir) && !strings.HasPrefix(r.Study.Path, "builtin:") {
		dir = filepath.Join(filepath.Dir(r.Study.Path), dir)
	}
	own := subject.Own{Name: s.Name, Build: s.Build, Run: s.Run, Dir: dir, Env: s.Env, Ready: s.Ready}
	err := own.Prepare(ctx, "", func(line string) {
		r.tell(Event{Kind: BuildLine, Subject: s.Name, Line: line})
	})
	if err != nil {
		return nil, false, err
	}
	start, err := own.StartSpec()
	if err != nil {
		return nil, false, err
	}
	start.Limits = limitsOf(s)
	return &contender{
		Subject: s, start: start, goProbe: true, // it may import the helper too
		archived: archive.Subject{Name: s.Name, Role: "own", Command: s.Run, Env: s.Env, Limits: s.Limits},
	}, s.Build == "", nil
}

// merged returns the union of the maps; later ones win.
func merged(envs ...map[string]string) map[string]string {
	all := make(map[string]string)
	for _, env := range envs {
		maps.Copy(all, env)
	}
	return all
}

// instance starts the contender, or attaches to it, and verifies its answers.
// In its environment the cell's levels win over the subject's own settings, and
// these over probeEnv, so that a study can leave the probe out.
func (r *Runner) instance(ctx context.Context, c *contender, cell *study.Cell, probeEnv map[string]string, log string) (*subject.Instance, error) {
	in, err := r.begin(ctx, c, merged(probeEnv, c.start.Env, cell.Env), log)
	if err != nil {
		return nil, err
	}
	if c.routes != nil {
		err = subject.Verify(ctx, in.URL(), c.routes)
	}
	if err == nil {
		err = verifyRequests(ctx, in.URL(), cell)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("subject %s: %w", c.Name, err), in.Stop(context.WithoutCancel(ctx)))
	}
	return in, nil
}

// verifyRequests asks for what the cell asks for, once.
func verifyRequests(ctx context.Context, url string, cell *study.Cell) error {
	examples, err := load.Examples(cell.Requests, cell.Feeds)
	if err != nil {
		return err
	}
	return subject.VerifyRequests(ctx, url, examples)
}

func (r *Runner) begin(ctx context.Context, c *contender, env map[string]string, log string) (*subject.Instance, error) {
	if c.URL != "" {
		return subject.Attach(c.Name, c.URL)
	}
	start := c.start
	start.Env, start.CPUs, start.Log, start.StateDir = env, r.placement.Subject, log, r.StateDir
	return subject.Start(ctx, start)
}

// check starts every contender once and verifies its answers, so that a study
// fails before hours of measuring rather than after.
func (r *Runner) check(ctx context.Context) error {
	for _, s := range r.Study.Subjects {
		r.tell(Event{Kind: Checking, Subject: s.Name})
		// Started as for its first cell, and asked for what all cells ask.
		all := *r.firstCell(s.Name)
		all.Requests = r.Study.Requests
		in, err := r.instance(ctx, r.contenders[s.Name], &all, nil, "")
		if err != nil {
			return err
		}
		if url := s.MetricsURL(in.URL()); url != "" {
			err = probe.CheckMetrics(url)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("subject %s: %w", s.Name, err), in.Stop(context.WithoutCancel(ctx)))
		}
		if err := in.Stop(context.WithoutCancel(ctx)); err != nil {
			return fmt.Errorf("stopping subject %s: %w", s.Name, err)
		}
		r.tell(Event{Kind: Checked, Subject: s.Name})
	}
	return nil
}

func (r *Runner) firstCell(subject string) *study.Cell {
	for i := range r.Plan.Cells {
		if r.Plan.Cells[i].Subject == subject {
			return &r.Plan.Cells[i]
		}
	}
	panic("runner: a subject without a cell: " + subject)
}
