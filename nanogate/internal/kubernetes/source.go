package kubernetes

import (
	"context"
	"sync/atomic"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/upstream"
)

// Source finds the endpoints of an upstream by the EndpointSlices of a Service.
type Source struct {
	clusters *Clusters
	config   *config.Kubernetes
	follow   atomic.Pointer[follow] // while it is watched
}

// Source makes the source of an upstream. It connects to nobody before it is watched.
func (s *Clusters) Source(c *config.Kubernetes) *Source {
	return &Source{clusters: s, config: c}
}

// Known returns what is known already: what another upstream follows, or what is on disk.
func (s *Source) Known() []upstream.Instance { return s.clusters.known(s.config) }

// Watch implements [upstream.Source].
func (s *Source) Watch(ctx context.Context, update func([]upstream.Instance)) {
	cl, f := s.clusters.join(s.config)
	s.follow.Store(f)
	stop := f.listen(update)
	<-ctx.Done()
	stop()
	s.clusters.part(cl, f)
}

// Status implements [upstream.Reporter].
func (s *Source) Status() upstream.SourceStatus {
	if f := s.follow.Load(); f != nil {
		return f.look()
	}
	return upstream.SourceStatus{From: from(s.config)}
}
