//go:build linux

package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/request"
)

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\nOK"

// What the upstream sees of a request, byte by byte.
func TestRequestHead(t *testing.T) {
	heads := make(chan string, 1)
	upstream := scripted(t, func(c *peer) {
		for {
			h, err := c.head()
			if err != nil {
				return
			}
			heads <- h
			c.send(ok)
		}
	})
	at := proxying(t, upstream)
	const forwarded = "X-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: h\r\nVia: 1.1 nanogate\r\n\r\n"
	for _, c := range []struct{ name, sent, want string }{
		{"plain", "GET /a?b=c HTTP/1.1\r\nHost: h\r\nA:  b \r\n\r\n", "GET /a?b=c HTTP/1.1\r\nHost: h\r\nA:  b \r\n" + forwarded},
		{"hop by hop", "GET / HTTP/1.1\r\nConnection: close, X-Own\r\nHost: h\r\nKeep-Alive: 5\r\nX-Own: 1\r\nProxy-Connection: keep-alive\r\nTE: gzip\r\nB: c\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nB: c\r\n" + forwarded},
		{"Connection can't take identity away", "GET / HTTP/1.1\r\nHost: h\r\nConnection: host, authorization, x-forwarded-for\r\nAuthorization: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nAuthorization: x\r\n" + forwarded},
		{"trailers are welcome", "GET / HTTP/1.1\r\nHost: h\r\nTE: trailers, deflate\r\nConnection: te\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nConnection: TE\r\nTE: trailers\r\n" + forwarded},
		{"spoofed", "GET / HTTP/1.1\r\nX-Forwarded-For: 1.1.1.1\r\nx_forwarded_for: 1.1.1.1\r\nHost: h\r\nForwarded: for=1.1.1.1\r\nX-Real-IP: 1.1.1.1\r\nx_other: kept\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nx_other: kept\r\n" + forwarded},
		{"absolute form", "GET http://h/a?b HTTP/1.1\r\nHost: other\r\n\r\n", "GET /a?b HTTP/1.1\r\nHost: h\r\n" + forwarded},
		{"absolute form without a path", "GET http://h HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\n" + forwarded},
		{"path made canonical", "GET /a/../%62//c?d=%2F HTTP/1.1\r\nHost: h\r\n\r\n", "GET /b/c?d=%2F HTTP/1.1\r\nHost: h\r\n" + forwarded},
		{"HTTP/1.0", "GET / HTTP/1.0\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\n" + strings.Replace(forwarded, "1.1 nanogate", "1.0 nanogate", 1)},
		{"HTTP/1.7", "GET / HTTP/1.7\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\n" + forwarded},
		{"HTTP/1.0 without a host", "GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: " + upstream + "\r\nX-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: \r\nVia: 1.0 nanogate\r\n\r\n"},
		{"asterisk", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: h\r\n" + forwarded},
		{"h2c isn't asked for", "GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\n" + forwarded},
		{"line before it", "\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\n" + forwarded},
	} {
		if resp, _ := ask(t, at, c.sent); resp.StatusCode != 200 {
			t.Errorf("%s: %d", c.name, resp.StatusCode)
			continue
		}
		if got := <-heads; got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

// What the client sees of a response, byte by byte, and whether the connections stay.
func TestResponse(t *testing.T) {
	const date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
	var response atomic.Value
	var connections atomic.Int32
	upstream := scripted(t, func(c *peer) {
		connections.Add(1)
		for {
			if _, err := c.request(); err != nil {
				return
			}
			text := response.Load().(string)
			io.WriteString(c, strings.TrimSuffix(text, "<close>"))
			if strings.HasSuffix(text, "<close>") {
				return
			}
		}
	})
	for _, c := range []struct {
		name, request, response, want string
		keeps                         bool // the connection to the upstream
	}{
		{"length", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 200 Fine\r\n" + date + "Content-Length: 2\r\nA: b\r\n\r\nOK", "HTTP/1.1 200 Fine\r\n" + date + "Content-Length: 2\r\nA: b\r\nConnection: close\r\n\r\nOK", true},
		{"chunks", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 200 OK\r\n" + date + "Transfer-Encoding: chunked\r\n\r\n1;x=y\r\nO\r\n1\r\nK\r\n0\r\n\r\n", "HTTP/1.1 200 OK\r\n" + date + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nOK\r\n0\r\n\r\n", true},
		{"trailers", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 200 OK\r\n" + date + "Trailer: A\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nOK\r\n0\r\nA: b\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 200 OK\r\n" + date + "Trailer: A\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nOK\r\n0\r\nA: b\r\n\r\n", true},
		{"until close", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 200 OK\r\n" + date + "\r\nOK<close>", "HTTP/1.1 200 OK\r\n" + date + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nOK\r\n0\r\n\r\n", false},
		{"chunks for HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n" + date + "Transfer-Encoding: chunked\r\n\r\n2\r\nOK\r\n0\r\n\r\n", "HTTP/1.1 200 OK\r\n" + date + "Connection: close\r\n\r\nOK", true},
		{"from HTTP/1.0", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.0 200 OK\r\n" + date + "Content-Length: 2\r\n\r\nOK", "HTTP/1.1 200 OK\r\n" + date + "Content-Length: 2\r\nConnection: close\r\n\r\nOK", false},
		{"HEAD", "HEAD / HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 200 OK\r\n" + date + "Content-Length: 2000\r\n\r\n", "HTTP/1.1 200 OK\r\n" + date + "Content-Length: 2000\r\nConnection: close\r\n\r\n", true},
		{"204", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 204 No Content\r\n" + date + "Content-Length: 0\r\n\r\n", "HTTP/1.1 204 No Content\r\n" + date + "Connection: close\r\n\r\n", true},
		{"304", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 304 Not Modified\r\n" + date + "Content-Length: 2000\r\n\r\n", "HTTP/1.1 304 Not Modified\r\n" + date + "Content-Length: 2000\r\nConnection: close\r\n\r\n", true},
		{"hop by hop", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Own\r\nKeep-Alive: 5\r\nX-Own: 1\r\n" + date + "Content-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\n" + date + "Content-Length: 0\r\nConnection: close\r\n\r\n", true},
		{"interim", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n" + date + "Content-Length: 0\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n" + date + "Content-Length: 0\r\nConnection: close\r\n\r\n", true},
		{"interim for HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n" + date + "Content-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\n" + date + "Content-Length: 0\r\nConnection: close\r\n\r\n", true},
		{"more than it said", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 200 OK\r\n" + date + "Content-Length: 2\r\n\r\nOKHTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\n" + date + "Content-Length: 2\r\nConnection: close\r\n\r\nOK", false},
	} {
		response.Store(c.response)
		connections.Store(0)
		_, at := startLoops(t, 1, "routes: [{to: http://"+upstream+"}]\n")
		for round := range 2 { // the second says whether the connection was kept
			client := dial(t, at)
			request := c.request
			if strings.Contains(request, "HTTP/1.1") {
				request = strings.Replace(request, "Host: h\r\n", "Host: h\r\nConnection: close\r\n", 1)
			}
			client.send("%s", request)
			if got := client.rest(); got != c.want {
				t.Errorf("%s, round %d:\n got %q\nwant %q", c.name, round, got, c.want)
			}
		}
		if opened := connections.Load(); c.keeps != (opened == 1) {
			t.Errorf("%s: %d connections to the upstream for two requests", c.name, opened)
		}
	}
}

// One connection of a client carries requests of all kinds one after the other, also
// when they come at once.
func TestKeepAliveAndPipelining(t *testing.T) {
	upstream := scripted(t, func(c *peer) {
		for {
			r, err := c.request()
			if err != nil {
				return
			}
			text := r.Method + " " + r.RequestURI + " " + r.body
			c.send("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
		}
	})
	client := dial(t, proxying(t, upstream))
	client.send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nPOST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabcPOST /3 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n1;x\r\nf\r\n0\r\n\r\nGET /4 HTTP/1.1\r\nHost: h\r\n\r\n")
	for _, want := range []string{"GET /1 ", "POST /2 abc", "POST /3 def", "GET /4 "} {
		if _, body := client.response(t, "GET"); body != want {
			t.Errorf("got %q, want %q", body, want)
		}
	}
	for i := range 50 {
		client.send("GET /n%d HTTP/1.1\r\nHost: h\r\n\r\n", i)
		if _, body := client.response(t, "GET"); body != fmt.Sprintf("GET /n%d ", i) {
			t.Fatalf("request %d: %q", i, body)
		}
	}
}

// Large bodies go both ways whole, framed in either way.
func TestLargeBodies(t *testing.T) {
	upstream := scripted(t, func(c *peer) {
		for {
			r, err := http.ReadRequest(c.r)
			if err != nil {
				return
			}
			if r.ContentLength >= 0 {
				c.send("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", r.ContentLength)
				io.Copy(c, r.Body)
				continue
			}
			c.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			b := make([]byte, 100_000)
			for {
				n, err := r.Body.Read(b)
				if n > 0 {
					c.send("%x\r\n%s\r\n", n, b[:n])
				}
				if err != nil {
					break
				}
			}
			c.send("0\r\n\r\n")
		}
	})
	at := proxying(t, upstream)
	body := bytes.Repeat([]byte("0123456789abcdef"), 200_000)
	for _, reader := range []io.Reader{bytes.NewReader(body), io.MultiReader(bytes.NewReader(body))} {
		resp, err := http.Post("http://"+at+"/", "", reader)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !bytes.Equal(got, body) {
			t.Errorf("%d of %d bytes came back, %v", len(got), len(body), err)
		}
	}
}

// A configuration that takes the place of another is served at once, on connections
// that stay, and takes over what is the same.
func TestApply(t *testing.T) {
	one, _ := respondingWith(t, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none")
	two, _ := respondingWith(t, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntwo")
	text := func(a string) string {
		return "routes: [{match: {path: /a}, to: " + a + "}, {match: {path: /b}, to: one}]\nupstreams: {one: [\"" + one + "\"], two: [\"" + two + "\"]}\n"
	}
	g, at := start(t, text("one"))
	client := dial(t, at)
	get := func(path string) string {
		t.Helper()
		client.send("GET %s HTTP/1.1\r\nHost: h\r\n\r\n", path)
		_, body := client.response(t, "GET")
		return body
	}
	if got := get("/a") + get("/b"); got != "oneone" {
		t.Fatalf("before: %s", got)
	}
	before := g.Snapshot()
	c, err := config.Parse("test.yaml", []byte("listen: 127.0.0.1:0\n"+text("two")))
	if err != nil {
		t.Fatal(err)
	}
	if problems := g.Apply(c); len(problems) > 0 {
		t.Fatal(problems)
	}
	after := g.Snapshot()
	if after.Routes[1] != before.Routes[1] || after.Routes[0] == before.Routes[0] || after.Upstream("one") != before.Upstream("one") {
		t.Error("what is the same was not taken over, or what is not was")
	}
	if got := get("/a") + get("/b"); got != "twoone" {
		t.Errorf("after: %s", got)
	}
}

// Shutting down lets a request under way end, and tells its client that the connection
// ends too.
func TestShutdown(t *testing.T) {
	arrived, response := make(chan bool), make(chan bool)
	upstream := scripted(t, func(c *peer) {
		if _, err := c.request(); err != nil {
			return
		}
		arrived <- true
		<-response
		c.send(ok)
	})
	g, at := start(t, "routes: [{to: http://"+upstream+"}]\n")
	client := dial(t, at)
	client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	<-arrived
	ended := make(chan error, 1)
	go func() { ended <- g.Shutdown(context.Background()) }()
	waitFor(t, "it drains", g.Proxy().Draining)
	close(response)
	if resp, body := client.response(t, "GET"); body != "OK" || !resp.Close {
		t.Errorf("%q, close %v", body, resp.Close)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A request that came while the loop was held gets its response, though nothing was under way on
// its connection when the loop last looked.
func TestShutdownHearsTheLastRequest(t *testing.T) {
	held, free := make(chan struct{}), make(chan struct{})
	upstream, _ := respondingWith(t, ok)
	g, at := startUsing(t, 1, "routes: [{match: {path: /hold}, use: hold, to: u}, {to: u}]\nupstreams: {u: [\"http://"+upstream+"\"]}\n",
		offer("hold", middleware.Middleware{Request: func(*request.Request) *request.Reply { // on the only loop
			held <- struct{}{}
			<-free
			return request.Refuse(418, "held", "")
		}}))
	const hold, get = "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
	idle, one, two := dial(t, at), dial(t, at), dial(t, at)
	idle.send(get)
	idle.response(t, "GET")
	one.send(hold)
	<-held
	ended := make(chan error, 1)
	go func() { ended <- g.Shutdown(context.Background()) }()
	waitFor(t, "it drains", g.Proxy().Draining)
	time.Sleep(600 * time.Millisecond) // longer than connections without a request stay open
	two.send(hold)
	free <- struct{}{}
	<-held
	idle.send(get)
	free <- struct{}{}
	if resp, body := idle.response(t, "GET"); body != "OK" || !resp.Close {
		t.Errorf("%q, close %v", body, resp.Close)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// What is left of a body that was refused is nobody's next request, also if all of it was
// there.
func TestRefusedBody(t *testing.T) {
	upstream, requests := respondingWith(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	_, at := start(t, "routes: [{match: {path: /small}, body: 1B, to: http://"+upstream+"}, {to: http://"+upstream+"}]\n")
	const hidden = "GET /hidden HTTP/1.1\r\nhost: h\r\n\r\n"
	c := dial(t, at)
	c.send("POST /small HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(hidden), hidden)
	if resp, body := c.response(t, "POST"); resp.StatusCode != 413 {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if rest := c.rest(); rest != "" || requests.Load() != 0 {
		t.Errorf("%q follows, and %d requests were sent on", rest, requests.Load())
	}
}
