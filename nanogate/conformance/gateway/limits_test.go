//go:build linux

package gateway_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A limit before the guards counts whoever asks; one after them those that they let pass.
// What credentials may be wrong is bounded on its own.
func TestLimitBeforeGuards(t *testing.T) {
	upstream, requests := respondingWith(t, ok)
	keys := filepath.Join(t.TempDir(), "keys")
	const key = "0123456789abcdef"
	if err := os.WriteFile(keys, []byte("ann: "+key), 0o600); err != nil {
		t.Fatal(err)
	}
	_, address := start(t, "routes:\n"+
		"  - {match: {path: /before}, cors: {origins: \"https://a.example\"}, keys: {file: "+keys+", failures: off}, limit: {rate: 5/h, before: guards}, to: http://"+upstream+"}\n"+
		"  - {match: {path: /after}, keys: {file: "+keys+", failures: off}, limit: {rate: 5/h}, to: http://"+upstream+"}\n"+
		"  - {match: {path: /own}, keys: {file: "+keys+", failures: 3/h}, to: http://"+upstream+"}\n")
	for path, want := range map[string]string{"/before": "401 5, 429 65, with the key 429", "/after": "401 70, with the key 200", "/own": "401 3, 429 67, with the key 429"} {
		got := map[int]int{}
		for i := range 70 {
			resp, _ := ask(t, address, fmt.Sprintf("GET %s HTTP/1.1\r\nHost: a\r\nOrigin: https://a.example\r\nX-Api-Key: guessed-key-no-%d\r\n\r\n", path, i))
			got[resp.StatusCode]++
			if path == "/before" && resp.Header.Get("Access-Control-Allow-Origin") == "" {
				t.Errorf("%d: a page can't read it", resp.StatusCode)
			}
		}
		said := ""
		for _, status := range []int{401, 429} {
			if got[status] > 0 {
				said += fmt.Sprintf("%d %d, ", status, got[status])
			}
		}
		resp, _ := ask(t, address, "GET "+path+" HTTP/1.1\r\nHost: a\r\nX-Api-Key: "+key+"\r\n\r\n")
		if said += fmt.Sprintf("with the key %d", resp.StatusCode); said != want {
			t.Errorf("%s: %s, want %s", path, said, want)
		}
	}
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests reached the upstream", n)
	}
}

// Limits hold for their route only, and are kept by a change of another one.
func TestLimits(t *testing.T) {
	upstream, requests := respondingWith(t, "HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n")
	hung, arrived := make(chan struct{}), make(chan struct{}, 10)
	hanging := scripted(t, func(c *peer) {
		c.head()
		arrived <- struct{}{}
		<-hung
		io.WriteString(c, "HTTP/1.1 204 Yes\r\n\r\n")
	})
	_, address := start(t, "routes:\n"+
		"  - {match: {path: /rate}, limit: [{rate: 2/h}, {rate: 1/h, burst: 9, key: {header: x-user}}], to: http://"+upstream+"}\n"+
		"  - {name: shared, match: {path: /shared}, limit: {rate: 2/h, redis: \"unix:/nobody\"}, to: http://"+upstream+"}\n"+
		"  - {match: {path: /breaker}, breaker: {least: 3, over: 10m, open: 1m}, to: http://"+upstream+"}\n"+
		"  - {match: {path: /concurrency}, concurrency: 1, to: http://"+hanging+"}\n"+
		"  - {match: {path: /health}, respond: {status: 204}}\n")
	ask := func(path string) string {
		resp, _ := ask(t, address, "GET "+path+" HTTP/1.1\r\nHost: a\r\n\r\n")
		later, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		if later > 60 { // less by what has passed, which is a minute at most
			later = (later + 59) / 60 * 60
		}
		return strings.TrimSuffix(fmt.Sprint(resp.Status[:3], " ", later), " 0")
	}
	var got []string
	for _, path := range []string{"/rate", "/rate", "/rate", "/shared", "/shared", "/shared", "/breaker", "/breaker", "/breaker", "/breaker", "/health"} {
		got = append(got, ask(path))
	}
	if want := "500, 500, 429 1800, 500, 500, 429 1800, 500, 500, 500, 503 5, 204"; strings.Join(got, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
	}
	if n := requests.Load(); n != 7 {
		t.Errorf("%d requests reached the upstream, want 7", n)
	}
	first := dial(t, address)
	first.send("GET /concurrency HTTP/1.1\r\nHost: a\r\n\r\n")
	<-arrived
	if got := ask("/concurrency"); got != "503 1" {
		t.Errorf("beside the one that is under way: %s", got)
	}
	close(hung)
	if resp, _ := first.response(t, "GET"); resp.StatusCode != 204 {
		t.Errorf("the one that was admitted gets %d", resp.StatusCode)
	}
	if got := ask("/concurrency"); got != "204" {
		t.Errorf("with nothing under way: %s", got)
	}
}

// What is slow or fails is held to its part of the gateway, by all routes together, and
// other upstreams don't notice.
func TestBulkheads(t *testing.T) {
	hung, arrived := make(chan struct{}), make(chan struct{}, 10)
	hanging := scripted(t, func(c *peer) {
		c.head()
		arrived <- struct{}{}
		<-hung
		io.WriteString(c, "HTTP/1.1 204 Yes\r\n\r\n")
	})
	failing, requests := respondingWith(t, "HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n")
	_, address := start(t, "routes:\n"+
		"  - {match: {path: /slow/a}, to: slow}\n"+
		"  - {match: {path: /slow/b}, to: slow}\n"+
		"  - {match: {path: \"/bad/{x}\"}, retry: {attempts: 1}, to: bad}\n"+
		"  - {match: {path: /shed/low}, importance: low, to: shed}\n"+
		"  - {match: {path: /shed/said}, importance: {header: x-importance, most: critical}, to: shed}\n"+
		"upstreams:\n"+
		"  slow: {endpoints: [\""+hanging+"\"], concurrency: 1}\n"+
		"  shed: {endpoints: [\""+hanging+"\"], shed: {objective: 1s, least: 1, most: 1}}\n"+
		"  bad: {endpoints: [\""+failing+"\"], breaker: {least: 2, over: 10m, open: 1m}}\n")
	ask := func(path, fields string) int {
		resp, _ := ask(t, address, "GET "+path+" HTTP/1.1\r\nHost: a\r\n"+fields+"\r\n")
		return resp.StatusCode
	}
	under := []*peer{dial(t, address), dial(t, address), dial(t, address)}
	for i, asked := range []string{"GET /slow/a HTTP/1.1\r\n", "GET /shed/low HTTP/1.1\r\n", "GET /shed/said HTTP/1.1\r\nX-Importance: critical\r\n"} {
		under[i].send("%sHost: a\r\n\r\n", asked)
		<-arrived
	}
	for _, c := range []struct {
		path, fields string
		want         int
	}{
		{"/slow/b", "", 503}, {"/shed/low", "", 503}, {"/shed/said", "", 503}, {"/shed/said", "X-Importance: high\r\n", 503},
		{"/bad/1", "", 500}, {"/bad/2", "", 500}, {"/bad/3", "", 503},
	} {
		if got := ask(c.path, c.fields); got != c.want {
			t.Errorf("%s %q: %d, want %d", c.path, c.fields, got, c.want)
		}
	}
	if n := requests.Load(); n != 2 {
		t.Errorf("%d requests reached the one that fails, want 2", n)
	}
	close(hung)
	for i, c := range under {
		if resp, _ := c.response(t, "GET"); resp.StatusCode != 204 {
			t.Errorf("request %d, which was admitted, gets %d", i, resp.StatusCode)
		}
	}
	for _, path := range []string{"/slow/b", "/shed/low"} {
		if got := ask(path, ""); got != 204 {
			t.Errorf("%s with nothing under way: %d", path, got)
		}
	}
}
