package snapshot

import (
	"cmp"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"slices"
	"time"

	"dyno.example/nano/wire/clock"
	"dyno.example/nanogate/internal/bounds"
	"dyno.example/nanogate/internal/cache"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/discovery"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/health"
	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/mirror"
	"dyno.example/nanogate/internal/oidc"
	"dyno.example/nanogate/internal/state"
	"dyno.example/nanogate/internal/upstream"
	"dyno.example/nanogate/internal/wasm"
)

// Builder makes snapshots. One gateway has one, as it numbers
// endpoints itself. It is not for several goroutines at once.
type Builder struct {
	Log       *slog.Logger // of what goes wrong later; nil: the default one
	Telemetry Telemetry
	// Found is where upstreams find the endpoints that the file doesn't name; set before
	// the first build.
	Found *discovery.Set
	// State is the directory with what has to be known after a restart; nil: it isn't kept.
	State *state.Dir

	// Middleware is what routes may use.
	Middleware middleware.Offers
	// Codes is where the code of plug-ins is kept; nil: nowhere.
	Codes *wasm.Codes

	registry upstream.Registry
	cache    *cache.Store // nil: no route has stored anything yet
	logins   oidc.Clients
	sticky   *Sticky                                            // by the gateway's own key; nil: no route has asked for it yet
	compare  *bounds.Workers                                    // responses to mirrored requests
	ask      func(*upstream.Upstream, *upstream.Endpoint) error // in place of health checks; nil: they are sent
}

// NewBuilder makes a builder for a gateway with so many loops.
func NewBuilder(loops int) *Builder {
	b := &Builder{Found: discovery.NewSet(discovery.Options{}), registry: upstream.Registry{Loops: loops, Own: new(upstream.Own)},
		compare: mirror.NewWorkers(runtime.GOMAXPROCS(0))}
	b.logins.Share = func(rules *config.OIDC, name string, most int) (oidc.LogoutBus, error) {
		return boardOf(rules, name, most, cmp.Or(b.Log, slog.Default()))
	}
	return b
}

// Use has the builder's own goroutines be those of a system, and rest as it has them rest.
// Upstreams are looked after in its time, and ask does their health checks.
func (b *Builder) Use(goes func(func()), rest func(time.Duration), t *upstream.Time, ask func(*upstream.Upstream, *upstream.Endpoint) error) {
	b.compare.Go, b.compare.Rest = goes, rest
	b.registry.Time, b.ask = t, ask
}

// now is the time, in ns of [clock.Now].
func (b *Builder) now() int64 {
	if t := b.registry.Time; t != nil {
		return t.Now()
	}
	return clock.Now()
}

// Build makes the snapshot of a configuration. What is configured as it was in before,
// which may be nil, is taken over. A route that can't be built is in it all the same,
// and responds 503; Problems says why.
//
// The caller swaps it in and then closes the one before by [Snapshot.Retire].
func (b *Builder) Build(c *config.Config, before *Snapshot) *Snapshot {
	s := &Snapshot{Config: c, Problems: checkTelemetry(c)}
	if s.Cache = b.store(c); s.Cache != nil {
		s.With = filter.SetOf(filter.Invalidate)
	}
	b.registry.Log = b.Log
	b.Telemetry.configure(c, b.registry.Loops, b.Log)
	m := making{b: b, s: s, before: before, upstreams: make(map[string]*upstream.Upstream, len(c.Upstreams)), sessionCookies: sessionCookiesOf(c)}
	for _, u := range c.Upstreams {
		m.upstream(u)
	}
	m.plugins(c)
	was := m.routes(c)
	s.Unrouted = m.unrouted(c)
	s.table = tableOf(s.Routes, was, before)
	s.Problems.Sort()
	return s
}

// Own makes these the gateway's own addresses, which no source may name. They hold for what
// is built from now on, and for the upstreams of a snapshot that is served.
func (b *Builder) Own(all []net.Addr, served *Snapshot) {
	if b.registry.Own.Set(all) {
		for _, u := range served.Upstreams {
			u.Review()
		}
	}
}

// routes makes the routes, and returns where each was in the snapshot before; -1:
// nowhere.
func (m *making) routes(c *config.Config) (was []int) {
	s := m.s
	s.Routes, was = make([]*Route, len(c.Routes)), make([]int, len(c.Routes))
	s.sums, s.topLevel, s.named = c.Sums, topLevelOf(c, &config.Route{}), len(s.Upstreams)
	var old succession
	quick := false // a route of the same sum is the same
	if before := m.before; before != nil {
		old.before = before.Routes
		quick = before.topLevel == s.topLevel && before.plugged == s.plugged && slices.Equal(s.Upstreams, before.Upstreams[:before.named])
	}
	for i, r := range c.Routes {
		if at := old.guess; quick && at < len(old.before) && m.before.sums[at] == c.Sums[i] {
			s.Routes[i], was[i] = m.before.Routes[at], at
			old.guess++
			continue
		}
		var predecessor *Route
		if was[i] = old.of(i, r.Name); was[i] >= 0 {
			predecessor = old.before[was[i]]
		}
		route := m.route(r, predecessor)
		if s.Routes[i] = route; route.Broken != nil || route.direct() {
			if &s.sums[0] == &c.Sums[0] {
				s.sums = slices.Clone(s.sums)
			}
			s.sums[i] = config.Sum{}
		}
	}
	return was
}

// making is a snapshot in the making.
type making struct {
	b              *Builder
	s, before      *Snapshot
	upstreams      map[string]*upstream.Upstream
	sessionCookies []oidc.Cookies               // of all routes
	broke          map[*upstream.Upstream]error // why nobody may be sent there
	known          map[string]*Upstream         // of before; made when it is needed
	sources        []upstream.Source            // in the same way
}

// knownUpstream returns the upstream of that name before, which mostly stands where the
// next one to be made will stand; nil if there was none.
func (m *making) knownUpstream(name string) *Upstream {
	if m.before == nil {
		return nil
	}
	all := m.before.Upstreams
	if i := len(m.s.Upstreams); i < len(all) && all[i].Name == name {
		return all[i]
	}
	if m.known == nil {
		m.known = make(map[string]*Upstream, len(all))
		for _, u := range all {
			m.known[u.Name] = u
		}
	}
	return m.known[name]
}

// upstream makes an upstream, or takes over the one before.
func (m *making) upstream(c *config.Upstream) *upstream.Upstream {
	name := c.Name
	if u := m.upstreams[name]; u != nil {
		return u
	}
	made := m.knownUpstream(name)
	if made == nil || made.text != c.Text || made.Config.Zone != c.Zone || made.broken != nil {
		parts, err := partsOf(c)
		sources, problems := m.b.Found.Endpoints(c)
		parts.Sources = append(parts.Sources, sources...)
		m.s.Problems = append(m.s.Problems, problems...)
		if err != nil {
			// Its static endpoints are asked all the same; a source that can't be made
			// has found nobody yet.
			m.s.Problems = append(m.s.Problems, c.At.Problem("", "%v", err))
		}
		m.inherit(&parts)
		for _, w := range parts.Watchers {
			if a, ok := w.(*health.Active); ok {
				a.Ask = m.b.ask
			}
		}
		made = &Upstream{Upstream: m.b.registry.New(c, parts), text: c.Text}
		if parts.Secure == nil { // who isn't verified isn't asked
			if made.broken = err; m.broke == nil {
				m.broke = map[*upstream.Upstream]error{}
			}
			m.broke[made.Upstream] = err
		}
	}
	m.upstreams[name] = made.Upstream
	m.s.Upstreams = append(m.s.Upstreams, made)
	return made.Upstream
}

// Retire ends what a snapshot has and next hasn't taken over: watchers of upstreams,
// guards, limits, observers, plug-ins. next may be nil.
func (s *Snapshot) Retire(next *Snapshot) {
	if next == nil {
		next = &Snapshot{}
	}
	for _, r := range without(s.Routes, next.Routes) {
		r.close()
	}
	for _, p := range without(s.Plugins, next.Plugins) {
		p.Close()
	}
	for _, u := range without(s.Upstreams, next.Upstreams) {
		u.Close()
	}
}

// without returns what is in before and not in after. Mostly that is little, and the
// rest in the same order.
func without[T comparable](before, after []T) []T {
	var missing []T
	i := 0
	for k, v := range before {
		switch {
		case i < len(after) && after[i] == v:
			i++
		case i+1 < len(after) && after[i+1] == v: // one was put in between
			i += 2
		default:
			missing = append(missing, v)
			if i < len(after) && (k+1 == len(before) || before[k+1] != after[i]) {
				i++ // another one took its place
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	gone := make(map[T]bool, len(missing))
	for _, v := range missing {
		gone[v] = true
	}
	for _, v := range after {
		if gone[v] {
			delete(gone, v)
		}
	}
	return slices.DeleteFunc(missing, func(v T) bool { return !gone[v] })
}

// target finds the upstream of a target.
func (m *making) target(t *config.Target) (*upstream.Upstream, error) {
	u := m.upstreams[t.Upstream]
	if t.Direct != nil {
		u = m.upstream(t.Direct)
	}
	if u != nil {
		return u, m.broke[u]
	}
	return nil, fmt.Errorf("there is no upstream %q", t.Upstream)
}
