package dns

import (
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/discovery"
	"dyno.example/nanogate/internal/upstream"
)

func init() {
	discovery.Register("dns", discovery.Driver{
		Open: func(o discovery.Options) discovery.Client { return client(o) },
	})
}

// client makes the sources of a gateway's upstreams, each with lookups of its own.
type client discovery.Options

// Endpoints implements [discovery.Client].
func (c client) Endpoints(u *config.Upstream) (upstream.Source, error) {
	return New(u, c.Lookup), nil
}
