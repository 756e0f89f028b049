// Package upstream is the sets of endpoints that requests are sent to: which there are,
// which are available, and which gets a request.
//
// A set is immutable and found through one atomic pointer: loops pick from it without
// waiting, whoever changes it makes a new one.
package upstream

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/nano/wire/clock"
	"dyno.example/nanogate/internal/bounds"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/limit"
	"dyno.example/nanogate/internal/secure"
)

// Upstream is a set of instances that serve the same.
type Upstream struct {
	Name      string
	Config    *config.Upstream
	Sources   []Source      // of what isn't static; they are watched
	Detectors []Detector    // set before the first request
	Limits    []limit.Limit // in the same way: of what is sent to it, whatever the route
	Secure    *secure.Client

	registry   *Registry
	discovered *discovered // what its sources have said
	set        atomic.Pointer[Set]
	under      atomic.Int64 // requests under way; counted for [config.Hash] only
	turns      [turnShards]turn

	mu     sync.Mutex // of what follows, and of making sets
	all    []*Endpoint
	cancel context.CancelFunc
	ended  sync.WaitGroup
	stops  []func() // of watchers in a [Time]
}

// turnShards is into how many the turns of round robin are split, one a loop.
const turnShards = 16

// turn is a loop's place in the round, in a cache line of its own.
type turn struct {
	next atomic.Uint32
	_    [60]byte
}

// Set is the endpoints of an upstream, and those available, at one moment.
type Set struct {
	All    []*Endpoint
	Usable []*Endpoint // those that nothing speaks against; all, if something does against each
	Panic  bool        // it does

	round  []uint16 // indices of Usable in weighted order, if weights differ
	weight int      // of all usable
	ring   *ring    // of [config.Hash]

	near, far *Set   // its parts by zone; nil: it isn't divided
	nearby    uint64 // of 1<<32 requests, those that stay near
}

// Registry is what the upstreams of a gateway share: the numbers of endpoints, and the
// gateway's own addresses.
type Registry struct {
	Loops int          // of the gateway
	Own   *Own         // nil: none are known
	Log   *slog.Logger // nil: the default one
	Time  *Time        // nil: that of goroutines

	logged bounds.Few
	left   atomic.Int64 // that wasn't said

	mu   sync.Mutex
	free []int
	next int
}

// Time is that in which upstreams are looked after, if it isn't that of goroutines.
type Time struct {
	Now func() int64 // ns
	// Every has something done between requests, at once and then each time so long has
	// passed, until stop is called.
	Every func(d time.Duration, do func()) (stop func())
}

// now is the time, in ns of [clock.Now].
func (g *Registry) now() int64 {
	if g.Time != nil {
		return g.Time.Now()
	}
	return clock.Now()
}

// Stepper is a watcher that looks at an upstream again and again.
type Stepper interface {
	Every() time.Duration // from one look to the next
	Step(u *Upstream, now int64)
}

// Watcher looks after an upstream: active health, slow start.
type Watcher interface {
	// Watch runs on a goroutine of its own until ctx ends. Endpoints may change at any
	// time: [Upstream.Set] has them.
	Watch(ctx context.Context, u *Upstream)
}

// Parts are what an upstream has in addition to its static endpoints.
type Parts struct {
	Secure    *secure.Client // TLS with endpoints that want it
	Sources   []Source
	Watchers  []Watcher
	Detectors []Detector
	Limits    []limit.Limit
}

// New makes an upstream. [Upstream.Close] ends it.
func (g *Registry) New(c *config.Upstream, parts Parts) *Upstream {
	u := &Upstream{Name: c.Name, Config: c, Sources: parts.Sources, Detectors: parts.Detectors, Limits: parts.Limits, Secure: parts.Secure, registry: g}
	static := make([]Instance, 0, len(c.Endpoints))
	for _, e := range c.Endpoints {
		if e.Address.Name == "" { // a host name is for a source to resolve
			static = append(static, Instance{Address: e.Address, Weight: e.Weight, Zone: e.Zone})
		}
	}
	u.Detectors = append(slices.Clip(u.Detectors), connects{u})
	u.discovered = newDiscovered(u, static, parts.Sources)
	ctx, cancel := context.WithCancel(context.Background())
	u.cancel = cancel
	for i, source := range parts.Sources {
		u.ended.Go(func() {
			source.Watch(ctx, func(instances []Instance) { u.discovered.set(i, instances) })
		})
	}
	for _, w := range parts.Watchers {
		if s, ok := w.(Stepper); ok && g.Time != nil {
			u.stops = append(u.stops, g.Time.Every(s.Every(), func() { s.Step(u, g.now()) }))
			continue
		}
		u.ended.Go(func() { w.Watch(ctx, u) })
	}
	return u
}

// Close ends the watching of an upstream that no route uses any more. Requests that
// are under way go on, and find its endpoints as they were; their connections are
// closed and not kept.
func (u *Upstream) Close() {
	u.cancel()
	for _, stop := range u.stops {
		stop()
	}
	u.ended.Wait()
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, e := range u.all {
		e.gone.Store(true)
		u.registry.give(e.Slot)
	}
	u.all = nil
}

// Discovered is closed when all sources have given their instances.
func (u *Upstream) Discovered() <-chan struct{} { return u.discovered.ready }

// Review looks again at what its sources have said, after the gateway's own addresses have
// changed.
func (u *Upstream) Review() { u.discovered.refresh() }

// Set returns the current set.
func (u *Upstream) Set() *Set { return u.set.Load() }

// Update makes the instances the upstream's. Endpoints whose address is among them
// stay as they are, with their connections and all that was learned about them.
func (u *Upstream) Update(instances []Instance) {
	u.mu.Lock()
	defer u.mu.Unlock()
	known := make(map[string]*Endpoint, len(u.all))
	for _, e := range u.all {
		known[e.Name] = e
	}
	all := make([]*Endpoint, 0, len(instances))
	for _, in := range instances {
		if u.Config.TLS != nil {
			in.Address.TLS = true
		}
		name := in.Address.String()
		e := known[name]
		if e != nil && (e.Zone != in.Zone || e.Address != in.Address) {
			e = nil // it has moved, or is spoken to otherwise: another instance
		}
		if e == nil {
			if slices.ContainsFunc(all, func(e *Endpoint) bool { return e.Name == name }) {
				continue // it was named twice
			}
			e = newEndpoint(in, u.registry.take(), u.registry.Loops)
			if len(u.all) > 0 { // else no other is warm either
				u.chill(e, u.registry.now())
			}
		} else {
			delete(known, name)
		}
		e.Weight.Store(int32(max(1, in.Weight)))
		all = append(all, e)
	}
	for _, e := range known {
		e.gone.Store(true)
		u.registry.give(e.Slot)
	}
	u.all = all
	u.rebuild()
}

// Mark sets or removes a reason to send an endpoint no requests. It is logged, with why.
func (u *Upstream) Mark(e *Endpoint, m Mark, on bool, why string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	before := Mark(e.marks.Load())
	after := before &^ m
	if on {
		after |= m
	}
	if after == before {
		return
	}
	e.marks.Store(uint32(after))
	if after == 0 {
		u.chill(e, u.registry.now())
	}
	set := u.set.Load()
	u.rebuild()
	if !e.gone.Load() {
		u.logMark(e, m, on, why, set)
	}
}

// rebuild makes a new set.
func (u *Upstream) rebuild() {
	s := &Set{All: u.all}
	for _, e := range u.all {
		if e.Usable() {
			s.Usable = append(s.Usable, e)
		}
	}
	if len(s.Usable) == 0 && len(s.All) > 0 {
		// Health is a guess: when no endpoint is healthy, requests to all are better
		// than none (panic mode). Drained ones stay out.
		for _, e := range u.all {
			if e.Marks()&Drained == 0 {
				s.Usable = append(s.Usable, e)
			}
		}
		s.Panic = true
	}
	s.weigh()
	u.divide(s)
	if u.Config.Balance.Kind == config.Hash {
		s.ring = newRing(s.Usable)
	}
	u.set.Store(s)
}

func (g *Registry) log() *slog.Logger { return cmp.Or(g.Log, slog.Default()) }

func (g *Registry) take() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := len(g.free); n > 0 {
		slot := g.free[n-1]
		g.free = g.free[:n-1]
		return slot
	}
	g.next++
	return g.next - 1
}

func (g *Registry) give(slot int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.free = append(g.free, slot)
}
