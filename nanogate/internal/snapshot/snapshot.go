// Package snapshot is a configuration as it is carried out: routes with their guards
// and limits made, upstreams with their endpoints. A snapshot isn't changed. A new one
// is made from a new configuration and the snapshot before it, takes over from that
// what is configured the same, and is swapped in by one pointer: requests under way
// end as they began, no connection notices.
package snapshot

import (
	"dyno.example/nanogate/internal/cache"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/route"
	"dyno.example/nanogate/internal/upstream"
	"dyno.example/nanogate/internal/wasm"
)

// Snapshot is what the loops serve from.
type Snapshot struct {
	Config    *config.Config
	Routes    []*Route // in the order of the file
	Upstreams []*Upstream
	Plugins   []*wasm.Plugin
	Cache     *cache.Store // of all routes that store responses; nil: none does
	With      filter.Set   // filters that all routes have a hand of in their exchanges
	Unrouted  *Route       // stands for requests that no route was found for: their counts, their observers
	// Problems is what kept routes from being built; each of those responds 503.
	Problems config.Problems

	table    *route.Table[Route]
	sums     []config.Sum      // of Routes; zero of those that are looked at one by one: broken ones, and those with upstreams of their own
	topLevel topLevel          // of a route that doesn't say otherwise
	offers   middleware.Offers // that routes may use: compiled in, and plug-ins
	plugged  string            // what the configuration says of plug-ins
	named    int               // of Upstreams: so many at the front have names
}

// Upstream is one of a snapshot, by what it was made from.
type Upstream struct {
	*upstream.Upstream
	text   string
	broken error // why nobody may be sent there; nil: nothing
}

// Find returns the route of a request, nil if there is none.
func (s *Snapshot) Find(r *request.Request, f *route.Found) *Route {
	return s.table.Find(r, f)
}

// Allowed returns the methods that another route takes for the path of a request that
// none was found for because of its method.
func (s *Snapshot) Allowed(r *request.Request) []string { return s.table.Allowed(r) }

// Upstream returns the upstream of that name, nil if there is none.
func (s *Snapshot) Upstream(name string) *upstream.Upstream {
	for _, u := range s.Upstreams {
		if u.Name == name {
			return u.Upstream
		}
	}
	return nil
}
