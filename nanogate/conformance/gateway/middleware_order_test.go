//go:build linux

package gateway_test

import (
	"strings"
	"sync"
	"testing"

	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/request"
	wt "dyno.example/nanogate/internal/wasm/wasmtest"
)

// calls notes who was asked, in their order.
type calls struct {
	mu  sync.Mutex
	all []string
}

func (c *calls) add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, name)
}

// take is what was noted since the last time.
func (c *calls) take() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := strings.Join(c.all, " ")
	c.all = nil
	return text
}

// noting is a middleware that notes when it is asked, and responds to requests that have a field
// of its name.
func (c *calls) noting(name string) middleware.Middleware {
	return middleware.Middleware{
		Request: func(r *request.Request) *request.Reply {
			c.add(name)
			if _, ok := r.Header("x-end-" + name); ok {
				return request.Refuse(418, "by "+name, "")
			}
			stage, _ := r.UpstreamHeader("x-stage")
			r.Forward("x-stage", append(stage[:len(stage):len(stage)], name...))
			return nil
		},
		Response: func(_ *request.Request, p *request.Response) *request.Reply {
			c.add("-" + name)
			stage, _ := p.Header("x-stage")
			p.Set("X-Stage", append(stage[:len(stage):len(stage)], name...))
			if _, ok := p.Header("x-end-" + name); ok {
				return request.Refuse(502, "by "+name, "")
			}
			return nil
		},
	}
}

// Requests pass what is for all routes, what the file's top asks for, and what the route asks
// for, a plug-in among it; responses the other way. The one that replies is asked last.
func TestMiddlewareOrder(t *testing.T) {
	const data = memory("x-stage|P")
	set := func(kind int64) []byte { return wt.Code(wt.I32(kind), data.at("x-stage"), data.at("P"), wt.Call(0)) }
	guest := wt.Guest{Imports: []string{"set_header_value"}, Data: string(data), Request: wt.Code(set(0), wt.I64(1)), Response: set(1)}
	upstream := scripted(t, func(p *peer) {
		for {
			r, err := p.request()
			if err != nil {
				return
			}
			p.send("HTTP/1.1 200 OK\r\nX-Asked: %s\r\nX-Stage: up\r\n%sContent-Length: 0\r\n\r\n", r.Header.Get("X-Stage"), strings.ReplaceAll(r.Header.Get("X-Say"), ";", "\r\n"))
		}
	})
	var c calls
	slow := c.noting("d")
	slow.Within = patience
	everywhere := middleware.NewOffer("a", true, func([]byte) (middleware.Middleware, error) { return c.noting("a"), nil })
	_, at := startUsing(t, 2, "plugins: {p: {wasm: "+module(t, guest)+", "+unrushed+"}}\nuse: b\nroutes: [{use: [c, p, d], to: http://"+upstream+"}]\n",
		offer("d", slow), offer("c", c.noting("c")), offer("b", c.noting("b")), everywhere) // the order of offers is none
	for _, one := range []struct {
		fields       string
		status       int
		asked, stage string
		calls        string
	}{
		{"", 200, "Pd", "Pcba", "a b c d -d -c -b -a"},
		{"X-End-C: 1\r\n", 418, "", "", "a b c"},
		{"X-End-D: 1\r\n", 418, "", "", "a b c d"},
		{"X-Say: X-End-C: 1;\r\n", 502, "", "", "a b c d -d -c"},
	} {
		resp, body := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\nX-Stage: >\r\n"+one.fields+"\r\n")
		if resp.StatusCode != one.status || resp.Header.Get("X-Asked") != one.asked || strings.Join(resp.Header["X-Stage"], ",") != one.stage {
			t.Errorf("%q: %s %s, the upstream was sent %q, the client %q", one.fields, resp.Status, body, resp.Header.Get("X-Asked"), resp.Header["X-Stage"])
		}
		if got := c.take(); got != one.calls {
			t.Errorf("%q: asked were %s, wanted %s", one.fields, got, one.calls)
		}
	}
}

// With a cache, requests pass middleware each time, and responses once: what is stored is
// what it has made of them. Its own replies aren't stored.
func TestMiddlewareAndCache(t *testing.T) {
	o := newOrigin(t)
	var c calls
	m := c.noting("a")
	pass := m.Request
	m.Request = func(r *request.Request) *request.Reply {
		r.Respond("X-Each", r.Path)
		return pass(r)
	}
	short := wt.Guest{Imports: []string{"enable_features", "write_body"}, Data: "<", Begin: wt.Code(wt.I32(2), wt.Call(0), wt.Drop),
		Response: wt.Code(wt.I32(1), wt.I32(0), wt.I32(1), wt.Call(1))}
	_, at := startUsing(t, 2, "cache: {size: 4MiB}\nplugins: {short: {wasm: "+module(t, short)+", "+unrushed+"}}\nroutes:\n"+
		"  - {match: {path: \"/short/*\"}, use: [a, short], cache: {shared: true}, to: http://"+o.address+"}\n"+
		"  - {use: a, cache: {shared: true}, to: http://"+o.address+"}\n", offer("a", m))
	o.give("/fresh", responseOf("{n}", "Cache-Control: max-age=60", "X-Stage: up"))
	o.give("/stale", responseOf("{n}", "Cache-Control: max-age=60", "Age: 61", `ETag: "a"`, "X-Stage: up"))
	o.give("/short/it", responseOf("{n}", "Cache-Control: max-age=60", "X-Stage: up"))
	o.give("/refused", responseOf("{n}", "Cache-Control: max-age=60", "X-End-A: 1"))
	for _, one := range []struct {
		path, fields string
		status       int
		body, stage  string
		calls        string
		reached      int
	}{
		{"/fresh", "", 200, "001", "upa", "a -a", 1},
		{"/fresh", "", 200, "001", "upa", "a", 1},
		{"/fresh", "X-End-A: 1\r\n", 418, "", "", "a", 1},
		{"/fresh", "Range: bytes=1-\r\n", 206, "01", "upa", "a", 1},
		{"/stale", "", 200, "001", "upa", "a -a", 1},
		{"/stale", "", 200, "001", "a", "a -a", 2}, // its 304 has passed by, which had none yet
		{"/short/it", "", 200, "<", "upa", "a -a", 1},
		{"/short/it", "", 200, "<", "upa", "a", 1},
		{"/refused", "", 502, "", "", "a -a", 1},
		{"/refused", "", 502, "", "", "a -a", 2},
	} {
		resp, body := ask(t, at, "GET "+one.path+" HTTP/1.1\r\nHost: h\r\n"+one.fields+"\r\n")
		if one.body == "" {
			body = ""
		}
		if got := strings.Join(resp.Header["X-Stage"], ","); resp.StatusCode != one.status || body != one.body || got != one.stage || resp.Header.Get("X-Each") != one.path {
			t.Errorf("%s %q: %s %q, X-Stage %q, %v", one.path, one.fields, resp.Status, body, got, resp.Header)
		}
		if got := c.take(); got != one.calls {
			t.Errorf("%s %q: asked was %q, wanted %q", one.path, one.fields, got, one.calls)
		}
		if got := o.count(one.path); got != one.reached {
			t.Errorf("%s %q: %d requests have reached the upstream, wanted %d", one.path, one.fields, got, one.reached)
		}
	}
}
