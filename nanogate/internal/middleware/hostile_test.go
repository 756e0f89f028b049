package middleware_test

import (
	"context"
	"testing"
	"time"

	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/request/requesttest"
)

// A middleware that keeps a request, or wipes it out, has none of what the gateway reads.
func TestNothingThatIsKeptIsTheGateways(t *testing.T) {
	r := requesttest.Parse(t, head)
	respond(t, r)
	response := r.Response
	r.Forward("x-before", []byte("a"))
	var kept []*request.Request
	var views [][]byte
	h := hostOf(middleware.Middleware{
		Request: func(r *request.Request) *request.Reply {
			r.Forward("x-kept", []byte("b"))
			agent, _ := r.Header("user-agent")
			kept, views = append(kept, r), append(views, r.Buf, r.Path, agent, r.Forwards())
			clear(r.Buf)
			r.Head.Fields = nil
			return nil
		},
		Response: func(r *request.Request, p *request.Response) *request.Reply {
			views = append(views, p.Buf)
			p.Set("x-by", gate)
			clear(p.Buf)
			p.Head = nil
			r.Head, r.Buf, r.Response = nil, nil, nil
			return nil
		},
	})
	if h.Check(r) != nil || h.Responded(r) != nil {
		t.Fatal("it doesn't let it pass")
	}
	for _, b := range views {
		clear(b)
	}
	for _, k := range kept {
		k.Forward("x-kept", []byte("c"))
		k.Drop("host")
		k.Rewrite(request.Line{Method: "TRACE"})
		k.SetContent([]byte("c"))
	}
	if string(r.Buf) != head || string(r.Forwards()) != "x-before: a\r\nx-kept: b\r\n" || len(r.Drops()) != 2 || r.Rewritten() {
		t.Errorf("%q, with %q, without %q, rewritten %t", r.Buf, r.Forwards(), r.Drops(), r.Rewritten())
	}
	if agent, _ := r.Header("user-agent"); string(agent) != "test" {
		t.Errorf("User-Agent: %q", agent)
	}
	by, _ := response.Header("x-by")
	if server, _ := response.Header("server"); r.Response != response || string(by) != "gate" || string(server) != "up" {
		t.Errorf("X-By: %q, Server: %q", by, server)
	}
}

// Whatever of a decision that is taken later fails is a 500, or nothing, and never a panic.
func TestDecisionsThatFail(t *testing.T) {
	fails := func() { panic("hostile") }
	passes := func(context.Context) func(*request.Request) *request.Reply {
		return func(*request.Request) *request.Reply { return nil }
	}
	for name, later := range map[string]request.Deferred{
		"no work": {Within: time.Second},
		"no time": {Work: passes},
		"body":    {Within: time.Second, Work: passes, Content: func([]byte) { panic("hostile") }},
		"end":     {Within: time.Second, Work: passes, Over: fails, Missed: fails},
		"worker":  {Within: time.Second, Work: passes, By: func(func()) bool { panic("hostile") }},
		"work":    {Within: time.Second, Work: func(context.Context) func(*request.Request) *request.Reply { panic("hostile") }},
		"work, decided": {Within: time.Second, Work: func(context.Context) func(*request.Request) *request.Reply {
			return func(*request.Request) *request.Reply { panic("hostile") }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := requesttest.Parse(t, head)
			a := request.Refuse(503, "", "")
			a.Deferred = &later
			a = hostOf(middleware.Middleware{Request: func(*request.Request) *request.Reply { return a }}).Check(r)
			for a != nil && a.Deferred != nil {
				d := a.Deferred
				if d.Content != nil {
					d.Content(nil)
				}
				if d.By != nil && d.By(func() { t.Error("it was begun") }) {
					t.Error("it was taken")
				}
				if d.Missed != nil {
					d.Missed()
				}
				decide := d.Work(t.Context())
				d.End()
				a = decide(r)
			}
			if passed := name == "end" || name == "worker"; passed != (a == nil) || a != nil && a.Status != 500 {
				t.Errorf("%+v", a)
			}
		})
	}
}

// Work is begun once, however often a worker says that it does it, and never when it has said
// that it doesn't.
func TestWorkersThatDoItTwice(t *testing.T) {
	for name, by := range map[string]func(job func()) (bool, []func()){
		"twice":  func(job func()) (bool, []func()) { job(); job(); return true, []func(){job} },
		"though": func(job func()) (bool, []func()) { job(); return false, []func(){job} },
		"later":  func(job func()) (bool, []func()) { return false, []func(){job} },
	} {
		t.Run(name, func(t *testing.T) {
			var rest []func()
			a := request.Refuse(503, "", "")
			a.Deferred = &request.Deferred{
				Within: time.Second, Work: func(context.Context) func(*request.Request) *request.Reply { return nil },
				By: func(job func()) (taken bool) { taken, rest = by(job); return taken },
			}
			a = hostOf(middleware.Middleware{Request: func(*request.Request) *request.Reply { return a }}).Check(requesttest.Parse(t, head))
			begun := 0
			taken := a.Deferred.By(func() { begun++ })
			for _, job := range rest {
				job()
			}
			if want := map[bool]int{true: 1}[taken]; begun != want || taken == (name == "later") {
				t.Errorf("it was begun %d times, and taken: %t", begun, taken)
			}
		})
	}
}

// A middleware can't have a request wait for ever.
func TestDecisionsWithoutEnd(t *testing.T) {
	r, a := requesttest.Parse(t, head), request.Refuse(503, "", "")
	a.Deferred = &request.Deferred{Within: time.Second, Work: func(context.Context) func(*request.Request) *request.Reply {
		return func(*request.Request) *request.Reply { return a }
	}}
	said := hostOf(middleware.Middleware{Request: func(*request.Request) *request.Reply { return a }}).Check(r)
	for n := 0; said != nil && said.Deferred != nil; n++ {
		if n == 100 {
			t.Fatal("it goes on")
		}
		said = said.Deferred.Work(t.Context())(r)
	}
	if said == nil || said.Status != 500 {
		t.Errorf("%+v", said)
	}
}
