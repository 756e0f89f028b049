package snapshot

import (
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/discovery"
	_ "dyno.example/nanogate/internal/dns" // each gateway finds endpoints by their host names
	"dyno.example/nanogate/internal/upstream"
)

// registered reads what an upstream's sources need of files, such as what they log in with.
// The sources themselves are the builder's to make, as upstreams share what they are asked
// by, and its log.
func registered(c *config.Upstream, _ *upstream.Parts) error { return discovery.Check(c) }
