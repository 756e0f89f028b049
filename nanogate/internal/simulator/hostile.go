//go:build linux

package simulator

import (
	"context"
	"strings"
	"time"

	"dyno.example/nano/wire/simulated"
	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/request"
)

// hostile is a middleware that does all that one shouldn't. Whatever that is, it may cost the
// exchange that it does it in, and nothing else.
type hostile struct {
	w      *world
	random *simulated.Random // for the request that it is asked about

	views     [][]byte // that it was given, and has kept
	requests  []*request.Request
	responses []*request.Response
	bodies    [][]byte
}

// mostKept is how much of a kind it keeps.
const mostKept = 50

// offers are the hostile middleware: on the loop, and on workers.
func (h *hostile) offers() middleware.Offers {
	offer := func(name string, within time.Duration) middleware.Offer {
		m := middleware.Middleware{Request: h.request, Response: h.response, Within: within, Close: func() { panic("hostile") }}
		return middleware.NewOffer(name, false, func([]byte) (middleware.Middleware, error) { return m, nil })
	}
	return middleware.Offers{offer("hostile", 0), offer("hostile-later", 20*time.Millisecond)}
}

// act draws what it does about the request, of so many things.
func (h *hostile) act(r *request.Request, of int) (x *exchange, act int) {
	token, _ := r.Header("x-token")
	if x = h.w.find(token); x == nil {
		return nil, -1
	}
	x.visits++
	h.random = simulated.Seeded(h.w.Seed, 120, uint64(x.ID), x.visits)
	return x, h.random.Below(2 * of)
}

// strike writes over all that it has kept: when it is asked about nothing, so that what it
// writes to is nobody's, or others'.
func (h *hostile) strike() {
	for _, b := range h.views {
		for i := range b {
			b[i] = 'X'
		}
	}
	for _, b := range h.bodies {
		clear(b)
	}
	for i, r := range h.requests {
		r.Forward("x-token", []byte("1"))
		r.Drop("host")
		r.Respond("X-Token", []byte("1"))
		r.Rewrite(request.Line{Method: "TRACE", URI: "/elsewhere"})
		r.AtEnd(func(*request.Outcome) { panic("hostile") })
		if r.SetContent([]byte("hostile")); i%3 == 0 {
			*r = request.Request{}
		}
	}
	for i, p := range h.responses {
		p.Set("X-Token", []byte("1"))
		if p.SetContent([]byte("hostile")); i%3 == 0 {
			*p = request.Response{}
		} else if p.Head != nil {
			p.SetStatus(299)
		}
	}
	h.w.count("strikes")
}

// keep keeps what belongs to the gateway.
func (h *hostile) keep(r *request.Request) {
	if len(h.requests) == mostKept {
		h.views, h.requests, h.responses, h.bodies = nil, nil, nil, nil
	}
	token, _ := r.Header("x-token")
	views, p := [][]byte{r.Buf, r.Path, token, r.Forwards(), r.Responds()}, r.Response
	have := func() {
		h.views, h.requests = append(h.views, views...), append(h.requests, r)
		if p != nil {
			h.views, h.responses = append(h.views, p.Buf), append(h.responses, p)
		}
	}
	if r.Context() != context.Background() { // until it has decided the request is its own
		h.w.sys.After(60e6, func() {
			have()
			h.strike()
		})
		return
	}
	have()
	for _, after := range []int64{0, 1e5, 2e6, 50e6} {
		h.w.sys.After(after, h.strike)
	}
}

// request is what it does to a request.
func (h *hostile) request(r *request.Request) *request.Reply {
	x, act := h.act(r, 11)
	if act < 0 || act >= 11 {
		return nil
	}
	x.attacked = act > 1
	h.w.count("attacks")
	switch act {
	case 0:
		h.keep(r)
	case 1:
		r.AtEnd(func(*request.Outcome) {
			h.strike()
			panic("hostile")
		})
	case 2:
		panic("hostile")
	case 3:
		return nonsenseReply(x.ID)
	case 4:
		return request.Refuse(403, "hostile", "")
	case 5:
		r.Head, r.Buf, r.Path, r.Params = nil, nil, nil, nil
	case 6:
		*r = request.Request{}
	case 7:
		clear(r.Buf)
		clear(r.Path)
		r.Head.Fields = r.Head.Fields[:0]
	case 8:
		if x.attacked = len(x.body) > 0 && !x.Route.needsHTTP2(); x.attacked {
			r.SetContent(x.body) // which isn't there yet
		}
	case 9:
		r.Rewrite(request.Line{Method: "G T", URI: "/\r\nno"})
	default:
		return h.defers()
	}
	return nil
}

// response is what it does to a response.
func (h *hostile) response(r *request.Request, p *request.Response) *request.Reply {
	x, act := h.act(r, 7)
	if act < 0 || act >= 7 {
		return nil
	}
	x.attacked = x.attacked || act > 1
	h.w.count("attacks")
	switch act {
	case 0:
		h.keep(r)
	case 1:
		p.Set("Content-Length", []byte("1"))
		p.Add("Transfer-Encoding", []byte("chunked"))
		p.SetStatus(1000)
		if !strings.Contains(x.Route.String(), "response") { // else it has the response's, and may
			p.SetContent([]byte("hostile"))
		}
	case 2:
		panic("hostile")
	case 3:
		return nonsenseReply(x.ID)
	case 4:
		return request.Refuse(403, "hostile", "")
	case 5:
		p.Head, p.Buf, r.Response = nil, nil, nil
		*p = request.Response{}
	default:
		return h.defers()
	}
	return nil
}

// nonsenseReply is a response that can't be sent.
func nonsenseReply(id int) *request.Reply {
	a := *request.Refuse(403, "hostile", "")
	switch id % 6 {
	case 0:
		a.Status = 99
	case 1:
		a.Status = 100
	case 2:
		a.Status = 1000
	case 3:
		a.Fields = []byte("Content-Length: 5\r\n")
	case 4:
		a.Fields = []byte("no field\r\n\r\nHTTP/1.1 200 OK\r\n")
	case 5:
		a.Queue = hostileQueue{}
	}
	return &a
}

// hostileQueue is no place to wait in.
type hostileQueue struct{}

func (hostileQueue) Enter(request.Waiter, int32, int64) (uint64, int64, bool) { panic("hostile") }
func (hostileQueue) Leave(uint64, bool) bool                                  { panic("hostile") }
func (hostileQueue) Return(int64)                                             { panic("hostile") }

// defers has a decision be taken later, and goes wrong about that.
func (h *hostile) defers() *request.Reply {
	a := *request.Refuse(403, "hostile", "")
	later := &request.Deferred{Within: 20 * time.Millisecond, Most: 1 << 20}
	a.Deferred = later
	pass := func(*request.Request) *request.Reply { return nil }
	later.Work = func(context.Context) func(*request.Request) *request.Reply { return pass }
	fails := func() { panic("hostile") }
	switch h.random.Below(14) {
	case 0:
		later.Work = nil
	case 1:
		later.Work = func(context.Context) func(*request.Request) *request.Reply { panic("hostile") }
	case 2:
		later.Work = func(context.Context) func(*request.Request) *request.Reply { return nil }
	case 3:
		later.Work = func(context.Context) func(*request.Request) *request.Reply {
			return func(*request.Request) *request.Reply { panic("hostile") }
		}
	case 4: // it never comes to an end
		later.Work = func(context.Context) func(*request.Request) *request.Reply {
			return func(*request.Request) *request.Reply { return &a }
		}
	case 5:
		later.Content = func([]byte) { panic("hostile") }
	case 6:
		later.Content = func(body []byte) { h.bodies = append(h.bodies, body) }
	case 7:
		later.Over, later.Missed = fails, fails
	case 8:
		later.By = func(func()) bool { panic("hostile") }
	case 9:
		later.By = func(func()) bool { return true } // it never does it
	case 10: // it does it more than once
		later.By = func(job func()) bool {
			job()
			job()
			h.w.sys.After(1e6, job)
			return true
		}
	case 11: // it does what it hasn't taken
		later.By = func(job func()) bool {
			h.w.sys.After(1e6, job)
			return false
		}
	case 12: // it does it when nobody waits any more
		later.Missed, later.Pass = fails, true
		later.By = func(job func()) bool {
			h.w.sys.After(50e6, job)
			return true
		}
	default:
		later.Within = -1
	}
	return &a
}

// hostility draws which routes have it. Its numbers are its own, so that worlds without it are
// as they were before there was any.
func (d *drawing) hostility() {
	random := simulated.Seeded(d.Seed, 101)
	if !random.OneIn(4) {
		return
	}
	for _, r := range d.Routes {
		if !random.OneIn(2) {
			continue
		}
		r.uses([]string{"hostile", "hostile", "hostile-later"}[random.Below(3)], random.OneIn(2))
	}
}

// uses adds a middleware to those of the route, as the first or the last.
func (r *Route) uses(name string, first bool) {
	for _, l := range r.Lines {
		if len(l.Text) < 5 || l.Text[:5] != "use: " {
			continue
		}
		if others := l.Text[len("use: [") : len(l.Text)-1]; first {
			l.Text = "use: [" + name + ", " + others + "]"
		} else {
			l.Text = "use: [" + others + ", " + name + "]"
		}
		return
	}
	r.Lines = append(r.Lines, &Line{Text: "use: [" + name + "]"})
}
