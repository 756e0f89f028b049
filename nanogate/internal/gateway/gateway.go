//go:build linux

// Package gateway runs a configuration: it joins all parts of the gateway, which are the
// packages below it; see nanogate/docs/design.md. Its tests are in
// nanogate/conformance/gateway, a module that may require what they take.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"dyno.example/nanogate/internal/acme"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/discovery"
	"dyno.example/nanogate/internal/metrics"
	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/proxy"
	"dyno.example/nanogate/internal/secure"
	"dyno.example/nanogate/internal/snapshot"
	"dyno.example/nanogate/internal/state"
	"dyno.example/nanogate/internal/wasm"
)

// Gateway serves a configuration, and others after it, until it is shut down.
type Gateway struct {
	log     *slog.Logger
	proxy   *proxy.Server
	builder *snapshot.Builder
	pusher  *metrics.Pusher
	issuer  *acme.Manager
	started time.Time

	changing sync.Mutex     // held for the whole of a change, before mu
	base     *config.Config // that is served, without what stands elsewhere; changing guards it

	mu        sync.Mutex // of what follows, and of the builder
	versions  []Version  // the one that is served last
	listening []*listening
	admin     []net.Addr       // where others of the process listen for who runs the gateway
	unopened  config.Problems  // of the addresses to listen on
	followed  *following       // routes that stand elsewhere; nil: there are none
	more      *config.Addition // those; nil: none are known
	bound     []secure.Bound   // certificates that stand there
}

// Options are what the configuration doesn't say.
type Options struct {
	Loops int // event loops; 0: one for each CPU
	Log   *slog.Logger
	// Middleware is what routes may use in addition to the gateway's own features.
	Middleware middleware.Offers
	// Found is where upstreams find endpoints, and routes are found that stand elsewhere;
	// nil: of its own.
	Found *discovery.Set
	// State is the directory for state that outlives a restart, such as the last known
	// instances of discovery, for a start while its servers are away; "": nothing is
	// kept.
	State string
	// Codes is the directory that keeps the code which plug-ins are compiled to, for a start
	// that needn't compile them; "": it isn't kept. It is executed: only this user may write there.
	Codes string
	// ACME is how certificates are got; its log is Log.
	ACME acme.Options
}

// Start builds the configuration and listens on its addresses. A route that can't be
// built responds with 503, and is logged; a configuration that needs what isn't linked in is
// refused, with [config.Problems]. [Gateway.Shutdown] ends it.
func Start(c *config.Config, o Options) (*Gateway, error) {
	if problems := snapshot.Missing(c); len(problems) > 0 {
		return nil, problems
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	loops := proxy.Loops(o.Loops)
	g := &Gateway{log: o.Log, builder: snapshot.NewBuilder(loops), started: time.Now()}
	g.pusher = metrics.NewPusher(g, o.Log)
	o.ACME.Log = o.Log
	g.issuer = acme.New(o.ACME)
	g.builder.Log, g.builder.Middleware, g.builder.State = o.Log, o.Middleware, state.Open(o.State)
	if o.Codes != "" {
		g.builder.Codes = &wasm.Codes{Dir: o.Codes}
	}
	if g.builder.Found = o.Found; o.Found == nil {
		g.builder.Found = discovery.NewSet(discovery.Options{Log: o.Log, State: g.builder.State})
	}
	g.follow(c)
	g.await(followedPatience)
	if err := g.begin(c, loops); err != nil {
		g.abandon()
		return nil, err
	}
	g.changing.Lock()
	g.mu.Lock()
	err := g.listen(c)
	g.reserve()
	g.mu.Unlock()
	g.changing.Unlock()
	if err != nil {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = g.Shutdown(ctx)
		return nil, err
	}
	g.pusher.Configure(c.Metrics)
	return g, nil
}

// begin starts the loops with a configuration and what stands elsewhere.
func (g *Gateway) begin(c *config.Config, loops int) error {
	g.changing.Lock()
	defer g.changing.Unlock()
	whole, err := g.whole(c)
	if err != nil {
		g.log.Error("routes from other sources conflict with the file, which is served without them", "error", err)
		whole = c
	}
	s := g.builder.Build(whole, nil)
	g.report(s)
	started, err := proxy.Start(loops, s, g.issuer, g.log)
	if err != nil {
		s.Retire(nil)
		g.builder.Telemetry.Close()
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.proxy, g.base = started, c
	g.remember(c, "start")
	return nil
}

func (g *Gateway) report(s *snapshot.Snapshot) {
	for _, p := range s.Problems {
		g.log.Error("a route can't be built, and responds with 503", "problem", p.String())
	}
}

// Snapshot returns what is served from now.
func (g *Gateway) Snapshot() *snapshot.Snapshot { return g.proxy.Snapshot() }

// Middleware is what routes may use in addition to the gateway's own features.
func (g *Gateway) Middleware() middleware.Offers { return g.builder.Middleware }

// Proxy returns the loops, to show their state.
func (g *Gateway) Proxy() *proxy.Server { return g.proxy }

// Reopen opens the access log's file again, which has been moved away to rotate it.
func (g *Gateway) Reopen() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if log := g.builder.Telemetry.Log; log != nil {
		log.Reopen()
	}
}

// Started is when the gateway was.
func (g *Gateway) Started() time.Time { return g.started }

// Pushed says what became of figures that were pushed to a collector.
func (g *Gateway) Pushed() metrics.Counts { return g.pusher.Counts() }

// Telemetry returns the access log and the tracer, for what shows how they are.
func (g *Gateway) Telemetry() snapshot.Telemetry {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.builder.Telemetry
}

// Apply serves another configuration from now on. Only what has changed is rebuilt; no
// connection is closed and no request under way is affected. It returns why routes
// couldn't be built, and addresses not be listened on.
func (g *Gateway) Apply(c *config.Config) config.Problems {
	problems, err := g.ApplyTo(0, c, "file")
	if err != nil {
		g.log.Error("the configuration isn't applied, and what was served goes on", "error", err)
		problems = config.Problems{config.At{Path: c.Path}.Problem("", "%v", err)}
	}
	return problems
}

// ApplyTo is [Gateway.Apply], if the version of that number is what is served still; 0
// is any. by says what brought the configuration.
func (g *Gateway) ApplyTo(version int, c *config.Config, by string) (config.Problems, error) {
	if problems := snapshot.Missing(c); len(problems) > 0 {
		return nil, problems
	}
	g.changing.Lock()
	defer g.changing.Unlock()
	whole, err := g.whole(c)
	if err != nil {
		return nil, fmt.Errorf("it doesn't go with the routes that stand elsewhere: %w", err)
	}
	next, err := g.swap(version, whole)
	if err != nil {
		return nil, err
	}
	g.base = c
	g.follow(c)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pusher.Configure(c.Metrics)
	g.unopened = g.relisten(c)
	g.reserve()
	for _, p := range g.unopened {
		g.log.Error("an address is not as the configuration says", "problem", p.String())
	}
	g.remember(c, by)
	return slices.Concat(next.Problems, g.unopened), nil
}

// swap builds the snapshot of a configuration and has it served. g.changing is held.
func (g *Gateway) swap(version int, c *config.Config) (*snapshot.Snapshot, error) {
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
	return next, nil
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
	ended := g.abandon()
	err := g.proxy.Shutdown(ctx)
	g.pusher.Close()
	<-ended
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
	g.issuer.Close()
	g.builder.Telemetry.Close()
	return err
}
