//go:build linux

package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Whatever the shadow does with what it is sent, each client gets all of its first responses,
// in its own order, though it sends all of its requests at once, before the shadow has
// responded to anything. Afterwards every request is counted once, and what is counted as
// different is exactly what the shadow responded to differently.
func TestMirrorNeverDelays(t *testing.T) {
	const clients, each = 6, 30
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path) }))
	t.Cleanup(first.Close)
	for name, c := range map[string]struct {
		response func(w http.ResponseWriter, r *http.Request, n int) // to request n, when it is let go
		free     bool                                                // it responds at once
		whole    bool                                                // its responses are, so that they are compared
	}{
		"hangs, and responds late": {response: func(w http.ResponseWriter, r *http.Request, n int) {
			if n%7 == 0 {
				w.WriteHeader(203)
			}
		}, whole: true},
		"hangs, and hangs up": {response: func(http.ResponseWriter, *http.Request, int) { panic(http.ErrAbortHandler) }},
		"floods": {response: func(w http.ResponseWriter, r *http.Request, n int) {
			if n%7 == 0 {
				w.WriteHeader(203)
			}
			for piece := make([]byte, 32<<10); ; {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		}, free: true, whole: true},
		"floods with fields": {response: func(w http.ResponseWriter, r *http.Request, n int) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				return
			}
			defer conn.Close()
			io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
			for line := strings.Repeat("x-a: "+strings.Repeat("a", 1000)+"\r\n", 10); ; {
				if _, err := io.WriteString(conn, line); err != nil {
					return
				}
			}
		}, free: true},
	} {
		t.Run(name, func(t *testing.T) {
			var responded atomic.Int32
			var mu sync.Mutex
			seen := map[int]bool{}
			letGo := make(chan struct{})
			if c.free {
				close(letGo)
			}
			second := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
				mu.Lock()
				if seen[n] {
					t.Errorf("request %d was mirrored twice", n)
				}
				seen[n] = true
				mu.Unlock()
				<-letGo
				responded.Add(1)
				c.response(w, r, n)
			}))
			t.Cleanup(second.Close)
			g, at := start(t, fmt.Sprintf("routes: [{to: %q, mirror: {to: %q, concurrency: 3, queue: 9, timeout: 10m, compare: {status: true}}}]\n", first.URL, second.URL))
			var all sync.WaitGroup
			for k := range clients {
				all.Go(func() {
					conn := dial(t, at)
					var b strings.Builder
					for i := range each {
						fmt.Fprintf(&b, "GET /%d HTTP/1.1\r\nHost: h\r\n\r\n", k*each+i)
					}
					conn.send("%s", b.String())
					for i := range each {
						resp, err := http.ReadResponse(conn.r, nil)
						if err != nil {
							t.Errorf("client %d has %d responses of %d: %v", k, i, each, err)
							return
						}
						body, err := io.ReadAll(resp.Body)
						if want := fmt.Sprint("/", k*each+i); err != nil || string(body) != want {
							t.Errorf("client %d got %q, %v, want %s", k, body, err, want)
						}
					}
				})
			}
			all.Wait()
			if n := responded.Load(); n != 0 && !c.free {
				t.Errorf("the shadow has responded to %d requests", n)
			}
			if !c.free {
				close(letGo)
			}
			counts := mirrored(t, g, clients*each)
			dropped, asked, differ := uint64(0), uint64(0), uint64(0)
			for _, n := range counts.Dropped {
				dropped += n
			}
			mu.Lock()
			defer mu.Unlock()
			for n := range seen {
				if asked++; n%7 == 0 {
					differ++
				}
			}
			if counts.Same+counts.Different+counts.Failed+dropped != clients*each || counts.Same+counts.Different+counts.Failed != asked || asked == 0 {
				t.Errorf("%d were sent and %d mirrored, and counted are %+v", clients*each, asked, counts)
			}
			if c.whole && (counts.Different != differ || counts.Failed != 0) || !c.whole && counts.Failed != asked {
				t.Errorf("%d of %d got different responses, and counted are %+v", differ, asked, counts)
			}
		})
	}
}
