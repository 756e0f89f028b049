package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"dyno/lab/archive"
	"dyno/lab/load"
	"dyno/lab/probe"
	"dyno/lab/study"
	"dyno/lab/subject"
)

// contender is a subject made ready for its trials.
type contender struct {
	study.Subject
	starts   map[string]subject.StartSpec // how to start it, by the flags it is built with; none if it is already up
	routes   []subject.Route              // the contract it must fulfil; nil if only the requests are known
	goProbe  bool                         // it can show its Go runtime
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

// shipped builds a subject that ships with dyno, once for each level of its
// build.
func (r *Runner) shipped(ctx context.Context, s study.Subject) (*contender, bool, error) {
	m, err := r.Catalog.Get(s.Use)
	if err != nil {
		return nil, false, err
	}
	if r.speaksTLS(s.Name) && !m.TLS {
		return nil, false, fmt.Errorf("it does not listen with TLS, so the factor tls can't be varied of it; %s does", "go/nethttp")
	}
	routes, err := r.Catalog.Routes(m)
	if err != nil {
		return nil, false, err
	}
	c := &contender{
		Subject: s, starts: make(map[string]subject.StartSpec), routes: routes, goProbe: m.Probe == "go",
		archived: archive.Subject{
			Name: s.Name, Language: m.Language, Framework: m.Framework, Version: m.Version, Role: string(m.Role),
			Command: m.Run, Env: merged(m.Env, s.Env), Limits: s.Limits,
		},
	}
	cached := true
	for _, flags := range r.flagsOf(s.Name) {
		artifact, err := r.build(ctx, s, m, flags)
		if err != nil {
			return nil, false, err
		}
		start := artifact.StartSpec()
		start.Name, start.Limits, start.Env = s.Name, limitsOf(s), merged(start.Env, s.Env)
		c.starts[flags] = start
		c.built(flags, artifact.Hash)
		cached = cached && artifact.Cached
	}
	return c, cached, nil
}

func (r *Runner) build(ctx context.Context, s study.Subject, m subject.Manifest, flags string) (*subject.Artifact, error) {
	m, err := m.WithBuildFlags(flags)
	if err != nil {
		return nil, err
	}
	builder := subject.Builder{Dir: r.CacheDir, Progress: func(line string) {
		r.tell(Event{Kind: BuildLine, Subject: s.Name, Line: line})
	}}
	return builder.Build(ctx, r.Catalog, m)
}

// own prepares a program of the user's, once for each level of its build.
func (r *Runner) own(ctx context.Context, s study.Subject) (*contender, bool, error) {
	c := &contender{
		Subject: s, starts: make(map[string]subject.StartSpec), goProbe: true, // it may import the helper too
		archived: archive.Subject{Name: s.Name, Role: "own", Command: s.Run, Env: s.Env, Limits: s.Limits},
	}
	for _, flags := range r.flagsOf(s.Name) {
		own, err := r.ownBuild(s, flags)
		if err != nil {
			return nil, false, err
		}
		c.archived.Version = revision(ctx, own.Dir)
		err = own.Prepare(ctx, "", func(line string) {
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
		c.starts[flags] = start
	}
	return c, s.Build == "", nil
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
	trust, err := r.trust(c, cell)
	if err != nil {
		return nil, fmt.Errorf("subject %s: %w", c.Name, err)
	}
	in, err := r.begin(ctx, c, cell, probeEnv, log)
	if err != nil {
		return nil, err
	}
	verifier := &subject.Verifier{TLS: trust}
	if c.routes != nil {
		err = verifier.Verify(ctx, in.URL(), c.routes)
	}
	if err == nil {
		err = verifyRequests(ctx, verifier, in.URL(), cell)
	}
	if err != nil {
		return nil, errors.Join(&subjectError{fmt.Errorf("subject %s: %w", c.Name, err)}, in.Stop(context.WithoutCancel(ctx)))
	}
	return in, nil
}

// subjectError is an error that is the subject's own fault.
type subjectError struct{ error }

func (e *subjectError) Unwrap() error { return e.error }

// faultOf says whose fault it is that a trial failed: the subject's if it was
// executed and did not get ready, answered wrongly, or ended by itself.
func faultOf(err error) archive.Fault {
	var own *subjectError
	var start *subject.StartError
	if errors.As(err, &own) || errors.As(err, &start) && !start.PortTaken() {
		return archive.OfSubject
	}
	return ""
}

// verifyRequests asks for what the cell asks for, once.
func verifyRequests(ctx context.Context, v *subject.Verifier, url string, cell *study.Cell) error {
	examples, err := load.Examples(cell.Asked(), cell.Feeds)
	if err != nil {
		return err
	}
	return v.VerifyRequests(ctx, url, examples)
}

// begin starts the contender as the cell's levels say, or attaches to it.
func (r *Runner) begin(ctx context.Context, c *contender, cell *study.Cell, probeEnv map[string]string, log string) (*subject.Instance, error) {
	if c.URL != "" {
		return subject.Attach(c.Name, c.URL)
	}
	start, err := c.starts[cell.BuildFlags].WithArgs(cell.Args)
	if err != nil {
		return nil, err
	}
	if start.CPUs, err = cell.PickCPUs(r.placement.Subject, r.online); err != nil {
		return nil, fmt.Errorf("subject %s: %w", c.Name, err)
	}
	start.Env = merged(probeEnv, start.Env, cell.Env)
	if cell.TLS != "" {
		start.TLS = r.certificate.config()
		maps.Copy(start.Env, r.certificate.env())
	}
	start.Limits = limitsFor(c, cell)
	start.Log, start.StateDir = log, r.StateDir
	return subject.Start(ctx, start)
}

// check starts every contender once, and once more for each other program or
// command line that its levels make of it, and verifies its answers, so that a
// study fails before hours of measuring rather than after.
func (r *Runner) check(ctx context.Context) error {
	for _, s := range r.Study.Subjects {
		r.tell(Event{Kind: Checking, Subject: s.Name})
		for _, cell := range r.variants(s.Name) {
			if err := r.checkCell(ctx, s, cell); err != nil {
				return err
			}
		}
		r.tell(Event{Kind: Checked, Subject: s.Name})
	}
	return nil
}

// checkMetrics asks for a contender's metrics once.
func (r *Runner) checkMetrics(url string, c *contender, cell *study.Cell) error {
	trust, err := r.metricsTrust(c, cell, url)
	if err != nil {
		return err
	}
	return probe.CheckMetrics(url, trust)
}

// checkCell starts a subject as for a cell, and asks for what all cells ask.
func (r *Runner) checkCell(ctx context.Context, s study.Subject, cell *study.Cell) error {
	all := *cell
	all.Requests = r.Study.Requests
	in, err := r.instance(ctx, r.contenders[s.Name], &all, nil, "")
	if err != nil {
		return err
	}
	if url := s.MetricsURL(in.URL()); url != "" {
		err = r.checkMetrics(url, r.contenders[s.Name], cell)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("subject %s: %w", s.Name, err), in.Stop(context.WithoutCancel(ctx)))
	}
	if err := in.Stop(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("stopping subject %s: %w", s.Name, err)
	}
	return nil
}
