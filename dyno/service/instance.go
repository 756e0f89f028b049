package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"time"

	"dyno.example/dyno/probe"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
)

// Host is where services are started.
type Host struct {
	Catalog  *subject.Catalog // with the sources of what is built: the kit, and some servers
	Builder  *subject.Builder
	StateDir string // for the journal of what runs, "~/.dyno" by convention
	Temp     string // folder below which services get folders of their own; empty for the system's
	Base     string // folder that relative paths start at: the study's
	CPUs     []int  // of services that don't say theirs; nil for all
	// LogFile, if set, says where the log of a part will be kept.
	LogFile func(part string) string
	// Tell, if set, is called with what goes on, from one goroutine.
	Tell func(i18n.Message)
}

// Instance is a service that is ready. Its methods may be called from one goroutine at a
// time, but those of [Part] from another.
type Instance struct {
	def     study.Service
	asked   study.Service // as the study has it
	host    *Host
	env     map[string]string // of subjects: its addresses
	parts   []*Part
	version string
	startUp time.Duration
	secrets study.Secrets // made for it

	failed chan struct{} // closed when a part has ended by itself
	once   sync.Once
}

// Part is one server of a service: most have one; PostgreSQL's replica is another.
type Part struct {
	Name string
	cpus []int             // nil of one that was up already
	in   *subject.Instance // nil of one that was up already
	kit  *kit              // nil of what has no driver here
	page *metricsPage      // nil of what has no metrics endpoint
}

// Start starts a service, or attaches to one, waits until it is ready, and seeds it. The
// caller must call Stop on the instance. When Start fails, nothing is left running.
func Start(ctx context.Context, h *Host, def study.Service) (*Instance, error) {
	in := &Instance{def: def, asked: def, host: h, env: make(map[string]string), failed: make(chan struct{}), secrets: study.Secrets{}}
	began := time.Now()
	if err := in.start(ctx); err != nil {
		err = errors.Join(err, in.Stop(context.WithoutCancel(ctx)))
		if errors.As(err, new(*startError)) {
			return nil, in.hidden().Error(err)
		}
		return nil, i18n.Errorf("service.service", "service %s: %w", def.Name, in.hidden().Error(err))
	}
	in.startUp = time.Since(began)
	for _, p := range in.parts {
		if p.in != nil {
			go in.watch(p)
		}
	}
	return in, nil
}

func (in *Instance) start(ctx context.Context) error {
	if in.def.URL != "" {
		return in.attach(ctx)
	}
	switch in.def.Use {
	case study.Postgres:
		return in.startPostgres(ctx)
	case study.Redis:
		return in.startRedis(ctx)
	case study.Kafka:
		return in.startKafka(ctx)
	case study.Etcd:
		return in.startEtcd(ctx)
	case study.S3:
		return in.startS3(ctx)
	}
	return in.startCommand(ctx)
}

// Name returns the service's name.
func (in *Instance) Name() string { return in.def.Name }

// Definition is the service as the study has it.
func (in *Instance) Definition() study.Service { return in.asked }

// Version is what the service says of itself; empty if it doesn't.
func (in *Instance) Version() string { return in.version }

// StartUp is how long it took until it was ready and seeded.
func (in *Instance) StartUp() time.Duration { return in.startUp }

// Failed is closed when the service has ended by itself.
func (in *Instance) Failed() <-chan struct{} { return in.failed }

// Err says how it ended, if it has ended by itself.
func (in *Instance) Err() error {
	for _, p := range in.parts {
		if p.in == nil {
			continue
		}
		if err := p.in.Err(); err != nil {
			return in.host.withLog(p.Name, in.hidden().Error(err))
		}
	}
	return nil
}

func (in *Instance) watch(p *Part) {
	<-p.in.Done()
	if p.in.Err() != nil {
		in.once.Do(func() { close(in.failed) })
	}
}

// Stop ends all of the service and returns when nothing of it is left, nor its folders. It
// does nothing to one that was up already.
func (in *Instance) Stop(ctx context.Context) error {
	var errs []error
	for _, p := range slices.Backward(in.parts) {
		p.kit.close()
		p.page.close()
		if p.in != nil {
			errs = append(errs, p.in.Stop(ctx))
		}
	}
	return errors.Join(errs...)
}

// Probes are what the parts are watched by.
func (in *Instance) Probes() (list []probe.Service) {
	for _, p := range in.parts {
		one := probe.Service{Name: p.Name}
		if p.in != nil {
			one.PID = p.in.PID()
		}
		switch {
		case p.kit != nil:
			one.Read = p.kit.read
		case p.page != nil:
			one.Read = p.page.read
		}
		list = append(list, one)
	}
	return list
}

// recipe is how one part is started.
type recipe struct {
	name    string
	shell   string // executed in a folder of its own
	env     map[string]string
	runAs   *subject.Account
	cpus    []int
	stop    syscall.Signal
	kind    string                // of the kit; empty for none
	address func(port int) string // where the kit finds it
	check   func(ctx context.Context, port int) error
	within  time.Duration
	grace   time.Duration
}

// run starts one part, waits until it is ready, and adds it.
func (in *Instance) run(ctx context.Context, r recipe) (*Part, error) {
	p := &Part{Name: r.name}
	check := r.check
	if r.kind != "" {
		check = func(ctx context.Context, port int) (err error) {
			if p.kit == nil || p.kit.url != r.address(port) {
				p.kit.close()
				if p.kit, err = openKit(ctx, in.host, r.kind, r.address(port)); err != nil {
					return err
				}
			}
			return p.kit.do(ctx, order{Do: "ready", Limit: onePoll})
		}
	}
	if in.def.ReadyWithin != 0 {
		r.within = in.def.ReadyWithin
	}
	if r.cpus == nil {
		r.cpus = in.def.CPUs
	}
	if r.cpus == nil {
		r.cpus = in.host.CPUs
	}
	server, err := subject.Start(ctx, subject.StartSpec{
		Name: r.name, Called: i18n.New("service.a-service", "service %s", r.name), Shell: r.shell, Env: r.env, Folder: in.host.temp(), RunAs: r.runAs, StopSignal: r.stop,
		Check: check, Timeout: r.within, Grace: r.grace, Port: in.def.Port, CPUs: r.cpus, StateDir: in.host.StateDir,
	})
	if err != nil {
		p.kit.close()
		return nil, &startError{err}
	}
	p.in, p.cpus = server, r.cpus
	in.parts = append(in.parts, p)
	return p, nil
}

// startError says which part can't be started, and why.
type startError struct{ error }

func (e *startError) Unwrap() error { return e.error }

// onePoll is how long one look at whether a service is ready may take.
const onePoll = 2 * time.Second

// local is the address of a port here.
func local(scheme string, port int) string { return fmt.Sprintf("%s127.0.0.1:%d", scheme, port) }
