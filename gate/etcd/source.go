package etcd

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"dyno/gate/config"
	"dyno/gate/dns"
	"dyno/gate/upstream"
)

// Source finds the instances of an upstream below a prefix.
type Source struct {
	clusters *Clusters
	config   *config.Etcd
	names    *dns.Names
	follow   atomic.Pointer[follow] // while it is watched
}

// Source makes the source of an upstream, whose host names are resolved by those rules.
// It connects to nobody before it is watched.
func (s *Clusters) Source(c *config.Etcd, rules config.DNS) *Source {
	return &Source{clusters: s, config: c, names: dns.For(rules, nil)}
}

// Known returns what is known already: what another upstream follows, or what is on disk.
// Names of hosts have to be resolved first, or known from sources before.
func (s *Source) Known() []upstream.Instance {
	addresses, names := split(s.clusters.known(s.config))
	if len(names) > 0 {
		s.names.Set(names)
	}
	return slices.Concat(addresses, s.names.Found())
}

// Inherit implements [upstream.Heir], for the names of hosts.
func (s *Source) Inherit(before []upstream.Source) { s.names.Inherit(before) }

// Resolved is what resolves the names of hosts.
func (s *Source) Resolved() *dns.Names { return s.names }

// Watch implements [upstream.Source].
func (s *Source) Watch(ctx context.Context, update func([]upstream.Instance)) {
	cl, f := s.clusters.join(s.config)
	s.follow.Store(f)
	h := &hosts{ctx: ctx, names: s.names, update: update}
	stop := f.listen(h.tell)
	<-ctx.Done()
	stop()
	h.resolving.Wait()
	s.clusters.part(cl, s.config.Prefix, f)
}

// Status implements [upstream.Reporter].
func (s *Source) Status() upstream.SourceStatus {
	if f := s.follow.Load(); f != nil {
		return f.look()
	}
	return upstream.SourceStatus{From: from(s.config)}
}

// from names where instances come from.
func from(c *config.Etcd) string {
	return "etcd " + strings.Join(c.Cluster.Endpoints, ",") + " " + c.Prefix
}

// split parts instances that have an address from those that have a host name.
func split(all []upstream.Instance) (addresses, names []upstream.Instance) {
	for _, in := range all {
		if in.Address.Name != "" {
			names = append(names, in)
		} else {
			addresses = append(addresses, in)
		}
	}
	return addresses, names
}

// hosts puts what the host names among instances resolve to in their place.
type hosts struct {
	ctx       context.Context
	names     *dns.Names
	update    func([]upstream.Instance)
	resolving sync.WaitGroup

	mu        sync.Mutex
	started   bool
	addresses []upstream.Instance // those that came as such
}

// tell tells what there is now. Names that weren't there before follow when they are
// resolved; as long as nothing else is there, what was told stays.
func (h *hosts) tell(all []upstream.Instance) {
	h.mu.Lock()
	defer h.mu.Unlock()
	addresses, names := split(all)
	h.addresses = addresses
	if len(names) == 0 && !h.started {
		h.update(addresses)
		return
	}
	h.names.Set(names)
	if now := slices.Concat(addresses, h.names.Found()); len(now) > 0 || len(names) == 0 {
		h.update(now)
	}
	if !h.started && h.ctx.Err() == nil {
		h.started = true
		h.resolving.Go(func() { h.names.Watch(h.ctx, h.resolved) })
	}
}

// resolved tells what the names are now.
func (h *hosts) resolved([]upstream.Instance) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := slices.Concat(h.addresses, h.names.Found()); len(now) > 0 {
		h.update(now)
	}
}
