package snapshot

import (
	"fmt"
	"slices"

	"dyno/gate/config"
	"dyno/gate/route"
	"dyno/gate/upstream"
)

// Builder makes snapshots. One gateway has one, as endpoints have numbers that are its
// alone. It is not for several goroutines at once.
type Builder struct {
	registry upstream.Registry
}

// NewBuilder makes a builder for a gateway with so many loops.
func NewBuilder(loops int) *Builder {
	return &Builder{registry: upstream.Registry{Loops: loops}}
}

// Build makes the snapshot of a configuration. What is configured as it was in before,
// which may be nil, is taken over. A route that can't be built is in it all the same,
// and answers 503; Problems says why.
//
// The caller swaps it in and then closes the one before by [Snapshot.Retire].
func (b *Builder) Build(c *config.Config, before *Snapshot) *Snapshot {
	s := &Snapshot{Config: c}
	m := making{b: b, s: s, before: before, upstreams: map[string]*upstream.Upstream{}}
	for _, u := range c.Upstreams {
		m.upstream(u)
	}
	s.Routes = make([]*Route, len(c.Routes))
	for i, r := range c.Routes {
		s.Routes[i] = m.route(r, m.old(i, r.Name))
	}
	s.table = tableOf(c, before)
	s.Problems.Sort()
	return s
}

// tableOf makes the table of the configuration's routes, or takes over the one before if
// they match what they matched.
func tableOf(c *config.Config, before *Snapshot) *route.Table[int] {
	if before != nil && slices.EqualFunc(c.Routes, before.Config.Routes, func(a, b *config.Route) bool { return a.Matching == b.Matching }) {
		return before.table
	}
	t := &route.Table[int]{}
	indices := make([]int, len(c.Routes))
	for i, r := range c.Routes {
		indices[i] = i
		t.Add(&r.Match, r.Priority, &indices[i])
	}
	return t
}

// making is a snapshot in the making.
type making struct {
	b         *Builder
	s, before *Snapshot
	upstreams map[string]*upstream.Upstream
	names     map[string]*Route // of before; made when it is needed
}

// old returns the route of that name before, which mostly stands where it stood.
func (m *making) old(i int, name string) *Route {
	if m.before == nil {
		return nil
	}
	if i < len(m.before.Routes) && m.before.Routes[i].Name == name {
		return m.before.Routes[i]
	}
	if m.names == nil {
		m.names = make(map[string]*Route, len(m.before.Routes))
		for _, r := range m.before.Routes {
			m.names[r.Name] = r
		}
	}
	return m.names[name]
}

// upstream makes an upstream, or takes over the one before.
func (m *making) upstream(c *config.Upstream) *upstream.Upstream {
	name := c.Name
	if u := m.upstreams[name]; u != nil {
		return u
	}
	var made *Upstream
	if m.before != nil {
		for _, u := range m.before.Upstreams {
			if u.Name == name && u.text == c.Text {
				made = u
			}
		}
	}
	if made == nil {
		parts, err := partsOf(c)
		if err != nil {
			// Its static endpoints are asked all the same; a source that can't be made
			// has found nobody yet.
			m.s.Problems = append(m.s.Problems, c.At.Problem("", "%v", err))
		}
		made = &Upstream{m.b.registry.New(c, parts), c.Text}
	}
	m.upstreams[name] = made.Upstream
	m.s.Upstreams = append(m.s.Upstreams, made)
	return made.Upstream
}

// Retire ends what a snapshot has and next hasn't taken over: watchers of upstreams,
// guards, limits, observers. next may be nil.
func (s *Snapshot) Retire(next *Snapshot) {
	kept, keptRoutes := map[*upstream.Upstream]bool{}, map[*Route]bool{}
	if next != nil {
		for _, u := range next.Upstreams {
			kept[u.Upstream] = true
		}
		for _, r := range next.Routes {
			keptRoutes[r] = true
		}
	}
	for _, r := range s.Routes {
		if !keptRoutes[r] {
			r.close()
		}
	}
	for _, u := range s.Upstreams {
		if !kept[u.Upstream] {
			u.Close()
		}
	}
}

// target finds the upstream of a target.
func (m *making) target(t *config.Target) (*upstream.Upstream, error) {
	if t.Direct != nil {
		return m.upstream(t.Direct), nil
	}
	if u := m.upstreams[t.Upstream]; u != nil {
		return u, nil
	}
	return nil, fmt.Errorf("there is no upstream %q", t.Upstream)
}
