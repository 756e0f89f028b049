package middleware_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/request/requesttest"
)

const head = "GET /a/b?c=d HTTP/1.1\r\nHost: example.com\r\nUser-Agent: test\r\nAccept: */*\r\nCookie: a=b; c=d\r\n\r\n"

// respond gives a request its response.
func respond(t testing.TB, r *request.Request) (again func()) {
	t.Helper()
	text := []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nServer: up\r\nContent-Length: 2\r\n\r\n")
	parsed := &http1.ResponseHead{}
	if n, err := parsed.Parse(text, false, nil); n != len(text) || err != nil {
		t.Fatal(n, err)
	}
	r.Response = &request.Response{}
	again = func() { r.Response.Begin(parsed, text) }
	again()
	return again
}

func hostOf(m middleware.Middleware) *middleware.Host {
	return middleware.NewHost("m", m, middleware.NewCounts(), slog.New(slog.DiscardHandler))
}

// stamp is what a middleware mostly does: it looks at a field, sets one for the upstream, and
// one of the response.
var stamp = middleware.Middleware{
	Request: func(r *request.Request) *request.Reply {
		if agent, ok := r.Header("user-agent"); ok {
			r.Forward("x-agent", agent)
		}
		return nil
	},
	Response: func(_ *request.Request, p *request.Response) *request.Reply {
		p.Drop("server")
		p.Set("x-by", gate)
		return nil
	},
}

var gate = []byte("gate")

// A middleware on the loop costs no allocation but its own.
func TestHookDoesNotAllocate(t *testing.T) {
	r := requesttest.Parse(t, head)
	plain, buf := r.Head, r.Buf
	h, again := hostOf(stamp), respond(t, r)
	response := r.Response
	if n := testing.AllocsPerRun(100, func() {
		r.Begin(plain, buf)
		r.Response = response
		again()
		if h.Check(r) != nil || h.Responded(r) != nil {
			t.Error("it doesn't let it pass")
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if by, _ := r.Response.Header("x-by"); string(by) != "gate" {
		t.Errorf("X-By: %q", by)
	}
}

// What a middleware that decides later has found out in its copy of the request is taken over
// with the decision, and nothing of it before.
func TestDecisionsFromWorkers(t *testing.T) {
	r := requesttest.Parse(t, head)
	ended := 0
	m := stamp
	m.Within = time.Minute
	m.Request = func(r *request.Request) *request.Reply {
		if _, ok := r.Context().Deadline(); !ok {
			t.Error("its context doesn't end")
		}
		r.AtEnd(func(*request.Outcome) { ended++ })
		return stamp.Request(r)
	}
	a := hostOf(m).Check(r)
	if a == nil || a.Deferred == nil || a.Deferred.Within != time.Minute || a.Status != 503 {
		t.Fatalf("%+v", a)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	decide := a.Deferred.Work(ctx)
	if len(r.Forwards()) > 0 || len(r.TakeEnds()) > 0 {
		t.Error("it has changed the loop's request from elsewhere")
	}
	if reply := decide(r); reply != nil || !strings.Contains(string(r.Forwards()), "x-agent: test") {
		t.Errorf("%v, and the upstream gets %q", reply, r.Forwards())
	}
	for _, f := range r.TakeEnds() {
		f(&request.Outcome{})
	}
	if ended != 1 {
		t.Errorf("it heard of %d ends", ended)
	}
}

// BenchmarkHook is what a middleware on the loop costs of a request and its response.
func BenchmarkHook(b *testing.B) {
	r := requesttest.Parse(b, head)
	plain, buf := r.Head, r.Buf
	again := respond(b, r)
	response := r.Response
	for name, m := range map[string]middleware.Middleware{"nothing": {}, "stamp": stamp} {
		h := hostOf(m)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Begin(plain, buf)
				r.Response = response
				again()
				_, _ = h.Check(r), h.Responded(r)
			}
		})
	}
}
