//go:build linux

package gateway_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/gateway"
	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/request"
)

// startUsing serves a configuration whose routes may use middleware, with so many loops.
func startUsing(t testing.TB, loops int, text string, offers ...middleware.Offer) (g *gateway.Gateway, address string) {
	t.Helper()
	c, err := config.Parse("test.yaml", []byte("listen: 127.0.0.1:0\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	unhurried(c)
	g, err = gateway.Start(c, gateway.Options{Loops: loops, Log: slog.New(slog.DiscardHandler), Middleware: offers})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		g.Shutdown(ctx)
	})
	return g, g.Addresses()[0].String()
}

// offer offers the same middleware to all who ask for it.
func offer(name string, m middleware.Middleware) middleware.Offer {
	return middleware.NewOffer(name, false, func([]byte) (middleware.Middleware, error) { return m, nil })
}

// Middleware changes requests and responses, in the order of the file on the way in and
// in the other on the way out, on loops and on workers.
func TestMiddleware(t *testing.T) {
	upstream := scripted(t, func(p *peer) {
		for {
			r, err := p.request()
			if err != nil {
				return
			}
			p.send("HTTP/1.1 200 OK\r\nServer: x\r\nX-Asked: %s\r\nX-Stage: up\r\nContent-Length: %d\r\n\r\n%s", strings.Join(r.Header["X-Stage"], " ")+r.Header.Get("X-Other"), len(r.body), r.body)
		}
	})
	stage := func(name string) middleware.Middleware {
		type key struct{}
		return middleware.Middleware{
			Request: func(r *request.Request) *request.Reply {
				before, _ := r.UpstreamHeader("x-stage")
				r.Forward("x-stage", append(before[:len(before):len(before)], name...))
				r.Keep(key{}, string(r.Path))
				return nil
			},
			Response: func(r *request.Request, p *request.Response) *request.Reply {
				before, _ := p.Header("x-stage")
				p.Set("X-Stage", append(before[:len(before):len(before)], name...))
				p.Add("X-Path", []byte(r.Kept(key{}).(string)+" "+string(r.Path)))
				p.Drop("server")
				p.SetStatus(201)
				return nil
			},
		}
	}
	slow := stage("c")
	slow.Within = patience
	_, at := startUsing(t, 2, `use: a
routes:
  - {match: {path: "/both/*"}, use: [b, c], rewrite: "/to", to: http://`+upstream+`}
  - {to: http://`+upstream+`}
`, offer("a", stage("a")), offer("b", stage("b")), offer("c", slow))
	for range 3 {
		resp, body := ask(t, at, "POST /both/x HTTP/1.1\r\nHost: h\r\nX-Stage: >\r\nContent-Length: 5\r\n\r\nhello")
		if got := resp.Header.Get("X-Asked"); resp.StatusCode != 201 || body != "hello" || got != ">abc" || resp.Header.Get("Server") != "" {
			t.Errorf("%d %q, the upstream was sent %q: %v", resp.StatusCode, body, got, resp.Header)
		}
		if got := resp.Header["X-Stage"]; len(got) != 1 || got[0] != "upcba" {
			t.Errorf("X-Stage: %q", got)
		}
		if got := strings.Join(resp.Header["X-Path"], ", "); got != "/both/x /to, /both/x /to, /both/x /to" {
			t.Errorf("X-Path: %q", got)
		}
	}
	c := dial(t, at)
	for range 2 {
		c.send("GET /one HTTP/1.1\r\nHost: h\r\n\r\n")
		if resp, _ := c.response(t, "GET"); resp.Header.Get("X-Stage") != "upa" || resp.Header.Get("X-Asked") != "a" {
			t.Errorf("%v", resp.Header)
		}
	}
}

// A middleware that replies, panics, or replies with what can't be sent costs its own request
// and no other; for one that takes too long the gateway responds.
func TestMiddlewareResponds(t *testing.T) {
	upstream, requests := respondingWith(t, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
	teapot := request.Refuse(418, "short and stout", "X-Kind: pot\r\n")
	hang := make(chan struct{})
	defer close(hang)
	on := func(how func() *request.Reply) middleware.Middleware {
		return middleware.Middleware{Request: func(*request.Request) *request.Reply { return how() }}
	}
	after := func(how func() *request.Reply) middleware.Middleware {
		return middleware.Middleware{Response: func(*request.Request, *request.Response) *request.Reply { return how() }}
	}
	within := func(m middleware.Middleware) middleware.Middleware {
		m.Within = patience
		return m
	}
	briefly := func(m middleware.Middleware, pass bool) middleware.Middleware {
		m.Within, m.Pass = 50*time.Millisecond, pass
		return m
	}
	responses := func() *request.Reply { return teapot }
	panics := func() *request.Reply { panic("no") }
	wrong := func() *request.Reply { return &request.Reply{Status: 200, Fields: []byte("Content-Length: 7\r\n")} }
	hangs := func() *request.Reply { <-hang; return nil }
	cases := []struct {
		name  string
		m     middleware.Middleware
		want  int
		asked int32 // requests that reach the upstream
	}{
		{"reply", on(responses), 418, 0}, {"reply-after", after(responses), 418, 1},
		{"reply-worker", within(on(responses)), 418, 0}, {"reply-after-worker", within(after(responses)), 418, 1},
		{"panic", on(panics), 500, 0}, {"panic-after", after(panics), 500, 1},
		{"panic-worker", within(on(panics)), 500, 0}, {"panic-after-worker", within(after(panics)), 500, 1},
		{"wrong", on(wrong), 500, 0}, {"wrong-after", after(wrong), 500, 1},
		{"hang", briefly(on(hangs), false), 503, 0}, {"hang-after", briefly(after(hangs), false), 502, 1},
		{"hang-pass", briefly(on(hangs), true), 200, 1}, {"hang-pass-after", briefly(after(hangs), true), 200, 1},
	}
	var text strings.Builder
	var offers []middleware.Offer
	for _, c := range cases {
		text.WriteString("  - {match: {path: /" + c.name + "}, use: " + c.name + ", to: http://" + upstream + "}\n")
		offers = append(offers, offer(c.name, c.m))
	}
	_, at := startUsing(t, 2, "routes:\n"+text.String(), offers...)
	for i, c := range cases {
		before := requests.Load()
		resp, body := ask(t, at, "GET /"+c.name+" HTTP/1.1\r\nHost: h\r\n\r\n")
		if resp.StatusCode != c.want || resp.StatusCode == 200 && body != "hi" || resp.StatusCode == 418 && resp.Header.Get("X-Kind") != "pot" {
			t.Errorf("%s: %d %q, want %d", c.name, resp.StatusCode, body, c.want)
		}
		if got := requests.Load() - before; got != c.asked {
			t.Errorf("%s: %d requests reached the upstream, want %d", c.name, got, c.asked)
		}
		counts := offers[i].Counts
		for name, got := range map[string]uint64{"panic": counts.Panics.Load(), "wrong": counts.Wrong.Load()} {
			if want := strings.HasPrefix(c.name, name); (got == 1) != want {
				t.Errorf("%s: %d counted as %s", c.name, got, name)
			}
		}
	}
}

// What a route asks for and isn't there, or can't be made, breaks the route and no other.
func TestMiddlewareMissing(t *testing.T) {
	upstream, _ := respondingWith(t, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
	var settings string
	quota := middleware.NewOffer("quota", false, func(b []byte) (middleware.Middleware, error) {
		if settings = string(b); b == nil {
			return middleware.Middleware{}, io.ErrUnexpectedEOF
		}
		return middleware.Middleware{}, nil
	})
	g, at := startUsing(t, 2, `routes:
  - {match: {path: /none}, use: [quote], to: http://`+upstream+`}
  - {match: {path: /unset}, use: [quota], to: http://`+upstream+`}
  - {match: {path: /set}, use: [{quota: {each: 100, of: [a, b]}}], to: http://`+upstream+`}
`, quota)
	for path, want := range map[string]int{"/none": 503, "/unset": 503, "/set": 200} {
		if resp, _ := ask(t, at, "GET "+path+" HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, resp.StatusCode, want)
		}
	}
	if settings != `{"each":100,"of":["a","b"]}` {
		t.Errorf("settings: %s", settings)
	}
	problems := g.Snapshot().Problems.Error()
	for _, want := range []string{`test.yaml:3:34: routes[0].use[0]: there is no middleware "quote" (did you mean quota?)`, `routes[1].use[0]: the middleware "quota" can't be made: unexpected EOF`} {
		if !strings.Contains(problems, want) {
			t.Errorf("%s\nlacks %s", problems, want)
		}
	}
}
