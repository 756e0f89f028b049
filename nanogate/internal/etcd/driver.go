package etcd

import (
	"context"
	"fmt"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/discovery"
	"dyno.example/nanogate/internal/upstream"
)

func init() {
	discovery.Register("etcd", discovery.Driver{
		Check: func(u *config.Upstream) error { return Check(&u.Etcd.Cluster) },
		Open: func(o discovery.Options) discovery.Client {
			s := New(Options{Log: o.Log})
			s.state, s.lookup = o.State, o.Lookup
			return s
		},
	})
	discovery.RegisterStore("etcd", discovery.StoreDriver{
		Check:             Check,
		Configuration:     configuration,
		CheckRegistration: func(r *discovery.Registration) error { return (*Registration)(r).Check() },
		Register: func(ctx context.Context, r *discovery.Registration, ready func()) error {
			return (*Registration)(r).Run(ctx, ready)
		},
	})
}

func configuration(s *discovery.Set, c *config.EtcdCluster, key string) (discovery.Configuration, error) {
	client, _ := s.Client("etcd")
	clusters, ok := client.(*Clusters) // those of the upstreams, for one connection
	if !ok {
		return nil, fmt.Errorf("expected clusters of etcd, got %T", client)
	}
	return clusters.Configuration(c, key), nil
}

// Endpoints implements [discovery.Client].
func (s *Clusters) Endpoints(u *config.Upstream) (upstream.Source, error) {
	return s.Source(u.Etcd, u.DNS), nil
}
