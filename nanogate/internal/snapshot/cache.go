package snapshot

import (
	"time"

	"dyno.example/nanogate/internal/cache"
	"dyno.example/nanogate/internal/config"
)

// Caching is how a route's responses are stored, and given again.
type Caching struct {
	cache.Policy
	Store       *cache.Store
	Route       cache.Key // of requests of this route as it is configured: another route's have another
	Wait        time.Duration
	Waiters     int
	CacheStatus bool
	Counts      *cache.Counts
}

// caches makes what the route stores its responses by.
func (r *Route) caches(m *making, before *Route) {
	c := r.Config.Cache
	if c == nil {
		return
	}
	store := m.s.Cache
	r.Cache = &Caching{
		Policy: cache.Policy{Heuristic: c.Heuristic, WhileRevalidate: c.WhileRevalidate, IfError: c.IfError, Obey: c.Obey, Targets: c.Targets},
		Store:  store, Route: store.KeyOf([]byte(r.Name + "\x00" + r.text)),
		Wait: c.Wait, Waiters: c.Waiters, CacheStatus: c.CacheStatus,
	}
	if before != nil && before.Cache != nil {
		r.Cache.Counts = before.Cache.Counts
	} else {
		r.Cache.Counts = cache.NewCounts(m.loops())
	}
}

// store is the gateway's, if a route stores responses; nil if none does.
func (b *Builder) store(c *config.Config) *cache.Store {
	switch {
	case !c.Caches:
		if b.cache != nil {
			b.cache.PurgeAll()
		}
		return nil
	case b.cache == nil:
		b.cache = cache.New(c.Cache.Size, c.Cache.Object)
	default:
		b.cache.Resize(c.Cache.Size, c.Cache.Object)
	}
	return b.cache
}
