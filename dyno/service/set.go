package service

import (
	"context"
	"errors"
	"maps"
	"sync"

	"dyno.example/dyno/probe"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// Set is all services of a study, started.
type Set struct {
	host      *Host
	instances []*Instance
	fresh     bool  // nothing has used them since they were seeded
	gone      []Log // of starts before the instances
}

// StartAll starts services, one after the other. If one can't be started, none is left.
func StartAll(ctx context.Context, h *Host, defs []study.Service) (*Set, error) {
	s := &Set{host: h, fresh: true}
	for i := range defs {
		h.tell(i18n.New("service.starting", "starting %s", defs[i].Name))
		in, err := Start(ctx, h, defs[i])
		if err != nil {
			return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
		}
		s.instances = append(s.instances, in)
	}
	return s, nil
}

func (h *Host) tell(m i18n.Message) {
	if h.Tell != nil {
		h.Tell(m)
	}
}

// Instances are the services, in the order of the study. The nil set has none.
func (s *Set) Instances() []*Instance {
	if s == nil {
		return nil
	}
	return s.instances
}

// Env are the variables by which subjects find the services.
func (s *Set) Env() map[string]string {
	env := make(map[string]string)
	for _, in := range s.Instances() {
		maps.Copy(env, in.env)
	}
	return env
}

// CPUs are those that the services run on, by the names of their parts.
func (s *Set) CPUs() map[string][]int {
	cpus := make(map[string][]int)
	for _, in := range s.Instances() {
		for _, p := range in.parts {
			cpus[p.Name] = p.cpus
		}
	}
	return cpus
}

// Ports are those that the services' parts listen on, each with the part's name. Those of
// services that were up already are not known.
func (s *Set) Ports() map[uint16]string {
	ports := make(map[uint16]string)
	for _, in := range s.Instances() {
		for _, p := range in.parts {
			if p.in != nil {
				ports[uint16(p.in.Port())] = p.Name
			}
		}
	}
	return ports
}

// Probes are what the services are watched by.
func (s *Set) Probes() (list []probe.Service) {
	for _, in := range s.Instances() {
		list = append(list, in.Probes()...)
	}
	return list
}

// Prepare makes the services ready for the next trial: it restarts those that have
// ended or are to be started for each trial, and resets the data of others.
func (s *Set) Prepare(ctx context.Context) error {
	if s == nil {
		return nil
	}
	fresh := s.fresh
	s.fresh = false
	for i := range s.instances {
		if err := s.prepare(ctx, i, fresh); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes one service ready for the next trial.
func (s *Set) prepare(ctx context.Context, i int, fresh bool) (err error) {
	in := s.instances[i]
	for _, p := range in.parts {
		if p.kit, err = p.kit.reopen(ctx, s.host); err != nil {
			return i18n.Errorf("service.service", "service %s: %w", in.def.Name, err)
		}
	}
	ended := in.Err()
	switch {
	case ended != nil:
		s.host.tell(i18n.New("service.started-anew", "restarted, as it ended between two trials: %v", i18n.From(ended)))
	case fresh:
		return nil
	case in.def.Reset == study.ResetTrial:
		err := in.reset(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil || errors.As(err, new(*behindError)) {
			return i18n.Errorf("service.resetting", "service %s: resetting its data: %w", in.def.Name, err)
		}
		// It may have died a moment ago, or have lost what it was reached by.
		s.host.tell(i18n.New("service.started-anew-for-data", "%s is restarted, as its data could not be set back: %v", in.def.Name, i18n.From(err)))
	case in.def.Reset != study.ResetRestart:
		return nil
	}
	again, err := s.restart(ctx, in)
	if err != nil {
		return err
	}
	s.instances[i] = again
	return nil
}

// restart stops an instance and starts its service again.
func (s *Set) restart(ctx context.Context, in *Instance) (*Instance, error) {
	s.gone = joined(s.gone, in.logs())
	if err := in.Stop(context.WithoutCancel(ctx)); err != nil {
		return nil, i18n.Errorf("service.service", "service %s: %w", in.def.Name, err)
	}
	return Start(ctx, s.host, in.asked)
}

// reset makes the data of a service as they were seeded.
func (in *Instance) reset(ctx context.Context) error {
	switch in.def.Use {
	case study.Postgres:
		return in.resetPostgres(ctx)
	case study.Redis:
		return in.resetRedis(ctx)
	}
	return in.resetKafka(ctx)
}

// Watch calls ended when one of the services has ended by itself, until ctx ends.
func (s *Set) Watch(ctx context.Context, ended func()) {
	var once sync.Once
	for _, in := range s.Instances() {
		go func() {
			select {
			case <-in.Failed():
				once.Do(ended)
			case <-ctx.Done():
			}
		}()
	}
}

// Err says which service has ended by itself, and how; nil if none has.
func (s *Set) Err() error {
	for _, in := range s.Instances() {
		if err := in.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Stop ends all services, the last first.
func (s *Set) Stop(ctx context.Context) error {
	var errs []error
	for i := len(s.Instances()) - 1; i >= 0; i-- {
		errs = append(errs, s.instances[i].Stop(ctx))
	}
	return errors.Join(errs...)
}
