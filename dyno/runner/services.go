package runner

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/service"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
)

// services are those of the study, and those of its subjects' manifests whose kind the
// study doesn't have.
func (b *builder) services() []study.Service {
	all := slices.Clone(b.study.Services)
	for _, sub := range b.study.Subjects {
		if sub.Use == "" {
			continue
		}
		m, err := b.catalog.Get(sub.Use)
		if err != nil {
			continue // said when it is built
		}
		for _, kind := range m.Services {
			if !slices.ContainsFunc(all, func(s study.Service) bool { return s.Use == kind }) {
				all = append(all, study.DefaultService(kind))
			}
		}
	}
	return all
}

// startServices starts what the subjects stand on.
func (p *preparation) startServices(ctx context.Context) (err error) {
	defs := p.builder.services()
	if len(defs) == 0 {
		return nil
	}
	host := &service.Host{
		Catalog: p.builder.catalog, StateDir: p.starter.stateDir, CPUs: p.starter.places.ofServices(), LogFile: archive.ServiceLog,
		Tell: func(line i18n.Message) { p.tell(Event{Kind: Serving, Line: line}) },
	}
	host.Builder = &subject.Builder{Dir: p.builder.cacheDir, Progress: func(line string) { host.Tell(i18n.Verbatim(line)) }}
	if !strings.HasPrefix(p.study.Path, "builtin:") {
		host.Base = filepath.Dir(p.study.Path)
	}
	if p.services, err = service.StartAll(ctx, host, defs); err != nil {
		return err
	}
	for _, in := range p.services.Instances() {
		p.tell(Event{Kind: Serving, Line: i18n.New("runner.service-is-ready", "%s is ready", strings.TrimSpace(in.Name()+" "+in.Version()))})
	}
	return nil
}

// prepareServices makes them ready for the next trial, or for all that take turns.
func (p *preparation) prepareServices(ctx context.Context) error {
	if err := p.services.Prepare(ctx); err != nil {
		return err
	}
	p.starter.services = p.services.Env()
	return nil
}

// stopServices ends them. What can't be ended is in the journal for the next run.
func (p *preparation) stopServices() {
	if err := p.services.Stop(context.Background()); err != nil {
		p.tell(Event{Kind: Serving, Line: i18n.From(err)})
	}
}

// keepServiceLogs archives what the services have printed until now. No figure rests on it:
// a failure to keep it is reported, and ends nothing.
func (e *execution) keepServiceLogs(w *archive.Writer) {
	for _, one := range e.ready.services.Logs() {
		if err := w.AddServiceLog(one.Name, one.Text); err != nil {
			e.tell(Event{Kind: Serving, Line: i18n.New("runner.service-log-not-kept", "the log of service %s is not kept, which changes no figure: %v", one.Name, i18n.From(err))})
		}
	}
}

// archivedServices are the services as a run's manifest has them.
func (p *preparation) archivedServices() (list []archive.Service) {
	for _, in := range p.services.Instances() {
		def := in.Definition()
		one := archive.Service{Name: def.Name, Kind: def.Use, Version: in.Version(), StartUp: in.StartUp(), Settings: def.Settings, Reset: def.Reset, Up: def.URL != ""}
		if def.Replica != nil {
			one.Replica = true
		}
		list = append(list, one)
	}
	return list
}
