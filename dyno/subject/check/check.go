package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"dyno.example/dyno/load/request"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/service"
	"dyno.example/dyno/subject"
	"dyno.example/dyno/subject/contract"
	"dyno.example/internal/i18n"
)

// Checker checks subjects of a catalog.
type Checker struct {
	Catalog *subject.Catalog
	Builder *subject.Builder
	// OnBuild is called when a subject is built, with how long that took; from one
	// goroutine at a time. It may be nil.
	OnBuild  func(m subject.Manifest, took time.Duration, err error)
	StateDir string // for the journal of running subjects, "~/.dyno" by convention
	CPUs     []int  // that subjects run on; empty for all
	Patience int    // see [subject.StartSpec]
}

// built is the outcome of one build.
type built struct {
	artifact *subject.Artifact
	took     time.Duration
	err      error
}

// Builds are the outcomes of the builds of a plan.
type Builds map[string]built

// Build builds all items that can be, at most jobs of them at a time.
func (c *Checker) Build(ctx context.Context, items []Item, jobs int) Builds {
	var (
		mu      sync.Mutex
		all     = make(Builds)
		workers sync.WaitGroup
		turns   = make(chan struct{}, max(jobs, 1))
	)
	for i := range items {
		if !items[i].Ready() {
			continue
		}
		m := items[i].Manifest
		workers.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			began := time.Now()
			a, err := c.Builder.Build(ctx, c.Catalog, m)
			took := time.Since(began)
			mu.Lock()
			defer mu.Unlock()
			all[m.Name] = built{a, took, err}
			if c.OnBuild != nil && (err != nil || !a.Cached) {
				c.OnBuild(m, took, err)
			}
		})
	}
	workers.Wait()
	return all
}

// Try starts what was built of an item, verifies the whole contract, and stops it. The
// error is that ctx has ended; all else is in the result.
func (c *Checker) Try(ctx context.Context, item *Item, builds Builds) (Result, error) {
	m := item.Manifest
	r := Result{Name: m.Name, Language: m.Language, Framework: m.Framework, Version: m.VersionText(), Status: OK}
	if !item.Ready() {
		r.Status = Lacks
		var lines []string
		for _, lack := range item.Lacks {
			lines = append(lines, lack.Missing())
		}
		r.Problem = strings.Join(lines, "; ")
		return r, nil
	}
	b := builds[m.Name]
	err := b.err
	if err == nil {
		r.Cached, r.Size = b.artifact.Cached, b.artifact.Size()
		if !r.Cached {
			r.BuildTime = b.took
		}
		err = c.serve(ctx, b.artifact, &r)
	}
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	if err != nil {
		r.Status, r.Problem = Failed, err.Error()
	}
	return r, nil
}

// serve runs a subject through its life and notes its figures.
func (c *Checker) serve(ctx context.Context, a *subject.Artifact, r *Result) (err error) {
	dir, cleanUp, err := scratch(c.StateDir)
	if err != nil {
		return err
	}
	defer cleanUp()
	spec := a.StartSpec()
	spec.StateDir, spec.CPUs, spec.Log, spec.Patience = c.StateDir, c.CPUs, filepath.Join(dir, "log"), c.Patience
	if spec.Upstream, err = c.upstream(ctx, a.Manifest.Upstream); err != nil {
		return err
	}
	tells := a.Manifest.Probe != ""
	runtime, remove, err := probe.ListenForRuntime(dir)
	if err != nil {
		return err
	}
	defer remove()
	if tells {
		spec.Env = withAll(spec.Env, runtime.Env())
	}
	services, err := service.StartAll(ctx, &service.Host{Catalog: c.Catalog, Builder: c.Builder, StateDir: c.StateDir}, service.Of(&a.Manifest))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, services.Stop(context.WithoutCancel(ctx))) }()
	if len(a.Manifest.Services) > 0 {
		spec.Env = withAll(spec.Env, services.Env())
	}
	in, err := subject.Start(ctx, spec)
	if err != nil {
		return err
	}
	r.StartUp = in.StartUp()
	err = c.verify(ctx, a.Manifest, in.URL())
	if err == nil && tells {
		r.Tells, err = reported(ctx, runtime)
	}
	held(in.PID(), r)
	began := time.Now()
	err = errors.Join(err, in.Err(), in.Stop(context.WithoutCancel(ctx)))
	r.Stop = time.Since(began)
	return errors.Join(err, ended(in), quiet(spec.Log))
}

// upstream builds what a gateway sends requests on to, and says how to start it; nil if
// the subject is no gateway.
func (c *Checker) upstream(ctx context.Context, name string) (*subject.StartSpec, error) {
	if name == "" {
		return nil, nil
	}
	m, err := c.Catalog.Get(name)
	if err != nil {
		return nil, err
	}
	a, err := c.Builder.Build(ctx, c.Catalog, m)
	if err != nil {
		return nil, i18n.Errorf("runner.upstream", "its upstream: %w", err)
	}
	spec := a.StartSpec()
	spec.StateDir, spec.Patience = c.StateDir, c.Patience
	return &spec, nil
}

// verify holds a running subject to its contract, over each protocol it speaks.
func (c *Checker) verify(ctx context.Context, m subject.Manifest, url string) error {
	if m.GRPC() {
		calls, err := c.Catalog.Calls(m)
		if err != nil {
			return err
		}
		return (&contract.Verifier{}).VerifyCalls(ctx, url, calls)
	}
	routes, err := c.Catalog.Routes(m)
	if err != nil {
		return err
	}
	for _, protocol := range m.Protocols {
		if err := (&contract.Verifier{Protocol: protocol}).Verify(ctx, url, routes); err != nil {
			if protocol != request.HTTP1 {
				err = fmt.Errorf("over %s: %w", protocol, err)
			}
			return err
		}
	}
	return nil
}

// held notes what a subject holds, where the system reports it.
func held(pid int, r *Result) {
	p := probe.NewProcess(pid)
	defer p.Close()
	if t, err := p.Snapshot(); err == nil {
		now := t.Since(probe.ProcessTotals{})
		r.Processes, r.Threads, r.RSS = now.Processes, now.Threads, now.RSS
	}
}

// ended says what is wrong with how a subject ended.
func ended(in *subject.Instance) error {
	if n := in.Killed(); n > 0 {
		return fmt.Errorf("SIGTERM did not end it: %d of its processes had to be killed", n)
	}
	return nil
}

// quiet says what a subject printed, which it must not while it runs well.
func quiet(log string) error {
	data, err := os.ReadFile(log)
	if err != nil {
		return err
	}
	text := strings.TrimSpace(string(data))
	if text == "" {
		return nil
	}
	const most = 5
	lines := strings.SplitN(text, "\n", most+1)
	return fmt.Errorf("it prints while it runs well:\n  %s", strings.Join(lines[:min(len(lines), most)], "\n  "))
}
