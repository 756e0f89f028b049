package snapshot

import (
	"context"
	"slices"
	"time"

	"dyno.example/nanogate/internal/upstream"
)

// inherit has an upstream's sources begin with what those of the snapshot before have
// found.
func (m *making) inherit(parts *upstream.Parts) {
	for _, source := range parts.Sources {
		if heir, ok := source.(upstream.Successor); ok && m.before != nil {
			if m.sources == nil {
				for _, u := range m.before.Upstreams {
					m.sources = append(m.sources, u.Sources...)
				}
			}
			heir.Inherit(m.sources)
		}
	}
}

// Await waits until the sources of upstreams that aren't in before have said who there
// is, those of whom nobody is known yet: else requests would be refused for want of
// endpoints that are about to be found. It waits until ctx ends.
func (s *Snapshot) Await(ctx context.Context, before *Snapshot) {
	for _, u := range s.Upstreams {
		if len(u.Set().All) > 0 || slices.Contains(before.Upstreams, u) {
			continue
		}
		select {
		case <-u.Discovered():
		case <-ctx.Done():
			return
		}
	}
}

// MostAwaited is how long endpoints of a new configuration may take to be found until it
// is served all the same.
const MostAwaited = 2 * time.Second
