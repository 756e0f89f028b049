package runner

import (
	"context"
	"errors"
	"os"

	"dyno.example/dyno/machine/busy"
	"dyno.example/dyno/machine/tune"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/service"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// preparation makes ready what the trials of a run need, and holds it while they
// last: none of it changes then.
type preparation struct {
	study      *study.Study
	cells      []study.Cell
	tell       func(Event)
	builder    builder
	tuner      *tune.Tuner
	starter    starter
	contenders map[string]*contender // by the names of their subjects
	scratch    string                // folder of the run's own, gone at its end
	services   *service.Set          // what the subjects stand on; nil for nothing
}

func newPreparation(r *Runner, tell func(Event)) *preparation {
	return &preparation{
		study: r.Study, cells: r.Plan.Cells, tell: tell, tuner: newTuner(r), starter: starter{stateDir: r.StateDir},
		builder: builder{study: r.Study, cells: r.Plan.Cells, catalog: r.Catalog, cacheDir: r.CacheDir, tell: tell},
	}
}

// run prepares all, or says what is in the way before hours of measuring.
func (p *preparation) run(ctx context.Context) (err error) {
	if err := p.tuner.PutBack(); err != nil {
		return i18n.Errorf("runner.restoring-settings", "putting back settings that an earlier run has left changed: %w", err)
	}
	if p.starter.places, err = choosePlaces(p.study, p.cells, p.builder.upstreams() || len(p.builder.services()) > 0); err != nil {
		return err
	}
	if err := checkSettings(p.tuner, p.study, p.cells); err != nil {
		return err
	}
	p.look(ctx)
	if p.scratch, err = newScratch(p.starter.stateDir); err != nil {
		return err
	}
	if p.starter.certificate, err = certificateFor(p.study, p.cells, p.scratch); err != nil {
		return err
	}
	if p.contenders, err = p.builder.all(ctx); err != nil {
		return err
	}
	if err := p.startServices(ctx); err != nil {
		return err
	}
	return p.check(ctx)
}

// close stops the services, and removes what was made for the run only.
func (p *preparation) close() {
	p.stopServices()
	p.starter.certificate.remove()
	if p.scratch != "" {
		os.RemoveAll(p.scratch)
	}
}

// look reports to observers which programs are busy on the CPUs of the run before
// anything is built or measured.
func (p *preparation) look(ctx context.Context) {
	s, err := busy.Look(ctx, p.starter.places.all(), 0)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		p.tell(Event{Kind: Busy, Line: i18n.New("runner.who-is-busy-unknown", "who else is busy on this machine can't be told: %v", err)})
	case s.Busy():
		p.tell(Event{Kind: Busy, Line: i18n.New("runner.trials-may-invalid", "%s; trials may be invalid", s)})
	}
}

// check starts every contender once, and once more for each other program, command line
// or protocol that its levels make of it, and verifies its responses, so that a study
// fails before hours of measuring rather than after.
func (p *preparation) check(ctx context.Context) error {
	for _, s := range p.study.Subjects {
		p.tell(Event{Kind: Checking, Subject: s.Name})
		for _, cell := range variants(p.cells, s.Name) {
			if err := p.checkCell(ctx, s, cell); err != nil {
				return err
			}
		}
		p.tell(Event{Kind: Checked, Subject: s.Name})
	}
	return nil
}

// checkCell starts a subject as a cell needs it, and sends the requests of all cells.
func (p *preparation) checkCell(ctx context.Context, s study.Subject, cell *study.Cell) error {
	all := *cell
	all.Requests = p.study.Requests
	if err := p.prepareServices(ctx); err != nil {
		return err
	}
	in, err := p.starter.instance(ctx, p.contenders[s.Name], &all, nil, "")
	if err != nil {
		return err
	}
	if url := s.MetricsURL(in.URL()); url != "" {
		err = p.checkMetrics(url, p.contenders[s.Name], cell)
	}
	if err != nil {
		return errors.Join(i18n.Errorf("runner.subject", "subject %s: %w", s.Name, err), in.Stop(context.WithoutCancel(ctx)))
	}
	if err := in.Stop(context.WithoutCancel(ctx)); err != nil {
		return i18n.Errorf("runner.stopping-subject", "stopping subject %s: %w", s.Name, err)
	}
	return nil
}

// checkMetrics requests a contender's metrics once.
func (p *preparation) checkMetrics(url string, c *contender, cell *study.Cell) error {
	trust, err := p.starter.certificate.metricsTrust(c, cell, url)
	if err != nil {
		return err
	}
	return probe.CheckMetrics(url, trust)
}

// maxVariants bounds how often a subject is started to be checked.
const maxVariants = 16

// variants are the first cells of a subject that start it as another program or
// with another command line, or speak another protocol with it.
func variants(cells []study.Cell, subject string) (first []*study.Cell) {
	type variant struct {
		flags, args, protocol string
		secure                bool
	}
	seen := make(map[variant]bool)
	for i := range cells {
		c := &cells[i]
		v := variant{c.BuildFlags, c.Args, c.Link.Protocol(), c.TLS != ""}
		if c.Subject != subject || seen[v] || len(seen) == maxVariants {
			continue
		}
		seen[v] = true
		first = append(first, c)
	}
	return first
}
