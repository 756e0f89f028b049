//go:build linux

package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"dyno.example/nanogate/internal/gateway"
	"dyno.example/nanogate/internal/mirror"
	"dyno.example/nanogate/internal/secure/securetest"
)

// Whatever a shadow sends, or doesn't, the clients get their responses as ever, and each of the
// copies comes to one end that is reported.
func TestHostileShadows(t *testing.T) {
	const requests = 3
	first, _ := respondingWith(t, ok)
	for name, c := range map[string]struct {
		shadow  func(p *peer) // a connection, until it returns
		timeout string        // "": longer than the test
		same    bool          // as the first; else they fail
		failure string
	}{
		"hangs":              {shadow: func(p *peer) { io.Copy(io.Discard, p) }, timeout: "50ms", failure: "in time"},
		"closes at once":     {shadow: func(*peer) {}, failure: "closed the connection"},
		"closes in the head": {shadow: func(p *peer) { p.head(); p.send("HTTP/1.1 200 OK\r\nContent-Le") }, failure: "closed the connection"},
		"closes in the body": {shadow: func(p *peer) { p.head(); p.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal") }, failure: "closed the connection"},
		"closes in a chunk":  {shadow: func(p *peer) { p.head(); p.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhal") }, failure: "closed the connection"},
		"stops in the head":  {shadow: func(p *peer) { p.head(); p.send("HTTP/1.1 200 OK\r\nX-A"); io.Copy(io.Discard, p) }, timeout: "50ms", failure: "in time"},
		"stops in the body": {shadow: func(p *peer) {
			p.head()
			p.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal")
			io.Copy(io.Discard, p)
		}, timeout: "50ms", failure: "in time"},
		"garbage":           {shadow: func(p *peer) { p.head(); p.send("\x00\x01\xff\r\n\r\n") }, failure: "isn't HTTP"},
		"garbage in chunks": {shadow: func(p *peer) { p.head(); p.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n") }, failure: "isn't HTTP"},
		"two lengths":       {shadow: func(p *peer) { p.head(); p.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab") }, failure: "isn't HTTP"},
		"endless fields": {shadow: func(p *peer) {
			p.head()
			p.send("HTTP/1.1 200 OK\r\n")
			endless(p, "X-A: "+strings.Repeat("a", 1000)+"\r\n")
		}, failure: "isn't HTTP"},
		"another protocol": {shadow: func(p *peer) {
			p.head()
			p.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
			endless(p, "x")
		}, failure: "isn't HTTP"},
		"endless continuing": {shadow: func(p *peer) { p.head(); endless(p, "HTTP/1.1 100 Continue\r\n\r\n") }, failure: "isn't HTTP"},
		"an endless body": {shadow: func(p *peer) {
			p.head()
			p.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			endless(p, "5\r\nhello\r\n")
		}, same: true},
		"endless until the end": {shadow: func(p *peer) { p.head(); p.send("HTTP/1.1 200 OK\r\n\r\n"); endless(p, "hello") }, same: true},
		"until the end":         {shadow: func(p *peer) { p.head(); p.send("HTTP/1.1 200 OK\r\n\r\nhello") }, same: true},
		"continues":             {shadow: func(p *peer) { p.head(); p.send("HTTP/1.1 100 Continue\r\n\r\n"); p.send("%s", ok) }, same: true},
		"hints": {shadow: func(p *peer) {
			p.head()
			p.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n%s", ok)
		}, same: true},
		"more than it was asked": {shadow: func(p *peer) {
			p.head()
			p.send("%s%s", ok, strings.Replace(ok, "200", "500", 1))
			io.Copy(io.Discard, p)
		}, same: true},
		"one each": {shadow: func(p *peer) { p.head(); p.send("%s", ok) }, same: true},
	} {
		t.Run(name, func(t *testing.T) {
			timeout := c.timeout
			if timeout == "" {
				timeout = "10m"
			}
			g, at := startLoops(t, 1, fmt.Sprintf("routes: [{to: \"http://%s\", mirror: {to: \"http://%s\", body: 8KiB, timeout: %s}}]\n", first, scripted(t, c.shadow), timeout))
			client := dial(t, at)
			for i := range uint64(requests) {
				client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
				if resp, _ := client.response(t, "GET"); resp.StatusCode != 200 {
					t.Error(resp.StatusCode)
				}
				mirrored(t, g, i+1)
			}
			counts, samples := recordOf(g).Read(), recordOf(g).Samples()
			if c.same && counts.Same == requests {
				return
			}
			if c.same || counts.Failed != requests || len(samples) != requests || !strings.Contains(samples[0].Failure, c.failure) {
				t.Errorf("%+v, %+v", counts, samples)
			}
		})
	}
}

// endless sends it until nobody takes it any more.
func endless(p *peer, text string) {
	for many := strings.Repeat(text, 1+16<<10/len(text)); ; {
		if _, err := io.WriteString(p, many); err != nil {
			return
		}
	}
}

// A shadow that doesn't take a request's body, nor waits for what it has asked for, keeps no
// client from its response.
func TestMirroredBodies(t *testing.T) {
	const size = 1 << 20
	first := scripted(t, func(p *peer) {
		for {
			q, err := p.request()
			if err != nil {
				return
			}
			if len(q.body) != size {
				t.Errorf("the first got %d bytes", len(q.body))
			}
			p.send("%s", ok)
		}
	})
	body := strings.Repeat("x", size)
	post := func(t *testing.T, at string) {
		client := dial(t, at)
		client.send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n%s", size, body)
		for status := 100; status < 200; {
			resp, err := http.ReadResponse(client.r, nil)
			if err != nil {
				t.Fatal(err)
			}
			if status = resp.StatusCode; status > 200 {
				t.Error(status)
			}
		}
	}
	t.Run("not taken", func(t *testing.T) {
		over := make(chan struct{})
		t.Cleanup(func() { close(over) })
		g, at := startLoops(t, 1, "routes: [{to: \"http://"+first+"\", mirror: {to: \"http://"+scripted(t, func(*peer) { <-over })+"\", methods: [POST], body: 1MiB, timeout: 100ms}}]\n")
		post(t, at)
		post(t, at)
		if c := mirrored(t, g, 2); c.Failed != 2 {
			t.Errorf("%+v", c)
		}
	})
	t.Run("taken", func(t *testing.T) {
		second, seen := shadow(t, func(http.ResponseWriter, *http.Request) {})
		g, at := startLoops(t, 1, "routes: [{to: \"http://"+first+"\", mirror: {to: \"http://"+second+"\", methods: [POST], body: 1MiB, timeout: 10m}}]\n")
		post(t, at)
		if q := <-seen; q.body != body || q.Header.Get("Expect") != "" || q.ContentLength != size {
			t.Errorf("the shadow got %d bytes, %v", len(q.body), q.Header)
		}
		if c := mirrored(t, g, 1); c.Same != 1 {
			t.Errorf("%+v", c)
		}
	})
	t.Run("responded without", func(t *testing.T) {
		g, at := startLoops(t, 1, "routes: [{to: \"http://"+first+"\", mirror: {to: \"http://"+scripted(t, func(p *peer) {
			p.head()
			p.send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
			io.Copy(io.Discard, p)
		})+"\", methods: [POST], body: 1MiB, timeout: 10m}}]\n")
		post(t, at)
		if c := mirrored(t, g, 1); c.Different != 1 {
			t.Errorf("%+v", c)
		}
	})
}

// Shadows are asked over TLS as endpoints of upstreams are: on one connection that is kept, by
// the version that it agrees on, and only if they are who they should be.
func TestMirrorOverTLS(t *testing.T) {
	ca := securetest.New(t)
	first, _ := respondingWith(t, ok)
	mirroring := func(second string) (g *gateway.Gateway, at string) {
		return startLoops(t, 1, fmt.Sprintf("routes: [{to: \"http://%s\", mirror: {to: s, timeout: 10m}}]\nupstreams: {s: {endpoints: [\"https://%s\"], tls: {ca: %q}}}\n", first, second, ca.Path))
	}
	for _, http2 := range []bool{false, true} {
		second, _, opened, _ := handshaken(t, ca, http2)
		g, at := mirroring(second)
		for n := range uint64(3) {
			ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
			if c := mirrored(t, g, n+1); c.Same != n+1 {
				t.Errorf("HTTP/2 %v: %+v, %+v", http2, c, recordOf(g).Samples())
			}
		}
		if e := g.Snapshot().Upstream("s").Set().All[0]; e.Multiplexed.Load() != http2 || opened.Load() != 1 {
			t.Errorf("HTTP/2 %v: agreed on %v, on %d connections", http2, e.Multiplexed.Load(), opened.Load())
		}
	}
	stranger, _, _, _ := handshaken(t, securetest.New(t), false)
	g, at := mirroring(stranger)
	ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	if c, s := mirrored(t, g, 1), recordOf(g).Samples(); c.Failed != 1 || len(s) != 1 || !strings.Contains(s[0].Failure, "TLS") {
		t.Errorf("%+v, %+v", c, s)
	}
}

// What is under way to a shadow, and what waits for it, ends with the gateway or with the
// route's mirror, and requests go on.
func TestMirrorEndsWithItsRoute(t *testing.T) {
	first, _ := respondingWith(t, ok)
	letGo := make(chan struct{})
	free := sync.OnceFunc(func() { close(letGo) })
	defer free()
	second, seen := shadow(t, func(http.ResponseWriter, *http.Request) { <-letGo })
	text := "listen: 127.0.0.1:0\nroutes: [{name: a, to: \"http://" + first + "\"%s}]\n"
	g, at := start(t, strings.TrimPrefix(fmt.Sprintf(text, ", mirror: {to: \"http://"+second+"\", concurrency: 1, timeout: 10m}"), "listen: 127.0.0.1:0\n"))
	record := recordOf(g)
	for range 3 {
		ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	}
	<-seen
	applied(t, g, fmt.Sprintf(text, ""))
	waitFor(t, "what waits is dropped", func() bool { return record.Read().Dropped[mirror.Closed] == 2 })
	if resp, _ := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != 200 {
		t.Error(resp.StatusCode)
	}
	free()
	waitFor(t, "the one that was sent is compared", func() bool { return record.Read().Same == 1 })
	if len(seen) > 0 {
		t.Error("another one was sent")
	}
}
