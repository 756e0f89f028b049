package load

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"dyno/internal/clock"
)

// Defaults and limits of a [Spec].
const (
	DefaultTimeout = 10 * time.Second
	MaxConnections = 1_000_000
	maxBacklog     = 1 << 20 // arrivals that may wait for a connection, per loop
)

// engine sends one loop's share of a load. Run drives it from one goroutine.
type engine interface {
	// connect opens the share's connections and returns when all are up or have
	// failed once, or after a few seconds. It fails if none is up.
	connect(ctx context.Context) error
	// load sends from instant begin until the share is done or ctx ends.
	load(ctx context.Context, rec *recorder, begin, end int64)
	// usage is the CPU time the engine has used so far.
	usage() (user, sys time.Duration)
	// close releases everything. It is called from the same goroutine.
	close()
}

// share is one loop's part of a load.
type share struct {
	spec        *Spec
	addr        netip.AddrPort
	secure      bool
	host        string // as sent in Host
	part, parts int
	connections int
	quota       uint64 // requests to send at most; 0: no limit
	cpu         int    // -1: anywhere
	errors      *errorLog
}

// errorLog keeps the first error of each kind.
type errorLog struct {
	mu    sync.Mutex
	first map[string]string
}

func (l *errorLog) note(kind, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.first[kind]; !ok {
		l.first[kind] = text
	}
}

// Check reports what is wrong with the spec, or nil.
func (s *Spec) Check() error {
	u, _, err := parseTarget(s.Target)
	if err != nil {
		return err
	}
	if u.Scheme == "https" && s.Engine == "epoll" {
		return errors.New(`engine "epoll" can't speak TLS yet; leave the engine open for https`)
	}
	if len(s.Requests) == 0 {
		return errors.New("no request to send")
	}
	for i := range s.Requests {
		if err := s.Requests[i].Check(); err != nil {
			return fmt.Errorf("request %d: %w", i+1, err)
		}
	}
	if s.Duration <= 0 && s.MaxRequests == 0 {
		return errors.New("neither a duration nor a number of requests is given: the load would never end")
	}
	if s.Duration < 0 || s.Warmup < 0 || s.Timeout < 0 {
		return errors.New("durations must not be negative")
	}
	return s.Profile.Check()
}

// Check reports what is wrong with the profile, or nil.
func (p *Profile) Check() error {
	if p.Connections < 1 || p.Connections > MaxConnections {
		return fmt.Errorf("connections must be from 1 to %d, not %d", MaxConnections, p.Connections)
	}
	switch p.Mode {
	case Closed:
		if p.Rate != 0 {
			return errors.New("a closed loop has no rate: it sends when answers come")
		}
	case Open:
		if !(p.Rate > 0) || p.Rate > 1e7 {
			return fmt.Errorf("rate must be above 0 and at most 10 million requests/s, not %v", p.Rate)
		}
		if p.Arrivals != "" && p.Arrivals != Uniform && p.Arrivals != Poisson {
			return fmt.Errorf("arrivals %q are neither %q nor %q", p.Arrivals, Uniform, Poisson)
		}
	default:
		return fmt.Errorf("mode %q is neither %q nor %q", p.Mode, Closed, Open)
	}
	return nil
}

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
	if spec.Timeout == 0 {
		spec.Timeout = DefaultTimeout
	}
	if err := spec.Check(); err != nil {
		return nil, err
	}
	u, _, _ := parseTarget(spec.Target) // checked above
	name, open := pickEngine(&spec, u.Scheme == "https")
	if name == "portable" {
		spec.Engine, spec.Threads, spec.CPUs = name, 1, nil // its goroutines go where the scheduler puts them
	}
	shares, err := spec.split(ctx)
	if err != nil {
		return nil, err
	}
	defer spareProcessor(len(shares))()
	r := &Result{Engine: name, FirstErrors: shares[0].errors.first}
	if err := (&runner{spec: &spec, result: r}).run(ctx, shares, open); err != nil {
		return nil, err
	}
	r.seal()
	r.judge(&spec)
	return r, nil
}

// spareProcessor makes sure that the scheduler has more processors than there
// are loops, which don't give theirs back: the collector needs one. undo sets
// back what was changed.
func spareProcessor(loops int) (undo func()) {
	before := runtime.GOMAXPROCS(0)
	if before > loops {
		return func() {}
	}
	runtime.GOMAXPROCS(loops + 1)
	return func() { runtime.GOMAXPROCS(before) }
}

// split resolves the target and divides the load among the loops.
func (s *Spec) split(ctx context.Context) ([]share, error) {
	u, dial, err := parseTarget(s.Target)
	if err != nil {
		return nil, err
	}
	addr, err := resolve(ctx, dial)
	if err != nil {
		return nil, err
	}
	log := &errorLog{first: make(map[string]string)}
	shares := make([]share, s.loops())
	for i := range shares {
		sh := share{
			spec: s, addr: addr, secure: u.Scheme == "https", host: u.Host, part: i, parts: len(shares),
			connections: part(s.Profile.Connections, i, len(shares)), cpu: -1, errors: log,
		}
		if s.MaxRequests > 0 {
			if sh.quota = uint64(part(int(s.MaxRequests), i, len(shares))); sh.quota == 0 {
				continue
			}
		}
		if len(s.CPUs) > 0 {
			sh.cpu = s.CPUs[i%len(s.CPUs)]
		}
		shares[i] = sh
	}
	if s.MaxRequests > 0 && s.MaxRequests < uint64(len(shares)) {
		shares = shares[:s.MaxRequests]
	}
	return shares, nil
}

// part divides n into parts as evenly as can be and returns the i-th.
func part(n, i, parts int) int {
	p := n / parts
	if i < n%parts {
		p++
	}
	return p
}

func resolve(ctx context.Context, hostport string) (netip.AddrPort, error) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("target %q: %w", hostport, err)
	}
	number, err := net.DefaultResolver.LookupPort(ctx, "tcp", port)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("target %q: %w", hostport, err)
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("looking up %s: %w", host, err)
	}
	best := addrs[0]
	for _, a := range addrs {
		if a.Unmap().Is4() { // servers that listen on "localhost" most often mean 127.0.0.1
			best = a
			break
		}
	}
	return netip.AddrPortFrom(best.Unmap(), uint16(number)), nil
}

// runner brings the loops up together and collects what they record.
type runner struct {
	spec   *Spec
	result *Result
}

func (r *runner) run(ctx context.Context, shares []share, open func(share) (engine, error)) error {
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
		failed = errors.Join(failed, <-connected)
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
	collected := make(chan struct{})
	go func() {
		defer close(collected)
		collector.run(func(s *slot) {
			index, start, end := s.Index, s.Start, s.end
			s.clear(index, start, end)
			s.home <- s
		})
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
func (r *runner) loop(ctx context.Context, sh share, open func(share) (engine, error), out chan<- *slot, connected chan<- error, begin <-chan int64, abandon <-chan struct{}) {
	e, err := open(sh)
	if err != nil {
		connected <- err
		return
	}
	defer e.close()
	if err := e.connect(ctx); err != nil {
		connected <- err
		return
	}
	// Slots are made before the load begins: they are megabytes.
	free := newSlots()
	connected <- nil
	select {
	case at := <-begin:
		measured := at + int64(r.spec.Warmup)
		end := int64(1<<63 - 1)
		if r.spec.Duration > 0 {
			end = measured + int64(r.spec.Duration)
		}
		e.load(ctx, newRecorder(at, measured, out, free, e.usage), at, end)
	case <-abandon:
	}
}
