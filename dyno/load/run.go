package load

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"time"

	"dyno.example/dyno/load/internal/engine"
	"dyno.example/dyno/load/internal/processors"
	"dyno.example/dyno/load/request"
	"dyno.example/nano/wire/clock"
)

// loops is how many event loops the load uses.
func (s *Spec) loops() int {
	n := s.Threads
	if n <= 0 {
		n = max(1, len(s.CPUs))
	}
	return min(n, s.Profile.Connections)
}

// cpus is how many CPUs the loops can use at most.
func (s *Spec) cpus() int {
	if s.Engine == "portable" {
		return runtime.GOMAXPROCS(0)
	}
	return s.loops()
}

// Run puts the load on its target. The result of a load that was interrupted
// by ctx holds what was measured so far. An error means that there is nothing
// to report: a wrong spec, or a target that can't be reached at all.
func Run(ctx context.Context, spec Spec) (*Result, error) {
	ready, err := spec.prepare(ctx)
	if err != nil {
		return nil, err
	}
	defer ready.release()
	shares := ready.shares
	if ready.engine != "portable" {
		defer processors.Hold(len(shares))()
	}
	r := newResult(&spec, ready.engine)
	r.planned = newPlanFold(&spec)
	r.planned.endWith(shares)
	if !spec.KeepParts && len(spec.Profile.Phases) == 0 {
		r.early = &early{most: MostWarmUp}
	}
	if err := (&runner{spec: &spec, result: r}).run(ctx, shares, ready.open); err != nil {
		return nil, err
	}
	r.told(shares[0].Errors)
	newEchoed(spec.Requests).inResult(r)
	r.leaveWarmUp(&spec)
	r.seal()
	if r.All.Length > 0 {
		r.Requests = r.requestResults(spec.Requests)
	}
	r.judge(&spec)
	return r, nil
}

func newResult(spec *Spec, engine string) *Result {
	return &Result{Engine: engine, Unit: spec.Unit(), Drain: spec.drain(), Calibration: spec.Calibration, Idle: spec.Idle}
}

// told takes what the loops have noted of errors.
func (r *Result) told(log *engine.ErrorLog) {
	r.FirstErrors, r.Failures, r.Location = log.Firsts(), log.Failures(r.Start), log.Location
	r.Allowed, r.Limited = log.Allowed()
	r.Causes = log.Causes()
}

// prepared is a load before its connections.
type prepared struct {
	engine  string
	open    func(engine.Share) (engine.Engine, error)
	shares  []engine.Share
	release func() // what TLS holds
}

// prepare checks the spec, fills in what it leaves open, and divides the load among loops.
func (spec *Spec) prepare(ctx context.Context) (*prepared, error) {
	if spec.Timeout == 0 {
		spec.Timeout = request.DefaultTimeout
	}
	if err := spec.Check(); err != nil {
		return nil, err
	}
	if !spec.resolved() {
		if err := Resolve(ctx, spec); err != nil {
			return nil, err
		}
		if err := spec.Check(); err != nil {
			return nil, err
		}
	}
	spec.Duration = max(spec.Duration, spec.Profile.Length())
	if spec.Link.HTTP3 {
		spec.Engine = "portable"
	}
	name, open := engine.Pick(spec.Engine, spec.needsEpoll())
	if name == "portable" && spec.streamsMessages() {
		return nil, errPortableStreams
	}
	if name == "portable" && (spec.Link.WebSocket != nil || spec.Link.Events != nil) {
		return nil, errPortableMessages
	}
	if name == "portable" {
		spec.Engine, spec.Threads, spec.CPUs = name, 1, nil // its goroutines go where the scheduler puts them
	}
	switch {
	case spec.Link.WebSocket != nil:
	case spec.Link.Events != nil:
		spec.Requests = request.Listening(spec.Requests)
	case spec.Link.Reuse == request.NoReuse && spec.Link.Streams == 0:
		spec.Requests = request.Closing(spec.Requests)
	}
	secure, release, err := spec.secure()
	if err != nil {
		return nil, err
	}
	shares, err := spec.split(ctx, secure)
	if err != nil {
		release()
		return nil, err
	}
	return &prepared{name, open, shares, release}, nil
}

// runner brings the loops up together and collects what they record.
type runner struct {
	spec   *Spec
	result *Result
}

func (r *runner) run(ctx context.Context, shares []engine.Share, open func(engine.Share) (engine.Engine, error)) error {
	var (
		collector = newCollector(r.spec, len(shares), r.result)
		connected = make(chan error, len(shares))
		begin     = make(chan int64)
		loops     sync.WaitGroup
		abandon   = make(chan struct{})
	)
	for _, sh := range shares {
		loops.Go(func() {
			r.loop(ctx, sh, open, collector.slots, connected, begin, abandon)
		})
	}
	var failed error
	for range shares {
		// One loop's reason will do: all connect to the same target.
		failed = cmp.Or(<-connected, failed)
	}
	if failed == nil && ctx.Err() != nil {
		failed = context.Cause(ctx)
	}
	if failed != nil {
		close(abandon)
		loops.Wait()
		return failed
	}
	// All loops begin at the same instant, a little ahead so that none is late.
	at := clock.Now() + int64(2*time.Millisecond)
	r.result.Start = at + int64(r.spec.Warmup)
	if r.spec.OnStart != nil {
		r.spec.OnStart(r.result.Start)
	}
	collector.begin(at)
	collected := make(chan struct{})
	go func() {
		defer close(collected)
		collector.run()
	}()
	for range shares {
		begin <- at
	}
	loops.Wait()
	close(collector.slots)
	<-collected
	r.result.Interrupted = ctx.Err() != nil
	return nil
}

// loop runs one share from opening its engine to closing it.
func (r *runner) loop(ctx context.Context, sh engine.Share, open func(engine.Share) (engine.Engine, error), out chan<- *engine.Slot, connected chan<- error, begin <-chan int64, abandon <-chan struct{}) {
	e, err := open(sh)
	if err != nil {
		connected <- err
		return
	}
	defer e.Close()
	if err := e.Connect(ctx); err != nil {
		connected <- err
		return
	}
	// Slots are made before the load begins: they are megabytes.
	free := engine.NewSlots(sh.Part, sh.Program.Kinds())
	connected <- nil
	select {
	case at := <-begin:
		measured := at + int64(r.spec.Warmup)
		end := int64(1<<63 - 1)
		if r.spec.Duration > 0 {
			end = measured + int64(r.spec.Duration)
		}
		rec := engine.NewRecorder(at, measured, out, free, e.Usage)
		rec.SampleEvery(engine.SampleEvery(&r.spec.Profile, sh.Parts))
		e.Load(ctx, rec, at, end)
	case <-abandon:
	}
}
