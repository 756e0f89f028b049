package consul

import (
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/discovery"
	"dyno.example/nanogate/internal/upstream"
)

func init() {
	discovery.Register("consul", discovery.Driver{
		Check: func(u *config.Upstream) error { return Check(u.Consul) },
		Open:  func(o discovery.Options) discovery.Client { return client(o) },
	})
}

// client makes the sources of a gateway's upstreams, each with queries of its own.
type client discovery.Options

// Endpoints implements [discovery.Client].
func (c client) Endpoints(u *config.Upstream) (upstream.Source, error) {
	s, err := New(u.Consul, u.DNS, Options{Log: c.Log, State: c.State})
	if err == nil && c.Lookup != nil {
		s.names.SetLookup(c.Lookup)
	}
	return s, err
}
