package kubernetes

import (
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/discovery"
	"dyno.example/nanogate/internal/upstream"
)

func init() {
	discovery.Register("kubernetes", discovery.Driver{
		Check: func(u *config.Upstream) error { return Check(&u.Kubernetes.Cluster) },
		Open: func(o discovery.Options) discovery.Client {
			s := New(Options{Log: o.Log})
			s.state = o.State
			return s
		},
	})
}

// Endpoints implements [discovery.Client].
func (s *Clusters) Endpoints(u *config.Upstream) (upstream.Source, error) {
	return s.Source(u.Kubernetes), nil
}
