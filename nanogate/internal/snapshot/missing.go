package snapshot

import (
	"slices"

	"dyno.example/nanogate/internal/collector"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/discovery"
	"dyno.example/nanogate/internal/fleet"
	"dyno.example/nanogate/internal/schema"
)

// Missing says what a configuration asks for that isn't linked in, and how it would be. (What
// rules are written in is needed as soon as a file is read.)
func Missing(c *config.Config) config.Problems {
	problems := slices.Concat(discovery.Missing(c), fleet.Missing(c), collector.Missing(c), schema.Missing(c))
	problems.Sort()
	return problems
}
