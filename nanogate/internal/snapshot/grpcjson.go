package snapshot

import (
	"fmt"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/schema"
	"dyno.example/nanogate/internal/upstream"
)

// grpcJSON makes what a route knows of the services behind it. What is only checked has
// no targets, and nobody is asked then.
func grpcJSON(c *config.Route, r *Route) error {
	if c.GRPCJSON == nil {
		return nil
	}
	var upstreams []*upstream.Upstream
	for i := range r.Targets {
		upstreams = append(upstreams, r.Targets[i].Upstream)
	}
	var err error
	if r.Schema, err = schema.New(c.GRPCJSON, upstreams); err != nil {
		return fmt.Errorf("grpc-json: %w", err)
	}
	return nil
}
