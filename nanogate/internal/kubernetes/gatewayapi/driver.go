package gatewayapi

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/discovery"
	"dyno.example/nanogate/internal/kubernetes"
	"dyno.example/nanogate/internal/secure"
	"dyno.example/nanogate/internal/upstream"
)

func init() {
	discovery.RegisterRoutes("kubernetes", discovery.RouteDriver{
		Check: func(c *config.Config) error { return kubernetes.Check(&c.Kubernetes.Cluster) },
		Same:  followedAlike,
		Open: func(c *config.Config, s *discovery.Set) (discovery.Configuration, error) {
			client, _ := s.Client("kubernetes")
			clusters, ok := client.(*kubernetes.Clusters)
			if !ok {
				return nil, fmt.Errorf("expected clusters of Kubernetes, got %T", client)
			}
			return &routes{config: c, clusters: clusters, log: s.Log()}, nil
		},
	})
}

// followedAlike is equal for configurations that a follower takes for the same.
func followedAlike(c *config.Config) string {
	plain, tls, secrets := 0, 0, 0
	for _, l := range c.Listen {
		switch {
		case l.TLS == nil:
			plain = 1
		case l.TLS.Kubernetes:
			tls, secrets = 1, 1
		default:
			tls = 1
		}
	}
	return fmt.Sprint(c.Kubernetes.Text, c.Dir, plain, tls, secrets, Ports(c), c.Identity)
}

// routes are those of the Gateways that a configuration names.
type routes struct {
	config   *config.Config
	clusters *kubernetes.Clusters
	log      *slog.Logger
	follower atomic.Pointer[Follower] // while they are followed
}

// Follow implements [discovery.Configuration].
func (r *routes) Follow(ctx context.Context, apply func(discovery.Document) error) error {
	name := from(r.config.Kubernetes)
	f := Follow(r.config, Options{
		Clusters: r.clusters, Log: r.log,
		Apply: func(a *config.Addition) error {
			return apply(discovery.Document{Name: name, Addition: a, By: "kubernetes"})
		},
		Certify: func(all []secure.Bound) {
			_ = apply(discovery.Document{Name: name, Certificates: all, By: "kubernetes"})
		},
	})
	r.follower.Store(f)
	<-ctx.Done()
	f.Close()
	return nil
}

// Status implements [discovery.Configuration].
func (r *routes) Status() upstream.SourceStatus {
	if f := r.follower.Load(); f != nil {
		return f.Status()
	}
	return upstream.SourceStatus{From: from(r.config.Kubernetes)}
}
