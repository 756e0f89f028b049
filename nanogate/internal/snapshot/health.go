package snapshot

import (
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/health"
	"dyno.example/nanogate/internal/upstream"
)

// healthParts makes what finds out which endpoints should not be asked.
func healthParts(c *config.Upstream, parts *upstream.Parts) error {
	if c.Health != nil {
		parts.Watchers = append(parts.Watchers, health.NewActive(c.Health))
	}
	if c.SlowStart > 0 {
		parts.Watchers = append(parts.Watchers, upstream.NewSlowStart(c.SlowStart))
	}
	if c.Outliers != nil {
		outliers := health.NewOutliers(c.Outliers)
		parts.Watchers = append(parts.Watchers, outliers)
		parts.Detectors = append(parts.Detectors, outliers)
	}
	return nil
}
