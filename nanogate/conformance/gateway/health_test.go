//go:build linux

package gateway_test

import (
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/gateway"
)

// down waits until so many endpoints of the first upstream aren't asked.
func down(t *testing.T, g *gateway.Gateway, want int) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		set := g.Snapshot().Upstreams[0].Set()
		if len(set.All)-len(set.Usable) == want {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d of %d endpoints may be asked", len(set.Usable), len(set.All))
		}
	}
}

// An endpoint that is not well is found by asking it, and one whose responses fail by
// its responses; neither is asked then.
func TestHealth(t *testing.T) {
	good, _ := respondingWith(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	sick := scripted(t, func(c *peer) {
		for {
			r, err := c.request()
			if err != nil {
				return
			}
			if r.URL.Path == "/health" {
				c.send("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")
			} else {
				c.send("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n")
			}
		}
	})
	for _, rule := range []string{"health: {path: /health, every: 50ms, timeout: 30s}", "outliers: {failures: 2}"} {
		g, address := start(t, "routes: [{to: u}]\nupstreams: {u: {endpoints: [\""+good+"\", \""+sick+"\"], balance: round-robin, "+rule+"}}\n")
		statuses := func(n int) string {
			var all []string
			for range n {
				resp, _ := ask(t, address, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
				all = append(all, resp.Status[:3])
			}
			return strings.Join(all, " ")
		}
		if strings.HasPrefix(rule, "outliers") {
			if got := statuses(4); strings.Count(got, "500") != 2 {
				t.Fatalf("%s: %s", rule, got)
			}
		}
		down(t, g, 1)
		if got := statuses(6); got != "200 200 200 200 200 200" {
			t.Errorf("%s: %s", rule, got)
		}
	}
}
