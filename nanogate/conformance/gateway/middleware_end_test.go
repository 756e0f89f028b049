//go:build linux

package gateway_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/request"
	wt "dyno.example/nanogate/internal/wasm/wasmtest"
)

// What a middleware wants to be called at the end of a request is called once, however that
// ends; a panic there costs nobody anything.
func TestMiddlewareAtEnd(t *testing.T) {
	upstream, _ := respondingWith(t, ok)
	var ended [600]atomic.Int32 // by status
	m := middleware.Middleware{Request: func(r *request.Request) *request.Reply {
		r.AtEnd(func(*request.Outcome) { panic("no") })
		r.AtEnd(func(o *request.Outcome) { ended[o.Status].Add(1) })
		return nil
	}}
	slow, astray := m, m
	slow.Within = patience
	astray.Request = func(r *request.Request) *request.Reply {
		r.Rewrite(request.Line{URI: "no path"})
		return m.Request(r)
	}
	_, at := startUsing(t, 2, "routes:\n"+
		"  - {match: {path: /passes}, use: m, to: u}\n"+
		"  - {match: {path: /passes-slow}, use: slow, to: u}\n"+
		"  - {match: {path: /gone}, use: m, to: \"http://127.0.0.1:1\"}\n"+
		"  - {match: {path: /own}, use: m, respond: {status: 203}}\n"+
		"  - {match: {path: /refused}, use: [m, refuses], to: u}\n"+
		"  - {match: {path: /astray}, use: astray, to: u}\n"+
		"upstreams: {u: [\""+upstream+"\"]}\n", offer("m", m), offer("slow", slow), offer("astray", astray), offer("refuses", middleware.Middleware{Request: func(*request.Request) *request.Reply { return request.Refuse(418, "", "") }}))
	c := dial(t, at)
	for path, status := range map[string]int{"/passes": 200, "/passes-slow": 200, "/gone": 502, "/own": 203, "/refused": 418, "/astray": 500} {
		before := ended[status].Load()
		for n := range int32(3) {
			c.send("GET %s HTTP/1.1\r\nHost: h\r\n\r\n", path)
			if resp, body := c.response(t, "GET"); resp.StatusCode != status {
				t.Fatalf("%s: %s %s", path, resp.Status, body)
			}
			waitFor(t, "the end of "+path, func() bool { return ended[status].Load() > before+n })
		}
		if got := ended[status].Load() - before; got != 3 {
			t.Errorf("%s: %d ends of 3 requests", path, got)
		}
	}
}

// handle_response is called once for each request that a plug-in has let go on: with its
// response, or when all is over without one having come by, and told whether that was a
// failure. It isn't called for requests that the plug-in has responded to itself.
func TestPluginHearsOfTheEnd(t *testing.T) {
	traps := wt.Code(0x20, 1, 0x04, 0x40, wt.Unreachable, wt.End) // if isError: panic
	hears := module(t, wt.Guest{Response: traps})
	keeps := module(t, wt.Guest{Response: traps, Request: wt.I64(7<<32 | 1)}) // so it is called where it was before
	upstream, _ := respondingWith(t, "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 2\r\n\r\nOK")
	refuses := offer("refuses", middleware.Middleware{Request: func(*request.Request) *request.Reply { return request.Refuse(418, "", "") }})
	objects := offer("objects", middleware.Middleware{Response: func(*request.Request, *request.Response) *request.Reply { return request.Refuse(418, "", "") }})
	for _, one := range []struct {
		name, route    string
		statuses       []int
		called, errors uint64
	}{
		{"its response", "use: p, to: u", []int{200, 200}, 2, 0},
		{"no upstream", "use: p, to: \"http://127.0.0.1:1\"", []int{502, 502}, 2, 2},
		{"a limit", "use: p, limit: {rate: 1/h}, to: u", []int{200, 429, 429}, 3, 0},
		{"another middleware", "use: [p, refuses], to: u", []int{418}, 1, 0},
		{"another one's reply in place of the response", "use: [p, objects], to: u", []int{418}, 1, 0},
		{"a response of the route's own", "use: p, respond: {status: 203}", []int{203}, 1, 0},
		{"what is stored", "use: p, cache: {shared: true}, to: u", []int{200, 200, 200}, 3, 0},
	} {
		for kind, file := range map[string]string{"none": hears, "some": keeps} {
			g, at := startUsing(t, 2, "cache: {size: 4MiB}\nplugins: {p: {wasm: "+file+", "+unrushed+"}}\nroutes: [{"+one.route+"}]\nupstreams: {u: [\""+upstream+"\"]}\n", refuses, objects)
			for i, status := range one.statuses {
				if resp, body := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != status {
					t.Fatalf("%s, request %d: %s %s", one.name, i, resp.Status, body)
				}
			}
			p := g.Snapshot().Plugins[0].Counts
			waitFor(t, fmt.Sprintf("%s: %d calls, %d of them for errors", one.name, one.called, one.errors), func() bool {
				return p.Responses.Load() >= one.called && p.Failed[0].Load() >= one.errors
			})
			all := uint64(0)
			for i := range p.Failed {
				all += p.Failed[i].Load()
			}
			if got := p.Responses.Load(); got != one.called || all != one.errors {
				t.Errorf("%s, keeping %s: %d calls and %d failures, wanted %d and %d", one.name, kind, got, all, one.called, one.errors)
			}
		}
	}
}

// A client that goes, at whatever point, leaves no request that its plug-in doesn't hear the
// end of.
func TestPluginHearsOfClientsThatGo(t *testing.T) {
	asked := make(chan bool, 1)
	upstream := scripted(t, func(p *peer) {
		if _, err := p.request(); err == nil {
			asked <- true
			p.rest() // it never responds
		}
	})
	file := module(t, wt.Guest{Response: wt.Code(0x20, 1, 0x04, 0x40, wt.Unreachable, wt.End)})
	g, at := plugged(t, "http://"+upstream, "p: {wasm: "+file+", "+unrushed+"}", "use: p")
	c := dial(t, at)
	c.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	<-asked
	c.Close()
	p := g.Snapshot().Plugins[0].Counts
	waitFor(t, "its plug-in to hear of it", func() bool { return p.Responses.Load() == 1 && p.Failed[0].Load() == 1 })
}

// What is stored is what a plug-in has made of it, also of the newer response that is asked
// for while clients are given what is stale: a request is over when that has come. After a 304
// about what isn't stored there is a second response, which the plug-in sees as well.
func TestPluginSeesNewerResponses(t *testing.T) {
	const data = memory("x-guest|one")
	file := module(t, wt.Guest{Imports: []string{"set_header_value"}, Data: string(data),
		Request:  wt.I64(7<<32 | 1), // it keeps something
		Response: wt.Code(wt.I32(1), data.at("x-guest"), data.at("one"), wt.Call(0))})
	var ended atomic.Int32
	m := middleware.Middleware{Request: func(r *request.Request) *request.Reply {
		r.AtEnd(func(o *request.Outcome) {
			if o.Status != 200 || o.Ended == 0 {
				t.Errorf("a request ended with %+v", o)
			}
			ended.Add(1)
		})
		return nil
	}}
	h := newHeld(t)
	g, at := startUsing(t, 2, "plugins: {p: {wasm: "+file+", "+unrushed+"}}\nroutes: [{use: [m, p], cache: {shared: true, stale-while-revalidate: 1h}, to: http://"+h.address+"}]\n", offer("m", m))
	asked := int32(0)
	get := func() (body string) {
		asked++
		resp, body := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		if resp.StatusCode != 200 || resp.Header.Get("X-Guest") != "one" {
			t.Errorf("request %d: %s %q %v", asked, resp.Status, body, resp.Header)
		}
		return body
	}
	h.responses <- responseOf("old", "Cache-Control: max-age=1", "Age: 10", `ETag: "a"`)
	for range 3 { // the first is what is stored, the second has a newer one be asked for
		if got := get(); got != "old" {
			t.Fatalf("request %d: %q", asked, got)
		}
	}
	waitFor(t, "a newer one is asked for", func() bool { return h.asked.Load() == 2 })
	waitFor(t, "the others' ends", func() bool { return ended.Load() >= asked-1 })
	if n := ended.Load(); n != asked-1 {
		t.Errorf("of %d requests %d are over, and a newer response is still asked for", asked, n)
	}
	h.responses <- "HTTP/1.1 304 Not Modified\r\nETag: \"b\"\r\n\r\n"
	h.responses <- responseOf("new", "Cache-Control: max-age=60", `ETag: "b"`)
	waitFor(t, "the newer one is stored", func() bool { return get() == "new" })
	p := g.Snapshot().Plugins[0].Counts
	want := uint64(asked) + 1 // the 304
	waitFor(t, "all ends", func() bool { return ended.Load() >= asked && p.Responses.Load() >= want })
	if got := p.Responses.Load(); got != want || ended.Load() != asked || h.asked.Load() != 3 {
		t.Errorf("of %d requests there were %d ends, and %d calls with responses, wanted %d; the upstream was asked %d times", asked, ended.Load(), got, want, h.asked.Load())
	}
	for i := range p.Failed {
		if n := p.Failed[i].Load(); n > 0 {
			t.Errorf("%d failures of kind %d", n, i)
		}
	}
}
