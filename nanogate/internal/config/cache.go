package config

import (
	"slices"
	"strings"
	"time"
)

// Cache bounds what is stored of responses, of all routes together.
type Cache struct {
	Size   int64 // bytes
	Object int64 // of one response
}

var cacheFields = []known[Cache]{
	// Bytes of all stored responses.
	{"size", func(c *Cache, p place) { c.Size = p.size(1<<20, 1<<42) }},
	// Bytes of one response.
	{"object", func(c *Cache, p place) { c.Object = p.size(4<<10, 1<<30) }},
}

func (c *Config) readCache(p place) {
	readFields(p, &c.Cache, cacheFields)
	if c.Cache.Object > c.Cache.Size/4 {
		p.Problem("make size larger, or object smaller", "one response may be a quarter of all that is stored, %d bytes, and object is %d", c.Cache.Size/4, c.Cache.Object)
	}
}

// Caching is what a route's responses are stored by (RFC 9111), and given when they are
// stale (RFC 5861).
type Caching struct {
	At              At
	Shared          bool          // what a guard lets pass is the same for all whom it does
	Heuristic       time.Duration // the longest that a response is fresh which doesn't say how long; 0: none is
	WhileRevalidate time.Duration // for responses that don't say it themselves
	IfError         time.Duration // in the same way
	Wait            time.Duration // for the response to a request of the same kind; 0: each asks by itself
	Waiters         int           // of one response at most
	Obey            bool          // what clients say in Cache-Control counts
	Targets         []string      // fields, in lower case, that count more than Cache-Control and Expires, the first that is there most (RFC 9213)
	CacheStatus     bool          // responses say in Cache-Status what the cache did
}

var cachingFields = []known[Caching]{
	// What a guard lets pass is the same for everybody it lets pass. Default: `false`
	{"shared", func(c *Caching, p place) { c.Shared = p.Boolean() }},
	// The longest that a response without a lifetime is fresh. Default: off
	{"heuristic", func(c *Caching, p place) { c.Heuristic = p.Duration(0, 24*time.Hour) }},
	// For responses that don't say it themselves. Default: none
	{"stale-while-revalidate", func(c *Caching, p place) { c.WhileRevalidate = p.Duration(0, 30*24*time.Hour) }},
	// For responses that don't say it themselves. Default: none
	{"stale-if-error", func(c *Caching, p place) { c.IfError = p.Duration(0, 30*24*time.Hour) }},
	// How long a request waits for the response to another one of the same kind; `0s`: each is
	// sent.
	{"wait", func(c *Caching, p place) { c.Wait = p.Duration(0, time.Minute) }},
	// Requests that may wait for one response.
	{"waiters", func(c *Caching, p place) { c.Waiters = p.Integer(1, 100_000) }},
	// Whether Cache-Control of a request counts. Default: `honor`
	{"request-directives", func(c *Caching, p place) { c.Obey = p.word("honor", "ignore") == "honor" }},
	// Fields that count more than Cache-Control and Expires (RFC 9213), the first that a response
	// has. Default: `CDN-Cache-Control`
	{"targets", func(c *Caching, p place) { c.Targets = readTargets(p) }},
	// Responses say in Cache-Status what the cache did.
	{"status", func(c *Caching, p place) { c.CacheStatus = p.Boolean() }},
}

func readCaching(p place) *Caching {
	c := &Caching{At: p.At(), Wait: 5 * time.Second, Waiters: 1000, Obey: true, Targets: []string{"cdn-cache-control"}, CacheStatus: true}
	readFields(p, c, cachingFields)
	return c
}

// mostTargets is how many fields a route may look for in place of Cache-Control.
const mostTargets = 4

func readTargets(p place) (all []string) {
	items := p.list()
	if len(items) > mostTargets {
		p.Problem("", "expected at most %d fields, got %d", mostTargets, len(items))
		return nil
	}
	for _, item := range items {
		name := strings.ToLower(item.token("header field"))
		switch {
		case name == "cache-control":
			item.Problem("remove it", "Cache-Control counts anyway, when none of the others is there")
		case name != "" && !strings.HasSuffix(name, "-control"):
			item.Problem("such as CDN-Cache-Control", "expected a field that targets caches, which ends in -Control, got %s", form.Quote(name))
		case slices.Contains(all, name):
			item.Problem("remove one of them", "the field is given twice")
		}
		all = append(all, name)
	}
	return all
}

// checkCaching refuses to store what may be for one client only, unless the file says that
// it isn't.
func (r *Route) checkCaching() *Problem {
	if r.Cache == nil || r.Cache.Shared {
		return nil
	}
	by := ""
	switch {
	case r.MTLS != nil:
		by = "mtls"
	case r.Keys != nil:
		by = "keys"
	case r.Basic != nil:
		by = "basic"
	case r.JWT != nil:
		by = "jwt"
	case r.Introspect != nil:
		by = "introspect"
	case r.OIDC != nil:
		by = "oidc"
	case len(r.Identity) > 0:
		by = "identity"
	case len(r.Rules) > 0:
		by = "rules"
	default:
		return nil
	}
	problem := r.Cache.At.Problem("say shared: true if all who may ask get the same", "the upstream knows who asks by %s, and what is stored is given to everybody", by)
	return &problem
}
