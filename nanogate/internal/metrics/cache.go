//go:build linux

package metrics

import "dyno.example/nanogate/internal/cache"

// cache writes what is stored, and what became of routes' requests there.
func (r *report) cache() {
	if r.s.Cache == nil {
		return
	}
	f, started := r.s.Cache.Read(), r.g.Started()
	for _, one := range []struct {
		name, help string
		value      float64
	}{
		{"nanogate_cache_bytes", "Bytes of responses in the cache.", float64(f.Bytes)},
		{"nanogate_cache_most_bytes", "Bytes that the cache may hold.", float64(f.Most)},
		{"nanogate_cache_urls", "URLs with a response in the cache.", float64(f.URLs)},
	} {
		r.family(one.name, gauge, one.help)
		r.level(one.value)
	}
	for _, one := range []struct {
		name, help string
		value      uint64
	}{
		{"nanogate_cache_evictions_total", "URLs that were evicted from the cache because it was full.", f.Evicted},
		{"nanogate_cache_purged_total", "URLs and responses that were purged from the cache, or invalidated by unsafe requests.", f.Purged},
		{"nanogate_cache_refused_total", "Responses that could have been cached but weren't: too large, too many at once, or purged while they arrived.", f.Refused},
	} {
		r.family(one.name, counter, one.help)
		r.count(float64(one.value), started)
	}
	r.family("nanogate_cache_requests_total", counter, "Requests of routes with a cache, by what the cache had for them.")
	for _, route := range r.s.Routes {
		if route.Cache == nil {
			continue
		}
		for result, n := range route.Cache.Counts.Read().Results {
			r.count(float64(n), started, "route", route.Name, "result", cache.Result(result).String())
		}
	}
	r.family("nanogate_cache_stored_total", counter, "Responses that were stored in the cache.")
	for _, route := range r.s.Routes {
		if route.Cache != nil {
			r.count(float64(route.Cache.Counts.Read().Stored), started, "route", route.Name)
		}
	}
	r.family("nanogate_cache_served_bytes_total", counter, "Bytes of content that were served from the cache.")
	for _, route := range r.s.Routes {
		if route.Cache != nil {
			r.count(float64(route.Cache.Counts.Read().Bytes), started, "route", route.Name)
		}
	}
}
