package snapshot

import (
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/limit"
	"dyno.example/nanogate/internal/upstream"
)

// bulkheads make the limits of an upstream: one that is slow or fails takes no more of
// the gateway than they let it, and keeps no route waiting that goes elsewhere.
func bulkheads(c *config.Upstream, parts *upstream.Parts) error {
	if c.Shed != nil {
		parts.Limits = append(parts.Limits, limit.NewShed(c.Shed))
	}
	if c.Concurrency != nil {
		parts.Limits = append(parts.Limits, limit.NewConcurrency(c.Concurrency))
	}
	if c.Breaker != nil {
		parts.Limits = append(parts.Limits, limit.NewBreaker(c.Breaker))
	}
	return nil
}
