//go:build linux

package command

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/admin"
	"dyno.example/nanogate/internal/canary"
)

func TestDivide(t *testing.T) {
	for _, c := range []struct {
		lines int
		wants []int
		got   []int
	}{
		{10, []int{3, 3}, []int{3, 3}}, {10, []int{20, 3}, []int{7, 3}}, {10, []int{20, 20, 1}, []int{5, 4, 1}}, {2, []int{5, 5, 5}, []int{1, 1, 0}}, {-3, []int{5}, []int{0}}, {3, nil, []int{}},
	} {
		if got := divide(c.lines, c.wants); !slices.Equal(got, c.got) {
			t.Errorf("%d lines for %v: %v, want %v", c.lines, c.wants, got, c.got)
		}
	}
}

// A page has all its parts, and is never longer than the terminal: what there is no room
// for is counted.
func TestPage(t *testing.T) {
	at := time.Unix(1000, 0)
	one := 1.5
	now := look{
		at: at.Add(time.Second), cache: &admin.Cache{Bytes: 3 << 20, Most: 256 << 20, URLs: 12, Evicted: 7, Purged: 2},
		mirrors:  []admin.Mirror{{Route: "r1", To: "next", Share: 0.1, Same: 90, Different: 9, Failed: 1, Dropped: map[string]uint64{"queue": 4}, Mean: 1, ShadowMean: 2}},
		canaries: []admin.Canary{{Route: "r2", To: "new", State: canary.Running.String(), Step: 2, Steps: 3, Weight: 0.05, Canary: canary.Side{Requests: 100, Failed: 5}, Stable: canary.Side{Requests: 1900, Failed: 19}, Failed: &admin.Ratio{Estimate: &one, Low: 1.2, High: nil}}},
		asked:    []admin.Identity{{Route: "r3", Guard: "oidc", Where: "https://id.example", Ready: true, Logouts: 17}, {Route: "r4", Guard: "jwt", Where: "https://keys.example", Error: "refused"}},
		shown:    []admin.Certificate{{Name: "shop.example", Expires: new(at.Add(90*24*time.Hour + time.Hour)), Renews: new(at.Add(time.Hour)), Failures: 3, Error: "forbidden"}, {File: "/site.pem", Expires: new(at)}, {Name: "new.example"}},
		plugins:  []admin.Plugin{{Name: "stamp", Requests: 5, Responses: 4, Replied: 1, Failed: map[string]uint64{"late": 1, "trapped": 2}, Mean: 0.5, Memory: 2 << 20}},
		counts:   map[string]uint64{"mirror r1": 100, cacheEvicted: 7},
	}
	before := look{at: at, counts: map[string]uint64{"mirror r1": 50, cacheEvicted: 4}}
	now.status.Problems = []string{"p1", "p2", "p3", "p4", "p5"}
	for i := range 60 {
		now.routes = append(now.routes, admin.Route{Name: fmt.Sprint("r", i), Path: fmt.Sprint("/r", i)})
		now.counts[fmt.Sprint("route r", i)], before.counts[fmt.Sprint("route r", i)] = uint64(i), 0
	}
	now.upstreams = []admin.Upstream{{Name: "u", Endpoints: make([]admin.Endpoint, 30)}}
	t1 := &top{before: before}
	whole := string(t1.page(&now, 0))
	for _, part := range []string{
		"cache  3 MiB of 256 MiB  12 URLs  3 evicted/s  2 purged", "! p3\n! and 2 more problems\n", "41 more routes", "11 more endpoints",
		"MIRRORED/S", "r1", "10 %", "step 2 of 3", "5 %", "1.5 (1.2 to ∞)", "/r59",
	} {
		if !strings.Contains(whole, part) {
			t.Errorf("it lacks %q:\n%s", part, whole)
		}
	}
	if tight := strings.Join(strings.Fields(whole), " "); !strings.Contains(tight, "ITS MEAN MS 50 r1 next 10 % 90 9 1 4 1 2 ROUTE") {
		t.Errorf("the mirror isn't shown right:\n%s", whole)
	}
	tight := strings.Join(strings.Fields(whole), " ")
	for _, part := range []string{
		"STATE LOGOUTS GUARD ROUTE ASKS LAST ERROR known 17 oidc r3 https://id.example away 0 jwt r4 https://keys.example refused",
		"LAST ERROR in 90 days in 1h0m0s 3 shop.example forbidden over - 0 /site.pem - - 0 new.example",
		"PLUG-IN 5 4 1 3 0.5 2 MiB stamp",
	} {
		if !strings.Contains(tight, part) {
			t.Errorf("it lacks %q:\n%s", part, whole)
		}
	}
	for height := 1; height < 150; height++ {
		page := t1.page(&now, height)
		if n := strings.Count(string(page), "\n"); n > max(height, 6) { // the head is always there
			t.Errorf("%d lines of %d", n, height)
		}
		if height > 45 && (!strings.Contains(string(page), "MIRRORED/S") || !strings.Contains(string(page), "step 2 of 3")) {
			t.Errorf("in %d lines mirrors or canaries have no room:\n%s", height, page)
		}
	}
}

// A source that can't be read is told, with the age of what is known.
func TestAway(t *testing.T) {
	at := time.Unix(100_000, 0)
	now := look{at: at, upstreams: []admin.Upstream{
		{Name: "a", Sources: []admin.Source{{From: "consul x a", Live: true}}},
		{Name: "b", Sources: []admin.Source{{From: "consul x b", Since: at.Add(-time.Minute), Error: "refused"}}},
		{Name: "c", Sources: []admin.Source{{From: "kubernetes c", Since: at.Add(-time.Second), Stored: true, Read: at.Add(-3 * time.Hour)}}},
	}}
	now.status.From = &admin.Source{From: "kubernetes gateway web", Since: at.Add(-2 * time.Second)}
	got := strings.Join(now.away(), "\n")
	const want = `routes: kubernetes gateway web isn't read since 2s
upstream b: consul x b isn't read since 1m0s: refused
upstream c: kubernetes c isn't read since 1s, and what is known was kept on disk 3h0m0s ago`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
