//go:build linux

package gateway_test

import (
	"context"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
)

// How much time there is goes on to the upstream, less with each try; a client's own
// shortens the route's, and when it is over the client is told.
func TestDeadlines(t *testing.T) {
	told := make(chan string, 10)
	var never atomic.Int32
	first := true
	upstream := scripted(t, func(c *peer) {
		for {
			r, err := c.request()
			if err != nil {
				return
			}
			if r.URL.Path == "/never" {
				never.Add(1)
				<-t.Context().Done()
				return
			}
			told <- r.Header.Get("X-Time") + r.Header.Get("Grpc-Timeout")
			switch {
			case r.URL.Path == "/again" && first:
				first = false
				io.WriteString(c, "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")
				continue
			}
			io.WriteString(c, ok)
		}
	})
	_, address := start(t, "routes:\n"+
		"  - {match: {path: /again}, timeout: 10m, deadline: x-time, retry: {on: [503]}, to: http://"+upstream+"}\n"+
		"  - {match: {path: /grpc}, timeout: 10m, deadline: grpc-timeout, to: http://"+upstream+"}\n"+
		"  - {match: {path: /try}, deadline: x-time, retry: {timeout: 6m}, to: http://"+upstream+"}\n"+
		"  - {match: {path: /long}, deadline: {header: x-time, unit: s}, to: http://"+upstream+"}\n"+
		"  - {match: {path: \"/*\"}, deadline: x-time, to: http://"+upstream+"}\n")
	status := func(path, fields string) int {
		resp, _ := ask(t, address, "GET "+path+" HTTP/1.1\r\nHost: a\r\n"+fields+"\r\n")
		return resp.StatusCode
	}
	upto := func(most time.Duration, format string) {
		t.Helper()
		got := <-told
		d, err := time.ParseDuration(got + format)
		if err != nil || d > most || d < most-time.Minute {
			t.Errorf("the upstream is told %q, want up to %v", got, most)
		}
	}
	if got := status("/again", ""); got != 200 {
		t.Errorf("%d", got)
	}
	upto(10*time.Minute, "ms")
	upto(10*time.Minute, "ms")
	status("/again", "X-Time: 420000\r\n")
	upto(7*time.Minute, "ms")
	status("/again", "X-Time: 4200000\r\n")
	upto(10*time.Minute, "ms")
	status("/again", "X-Time: soon\r\n")
	upto(10*time.Minute, "ms")
	status("/grpc", "Grpc-Timeout: 480S\r\n")
	upto(8*time.Minute, "s")
	status("/long", "X-Time: 500.5\r\n")
	upto(500500*time.Millisecond, "s")
	status("/try", "")
	upto(6*time.Minute, "ms")
	if status("/plain", ""); <-told != "" {
		t.Error("an upstream is told of a time limit that there isn't")
	}
	if got := status("/never", "X-Time: 0\r\n"); got != 504 || never.Load() > 0 {
		t.Errorf("without any time: %d, and the upstream was asked %d times", got, never.Load())
	}
	for _, ms := range []string{"30", "3"} { // whether there was time to ask the upstream or not
		if got := status("/never", "X-Time: "+ms+"\r\n"); got != 504 {
			t.Errorf("after %s ms: %d", ms, got)
		}
	}
}

// A pool that is kept warm has its connections before there is a request, gets new ones
// when they are closed, and the requests use them.
func TestWarmPools(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	var open, opened, responded atomic.Int32
	cut := make(chan struct{})
	go serve(ln, func(c *peer) {
		open.Add(1)
		opened.Add(1)
		defer open.Add(-1)
		go func() { <-cut; c.Close() }()
		for {
			if _, err := c.request(); err != nil {
				return
			}
			responded.Add(1)
			io.WriteString(c, ok)
		}
	})
	_, address := startLoops(t, 2, "routes: [{to: u}]\nupstreams: {u: {endpoints: [\""+ln.Addr().String()+"\", \"127.0.0.1:1\"], pool: {warm: 3}}}\n")
	is := func(what string, n int32) {
		t.Helper()
		for end := time.Now().Add(patience); n != open.Load(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s there are %d connections, want %d", what, open.Load(), n)
			}
		}
	}
	is("before any request", 6) // three at each loop
	// The upstream counts a connection before the gateway has it in the pool: the first
	// requests may open some.
	waitFor(t, "requests use what there is", func() bool {
		before, asked := opened.Load(), responded.Load()
		for range 3 {
			if resp, _ := ask(t, address, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); resp.StatusCode != 200 {
				t.Fatal(resp.Status)
			}
		}
		if n := responded.Load() - asked; n != 3 {
			t.Errorf("three requests came as %d", n)
		}
		return opened.Load() == before
	})
	close(cut)
	is("when all were closed, and what follows is too,", 0)
}

// A client that sends a little of its body now and then, never idle for long, is too slow
// all the same.
func TestSlowClients(t *testing.T) {
	upstream, _ := respondingWith(t, ok)
	_, address := start(t, "client: {read-body: 100ms, write: 100ms, rate: 1GiB}\nroutes: [{to: http://"+upstream+"}]\n")
	c := dial(t, address)
	c.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
	go func() {
		for {
			if _, err := c.Write([]byte("x")); err != nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	if resp, _ := c.response(t, "POST"); resp.StatusCode != 408 {
		t.Errorf("the slow sender gets %s", resp.Status)
	}
}

// The gateway says that it is ready whatever its routes do, and that it is not while it
// drains.
func TestReadyPath(t *testing.T) {
	hung, taken := make(chan struct{}), make(chan struct{}, 10)
	upstream := scripted(t, func(c *peer) {
		c.head()
		taken <- struct{}{}
		<-hung
		io.WriteString(c, ok)
	})
	g, address := start(t, "ready: /healthz\noverload: {lag: 10s, memory: 64GiB}\nroutes: [{concurrency: 1, to: http://"+upstream+"}]\n")
	ready := func(c *peer) string {
		t.Helper()
		c.send("/healthz HTTP/1.1\r\nHost: a\r\n\r\n")
		resp, body := c.response(t, "GET")
		return resp.Status[:4] + body
	}
	busy, kept := dial(t, address), dial(t, address)
	busy.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	<-taken
	kept.send("GET ")
	if got := ready(kept); got != "200 ready\n" {
		t.Errorf("%q", got)
	}
	if resp, _ := ask(t, address, "POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"); resp.StatusCode == 200 {
		t.Error("a POST is asked whether it is ready")
	}
	done := make(chan error)
	kept.send("GET ") // a connection with nothing under way is closed after a while
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		done <- g.Shutdown(ctx)
	}()
	waitFor(t, "it drains", g.Proxy().Draining)
	if got := ready(kept); got != "503 draining\n" {
		t.Errorf("while draining: %q", got)
	}
	close(hung)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// What says who somebody is is a guard's to say: what clients send by that name goes no
// further, spelt with underscores neither, and a limit counts by what was verified.
func TestIdentity(t *testing.T) {
	seen := make(chan string, 10)
	upstream := scripted(t, func(c *peer) {
		for {
			r, err := c.request()
			if err != nil {
				return
			}
			seen <- strings.Join(r.Header["X-User-Id"], ",") + "|" + strings.Join(r.Header["X_user_id"], ",") + "|" + r.Header.Get("X-Tenant-Id")
			io.WriteString(c, ok)
		}
	})
	dir := t.TempDir()
	keys := written(t, dir, "7: 0123456789abcdef\n8: 0123456789abcdeg\n")
	text := "routes:\n" +
		"  - {match: {path: /keys}, keys: {file: " + keys + "}, identity: {x-user-id: keys.name}, limit: {rate: 1/h, key: {header: x-user-id}}, to: http://" + upstream + "}\n" +
		"  - {match: {path: /client}, identity: {x-user-id: client}, to: http://" + upstream + "}\n" +
		"  - {match: {path: \"/*\"}, to: http://" + upstream + "}\n"
	g, address := start(t, text)
	const forged = "X-User-Id: 1\r\nx_user_id: 1\r\nX-Tenant-Id: 2\r\n"
	for _, c := range []struct {
		path, fields string
		status       int
		want         string
	}{
		{"/a", forged, 200, "||"},
		{"/client", forged, 200, "1|1|"},
		{"/keys", forged + "X-Api-Key: 0123456789abcdef\r\n", 200, "7||"},
		{"/keys", "X-User-Id: 9\r\nX-Api-Key: 0123456789abcdef\r\n", 429, ""},
		{"/keys", "X-User-Id: 7\r\nX-Api-Key: 0123456789abcdeg\r\n", 200, "8||"},
		{"/keys", forged, 401, ""},
	} {
		resp, _ := ask(t, address, "GET "+c.path+" HTTP/1.1\r\nHost: a\r\n"+c.fields+"\r\n")
		got := ""
		if resp.StatusCode == 200 {
			got = <-seen
		}
		if resp.StatusCode != c.status || got != c.want {
			t.Errorf("%s %q: %d %q, want %d %q", c.path, c.fields, resp.StatusCode, got, c.status, c.want)
		}
	}
	c, err := config.Parse("test.yaml", []byte("listen: 127.0.0.1:0\nidentity: x-tenant-id\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	if problems := g.Apply(c); len(problems) > 0 {
		t.Fatal(problems)
	}
	if ask(t, address, "GET /a HTTP/1.1\r\nHost: a\r\n"+forged+"\r\n"); <-seen != "1|1|" {
		t.Error("when the file names other fields, routes that say the same take out the same as before")
	}
}
