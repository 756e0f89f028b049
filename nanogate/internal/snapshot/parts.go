package snapshot

import (
	"errors"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/upstream"
)

// partMakers make what upstreams have apart from their static endpoints: sources,
// watchers, detectors. Each adds its own to parts if the configuration asks for it. A new
// kind is added here.
var partMakers = []func(c *config.Upstream, parts *upstream.Parts) error{secured, registered, healthParts, bulkheads}

// partsOf makes all that an upstream asks for. What can be made is there beside an
// error.
func partsOf(c *config.Upstream) (parts upstream.Parts, err error) {
	for _, add := range partMakers {
		err = errors.Join(err, add(c, &parts))
	}
	return parts, err
}
