//go:build linux

// Package gate is the gateway as a whole: a configuration carried out. What it is made
// of lies in the packages below it; see docs/gateway-design.md.
package gate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"dyno/gate/config"
	"dyno/gate/etcd"
	"dyno/gate/metrics"
	"dyno/gate/proxy"
	"dyno/gate/snapshot"
)

// Gateway serves a configuration, and others after it, until it is shut down.
type Gateway struct {
	log     *slog.Logger
	proxy   *proxy.Server
	builder *snapshot.Builder
	pusher  *metrics.Pusher
	started time.Time

	changing sync.Mutex // held for a change as a whole, before mu

	mu        sync.Mutex // of what follows, and of the builder
	versions  []Version  // the one that is served last
	listening []*listening
	unopened  config.Problems // of the addresses to listen on
}

// Options are what the configuration doesn't say.
type Options struct {
	Loops int // event loops; 0: one for each CPU
	Log   *slog.Logger
	Etcd  *etcd.Clusters // where upstreams find instances; nil: of its own, that keeps nothing on disk
}

// Start builds the configuration and listens on its addresses. A route that can't be
// built answers 503, and is logged. [Gateway.Shutdown] ends it.
func Start(c *config.Config, o Options) (*Gateway, error) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	loops := proxy.Loops(o.Loops)
	g := &Gateway{log: o.Log, builder: snapshot.NewBuilder(loops), started: time.Now()}
	g.pusher = metrics.NewPusher(g, o.Log)
	g.builder.Log = o.Log
	if g.builder.Etcd = o.Etcd; o.Etcd == nil {
		g.builder.Etcd = etcd.New(etcd.Options{Log: o.Log})
	}
	s := g.builder.Build(c, nil)
	g.report(s)
	var err error
	if g.proxy, err = proxy.Start(loops, s, o.Log); err != nil {
		s.Retire(nil)
		g.builder.Looks.Close()
		return nil, err
	}
	for _, at := range c.Listen {
		if err := g.open(at); err != nil {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			_ = g.Shutdown(ctx)
			return nil, err
		}
	}
	g.remember(c, "start")
	g.pusher.Configure(c.Metrics)
	return g, nil
}

func (g *Gateway) report(s *snapshot.Snapshot) {
	for _, p := range s.Problems {
		g.log.Error("a route can't be built, and answers 503", "problem", p.String())
	}
}

// Snapshot returns what is served from now.
func (g *Gateway) Snapshot() *snapshot.Snapshot { return g.proxy.Snapshot() }

// Proxy returns the loops, for who shows how they are.
func (g *Gateway) Proxy() *proxy.Server { return g.proxy }

// Reopen opens the access log's file again, which has been moved away to rotate it.
func (g *Gateway) Reopen() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if log := g.builder.Looks.Log; log != nil {
		log.Reopen()
	}
}

// Started is when the gateway was.
func (g *Gateway) Started() time.Time { return g.started }

// Pushed says what became of figures that were pushed to a collector.
func (g *Gateway) Pushed() metrics.Counts { return g.pusher.Counts() }

// Looks returns who looks on, for who shows how they are.
func (g *Gateway) Looks() snapshot.Looks {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.builder.Looks
}

// Apply serves another configuration from now on. Only what is configured otherwise is
// made anew; no connection is closed and no request under way notices. It returns what
// kept routes from being built, and addresses from being listened on.
func (g *Gateway) Apply(c *config.Config) config.Problems {
	problems, _ := g.ApplyTo(0, c, "file")
	return problems
}

// ApplyTo is [Gateway.Apply], if the version of that number is what is served still; 0
// is any. by says what brought the configuration.
func (g *Gateway) ApplyTo(version int, c *config.Config, by string) (config.Problems, error) {
	g.changing.Lock()
	defer g.changing.Unlock()
	before := g.proxy.Snapshot()
	next, err := g.build(version, c, before)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), snapshot.MostAwaited)
	next.Await(ctx, before)
	cancel()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.proxy.Swap(next)
	before.Retire(next)
	g.pusher.Configure(c.Metrics)
	g.unopened = g.relisten(c)
	for _, p := range g.unopened {
		g.log.Error("an address is not as the configuration says", "problem", p.String())
	}
	g.remember(c, by)
	return slices.Concat(next.Problems, g.unopened), nil
}

// build makes the snapshot that follows one. g.changing is held.
func (g *Gateway) build(version int, c *config.Config, before *snapshot.Snapshot) (*snapshot.Snapshot, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if served := g.versions[len(g.versions)-1].Number; version != 0 && version != served {
		return nil, fmt.Errorf("%w: it was made for version %d, and %d is served", ErrChanged, version, served)
	}
	next := g.builder.Build(c, before)
	g.report(next)
	return next, nil
}

// ErrChanged says that another change came before this one.
var ErrChanged = errors.New("the configuration has changed meanwhile")

// Shutdown accepts no more clients, lets the requests under way end until ctx does, and
// cuts what is left then.
func (g *Gateway) Shutdown(ctx context.Context) error {
	err := g.proxy.Shutdown(ctx)
	g.pusher.Close()
	g.changing.Lock()
	defer g.changing.Unlock()
	g.proxy.Snapshot().Retire(nil)
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, l := range g.listening {
		if l.secure != nil {
			l.secure.Close()
		}
	}
	g.builder.Looks.Close()
	return err
}
