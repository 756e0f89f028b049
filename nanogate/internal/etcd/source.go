package etcd

import (
	"context"
	"strings"
	"sync/atomic"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/dns"
	"dyno.example/nanogate/internal/upstream"
)

// Source finds the instances of an upstream below a prefix.
type Source struct {
	clusters *Clusters
	config   *config.Etcd
	names    *dns.Names
	follow   atomic.Pointer[follow] // while it is watched
}

// Source makes the source of an upstream, whose host names are resolved by those rules.
// It opens no connection before it is watched.
func (s *Clusters) Source(c *config.Etcd, rules config.DNS) *Source {
	return &Source{clusters: s, config: c, names: dns.For(rules, s.lookup)}
}

// Known returns what is known already: what another upstream follows, or what is on disk.
// Names of hosts have to be resolved first, or known from sources before.
func (s *Source) Known() []upstream.Instance { return s.names.Resolve(s.clusters.known(s.config)) }

// Inherit implements [upstream.Successor], for the names of hosts.
func (s *Source) Inherit(before []upstream.Source) { s.names.Inherit(before) }

// Resolved is what resolves the names of hosts.
func (s *Source) Resolved() *dns.Names { return s.names }

// Watch implements [upstream.Source].
func (s *Source) Watch(ctx context.Context, update func([]upstream.Instance)) {
	cl, f := s.clusters.join(s.config)
	s.follow.Store(f)
	h := s.names.Hosts(ctx, update)
	stop := f.listen(h.Tell)
	<-ctx.Done()
	stop()
	h.Wait()
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
