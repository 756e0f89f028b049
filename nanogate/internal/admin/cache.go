//go:build linux

package admin

import (
	"encoding/json"
	"slices"

	"dyno.example/nano"
	"dyno.example/nanogate/internal/cache"
	"dyno.example/nanogate/internal/gateway"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/snapshot"
)

// Cache is what is stored of responses.
type Cache struct {
	Bytes   uint64 `json:"bytes"`
	Most    int64  `json:"most_bytes"`
	URLs    int    `json:"urls"`
	Evicted uint64 `json:"evicted"` // URLs that there was no room for any more
	Purged  uint64 `json:"purged"`
	Refused uint64 `json:"refused"` // responses that there was no room for, or that were purged on their way
}

// RouteCache is what became of a route's requests at the cache.
type RouteCache struct {
	Results map[string]uint64 `json:"results"` // requests by [cache.Result]
	Stored  uint64            `json:"stored"`  // responses
	Bytes   uint64            `json:"bytes"`   // of content that was given from the store
}

// cacheOf describes the store; nil if no route has a cache.
func cacheOf(s *snapshot.Snapshot) *Cache {
	if s.Cache == nil {
		return nil
	}
	f := s.Cache.Read()
	return &Cache{f.Bytes, f.Most, f.URLs, f.Evicted, f.Purged, f.Refused}
}

// routeCacheOf describes a route's cache; nil if it has none.
func routeCacheOf(r *snapshot.Route) *RouteCache {
	if r.Cache == nil {
		return nil
	}
	t := r.Cache.Counts.Read()
	v := &RouteCache{Results: map[string]uint64{}, Stored: t.Stored, Bytes: t.Bytes}
	for result, n := range t.Results {
		if n > 0 {
			v.Results[cache.Result(result).String()] = n
		}
	}
	return v
}

// purging is a request to purge stored responses.
type purging struct {
	URLs []string `json:"urls"`
	Tags []string `json:"tags"`
	All  bool     `json:"all"`
}

// mostPurged is how many URLs and tags one request may name: for each tag all that is stored
// is looked at.
const mostPurged = 100

// purge takes responses out of the store: those of URLs, those with tags, or all.
func purge(g *gateway.Gateway) nano.Handler {
	return func(c nano.Ctx) error {
		body, err := c.Body()
		if err != nil {
			return err
		}
		var asked purging
		if err := json.Unmarshal(body, &asked); err != nil || !asked.All && len(asked.URLs)+len(asked.Tags) == 0 {
			return nano.NewProblem(400, `expected {"urls": ["https://host/path"], "tags": ["name"]}, or {"all": true}`)
		}
		if len(asked.URLs)+len(asked.Tags) > mostPurged {
			return nano.NewProblem(400, "expected at most 100 URLs and tags")
		}
		s := g.Snapshot()
		if s.Cache == nil {
			return nano.NewProblem(409, "no route has a cache")
		}
		var urls [][]byte
		for _, text := range asked.URLs {
			url, err := cache.ParseURL(text, request.Keeps(s.Config.Paths))
			if err != nil {
				return nano.NewProblem(400, text+": "+err.Error())
			}
			urls = append(urls, url)
		}
		if slices.Contains(asked.Tags, "") {
			return nano.NewProblem(400, "a tag is empty")
		}
		purged := 0
		for _, tag := range asked.Tags {
			purged += s.Cache.PurgeTag(tag)
		}
		for _, url := range urls {
			if s.Cache.Invalidate(s.Cache.KeyOf(url)) {
				purged++
			}
		}
		if asked.All {
			purged += s.Cache.PurgeAll()
		}
		return c.JSON(200, map[string]int{"purged": purged})
	}
}
