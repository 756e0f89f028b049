package snapshot

import (
	"dyno/gate/config"
	"dyno/gate/dns"
	"dyno/gate/upstream"
)

// names makes what resolves the host names among an upstream's endpoints.
func names(c *config.Upstream, parts *upstream.Parts) error {
	if n := dns.New(c); n != nil {
		parts.Sources = append(parts.Sources, n)
	}
	return nil
}
