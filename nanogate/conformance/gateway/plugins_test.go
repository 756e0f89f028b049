//go:build linux

package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/gateway"
	wt "dyno.example/nanogate/internal/wasm/wasmtest"
)

// saying is an upstream that says what it was asked.
func saying(t testing.TB) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Up", "1")
		fmt.Fprintf(w, "%s %s %s %v %s", r.Method, r.RequestURI, r.Host, r.Header["X-Guest"], body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// module writes a plug-in into a file.
func module(t testing.TB, g wt.Guest) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "plugin.wasm")
	if err := os.WriteFile(file, g.Module(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// memory is the data of a guest, and where texts lie in it.
type memory string

func (m memory) at(text string) []byte {
	return wt.Code(wt.I32(int64(strings.Index(string(m), text))), wt.I32(int64(len(text))))
}

// unrushed has a plug-in not be too late where a machine is busy with other things.
const unrushed = "time: 10s, queue: {wait: 30s}"

// plugged serves a route that uses plug-ins.
func plugged(t testing.TB, upstream, plugins, route string) (*gateway.Gateway, string) {
	t.Helper()
	return startLoops(t, 1, "plugins: {"+plugins+"}\nroutes: [{name: r, "+route+", to: "+upstream+"}]\n")
}

// A plug-in changes requests, those with bodies too, and responses; the route's own path
// gives way to the one that it says.
func TestPluginChanges(t *testing.T) {
	const data = memory("PUT|/to/it?q=1|example.com|host|x-guest|one|x-out|x-up|")
	g := wt.Guest{
		Imports: []string{"set_method", "set_uri", "set_header_value", "add_header_value", "remove_header", "set_status_code"}, Data: string(data),
		Request: wt.Code(data.at("PUT"), wt.Call(0), data.at("/to/it?q=1"), wt.Call(1), wt.I32(0), data.at("host"), data.at("example.com"), wt.Call(2),
			wt.I32(0), data.at("x-guest"), data.at("one"), wt.Call(2), wt.I32(0), data.at("x-guest"), data.at("PUT"), wt.Call(3),
			wt.I32(1), data.at("x-guest"), data.at("one"), wt.Call(3), wt.I64(1)),
		Response: wt.Code(wt.I32(1), data.at("x-out"), data.at("one"), wt.Call(2), wt.I32(1), data.at("x-up"), wt.Call(4), wt.I32(203), wt.Call(5)),
	}
	_, at := plugged(t, saying(t), "p: {wasm: "+module(t, g)+", "+unrushed+"}", `match: {path: "/{a}/*"}, rewrite: "/other/{a}", use: p`)
	c := dial(t, at)
	for _, body := range []string{"", "hello", strings.Repeat("long", 50_000)} {
		c.send("POST /a/b/c/d HTTP/1.1\r\nHost: h\r\nX-Guest: zero\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		resp, got := c.response(t, "POST")
		if want := "PUT /to/it?q=1 example.com [one PUT] " + body; got != want {
			t.Errorf("the upstream was asked %.100q, wanted %.100q", got, want)
		}
		if resp.StatusCode != 203 || resp.Header.Get("X-Out") != "one" || resp.Header.Get("X-Guest") != "one" || resp.Header.Get("X-Up") != "" {
			t.Errorf("%s %v", resp.Status, resp.Header)
		}
	}
}

// What a plug-in sets of a response before there is one is there when it sees the response,
// and can be changed; it is on responses of the gateway's own as well.
func TestPluginPromises(t *testing.T) {
	const data = memory("x-early|one|x-seen|x-late|x-gone|two")
	set := func(name, value string, f int) []byte {
		return wt.Code(wt.I32(1), data.at(name), data.at(value), wt.Call(f))
	}
	g := wt.Guest{
		Imports: []string{"set_header_value", "add_header_value", "remove_header", "get_header_values"}, Data: string(data),
		Request: wt.Code(set("x-early", "one", 0), set("x-late", "one", 0), set("x-gone", "one", 0), wt.I64(1)),
		// It reads the first into 100, and says it again; adds to the second, and removes the third.
		Response: wt.Code(wt.I32(1), data.at("x-early"), wt.I32(100), wt.I32(16), wt.Call(3), wt.Drop, wt.I32(1), data.at("x-seen"), wt.I32(100), wt.I32(3), wt.Call(0),
			set("x-late", "two", 1), wt.I32(1), data.at("x-gone"), wt.Call(2)),
	}
	rules := "p: {wasm: " + module(t, g) + ", " + unrushed + "}"
	_, at := plugged(t, saying(t), rules, "use: p, response-headers: {set: {X-Early: file}}")
	resp, _ := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	for name, want := range map[string]string{"X-Early": "one,file", "X-Seen": "one", "X-Late": "one,two", "X-Gone": ""} {
		if got := strings.Join(resp.Header[name], ","); got != want {
			t.Errorf("%s: %q, wanted %q", name, got, want)
		}
	}
	_, at = plugged(t, "http://127.0.0.1:1", rules, "use: p")
	if resp, _ := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != 502 || resp.Header.Get("X-Early") != "one" || resp.Header.Get("X-Gone") != "one" {
		t.Errorf("%s %v", resp.Status, resp.Header)
	}
}

// A plug-in responds itself, and the upstream hears nothing of it.
func TestPluginResponds(t *testing.T) {
	const data = memory("no entry|WWW-Authenticate|Basic|")
	g := wt.Guest{
		Imports: []string{"set_header_value", "set_status_code", "write_body"}, Data: string(data),
		Request: wt.Code(wt.I32(401), wt.Call(1), wt.I32(1), data.at("WWW-Authenticate"), data.at("Basic"), wt.Call(0), wt.I32(1), data.at("no entry"), wt.Call(2), wt.I64(0)),
	}
	upstream, requests := respondingWith(t, ok)
	_, at := plugged(t, "http://"+upstream, "p: {wasm: "+module(t, g)+", "+unrushed+"}", "use: p")
	c := dial(t, at)
	for _, method := range []string{"GET", "HEAD", "POST"} {
		c.send("%s / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", method)
		resp, body := c.response(t, method)
		if resp.StatusCode != 401 || resp.Header.Get("Www-Authenticate") != "Basic" || (body != "no entry") != (method == "HEAD") {
			t.Errorf("%s: %s %v %q", method, resp.Status, resp.Header, body)
		}
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("the upstream was asked %d times", n)
	}
}

// For guests that fail the gateway responds, or passes them by, as the file says, and goes on.
func TestPluginFails(t *testing.T) {
	loop, panics := wt.Guest{Request: wt.Code(wt.Forever, wt.I64(1))}, wt.Guest{Request: wt.Code(wt.Unreachable)}
	late := wt.Guest{Response: wt.Forever}
	for name, one := range map[string]struct {
		guest  wt.Guest
		rules  string
		status int
	}{
		"it loops":               {loop, "time: 5ms", 500},
		"it loops and may":       {loop, "time: 5ms, on-failure: pass", 200},
		"it panics":              {panics, unrushed, 500},
		"it panics and may":      {panics, unrushed + ", on-failure: pass", 200},
		"it loops later":         {late, "time: 5ms", 500},
		"it loops later and may": {late, "time: 5ms, on-failure: pass", 200},
	} {
		t.Run(name, func(t *testing.T) {
			g, at := plugged(t, saying(t), "p: {wasm: "+module(t, one.guest)+", "+one.rules+"}", "use: p")
			c := dial(t, at)
			const n = 3
			for range n {
				c.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
				if resp, body := c.response(t, "GET"); resp.StatusCode != one.status {
					t.Errorf("%s %s", resp.Status, body)
				}
			}
			p := g.Snapshot().Plugins[0]
			failed := uint64(0)
			for i := range p.Counts.Failed {
				failed += p.Counts.Failed[i].Load()
			}
			if failed != n {
				t.Errorf("%d failures were counted", failed)
			}
		})
	}
}

// When all instances have something to do, requests wait for as long as they may, and no
// more of them than may wait.
func TestPluginCrowded(t *testing.T) {
	g, at := plugged(t, saying(t), "p: {wasm: "+module(t, wt.Guest{Request: wt.Code(wt.Forever, wt.I64(1))})+", time: 300ms, instances: 1, queue: {size: 1, wait: 1ms}}", "use: p")
	counts := map[int]int{}
	waitFor(t, "some come while another is under way", func() bool {
		results := make(chan int, 6)
		for range cap(results) {
			go func() {
				resp, err := http.Get("http://" + at + "/")
				if err != nil {
					results <- 0
					return
				}
				resp.Body.Close()
				results <- resp.StatusCode
			}()
		}
		for range cap(results) {
			select {
			case status := <-results:
				counts[status]++
			case <-time.After(patience):
				t.Fatal("a request hangs")
			}
		}
		return counts[500] > 0 && counts[503] > 0
	})
	if len(counts) != 2 {
		t.Errorf("%v", counts)
	}
	if g.Snapshot().Plugins[0].Counts.Failed[5].Load() == 0 {
		t.Error("that it was crowded isn't counted")
	}
}

// What is wrong with plug-ins is said with its place, and routes that use one respond with 503.
func TestPluginProblems(t *testing.T) {
	good := module(t, wt.Guest{})
	bad := module(t, wt.Guest{Without: "handle_request"})
	for name, one := range map[string]struct{ plugins, use, want string }{
		"no plug-in":        {"p: {wasm: " + bad + "}", "p", "test.yaml:2:21: plugins.p.wasm: the plug-in p can't be used: " + bad + ": it exports no function handle_request"},
		"no file":           {"p: {wasm: ./nothing.wasm}", "p", "test.yaml:2:21: plugins.p.wasm: the plug-in p can't be used: open nothing.wasm"},
		"another sum":       {"p: {wasm: " + good + ", sha256: " + strings.Repeat("0", 64) + "}", "p", "SHA-256"},
		"too little room":   {"p: {wasm: " + module(t, wt.Guest{Pages: 3}) + ", memory: 128KiB}", "p", "3 pages"},
		"no such":           {"p: {wasm: " + good + "}", "q", `test.yaml:3:25: routes[0].use: there is no middleware "q"`},
		"settings at a use": {"p: {wasm: " + good + "}", "[{p: {a: 1}}]", "plugins.p.config"},
	} {
		g, at := plugged(t, "http://127.0.0.1:1", one.plugins, "use: "+one.use)
		if problems := g.Snapshot().Problems.Error(); !strings.Contains(problems, one.want) {
			t.Errorf("%s: %s\nwanted %s", name, problems, one.want)
		}
		if resp, _ := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != 503 {
			t.Errorf("%s: %s", name, resp.Status)
		}
	}
}

// Another configuration takes over plug-ins that are as they were, with their counts, and
// rebuilds those that aren't.
func TestPluginsAreTakenOver(t *testing.T) {
	up, p, q := saying(t), module(t, wt.Guest{}), module(t, wt.Guest{})
	text := func(size string) string {
		return "listen: 127.0.0.1:0\nplugins: {p: {wasm: " + p + ", " + unrushed + "}, q: {wasm: " + q + ", memory: " + size + ", " + unrushed + "}}\nroutes: [{name: a, match: {path: /a}, use: p, to: " + up + "}, {name: b, match: {path: /b}, use: [q], to: " + up + "}]\n"
	}
	g, at := startLoops(t, 1, strings.TrimPrefix(text("1MiB"), "listen: 127.0.0.1:0\n"))
	for _, path := range []string{"/a", "/b"} {
		if resp, _ := ask(t, at, "GET "+path+" HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != 200 {
			t.Fatal(resp.Status)
		}
	}
	before := g.Snapshot()
	for size, same := range map[string]bool{"1MiB": true, "2MiB": false} {
		c, err := config.Parse("test.yaml", []byte(text(size)))
		if err != nil {
			t.Fatal(err)
		}
		if problems := g.Apply(c); len(problems) > 0 {
			t.Fatal(problems)
		}
		s := g.Snapshot()
		if s.Plugins[0] != before.Plugins[0] || s.Routes[0] != before.Routes[0] {
			t.Error("what is as it was was rebuilt")
		}
		if (s.Plugins[1] == before.Plugins[1]) != same && size == "2MiB" || (s.Routes[1] == before.Routes[1]) != same && size == "2MiB" {
			t.Errorf("with %s: the plug-in or its route is the one before", size)
		}
		if n := s.Plugins[1].Counts.Requests.Load(); n != 1 {
			t.Errorf("it counts %d requests", n)
		}
	}
}

// copies is a guest that puts "<" before the bodies of requests and responses.
func copies() wt.Guest {
	return wt.Guest{Imports: []string{"enable_features", "read_body", "write_body"}, Data: "<", Begin: wt.Code(wt.I32(3), wt.Call(0), wt.Drop),
		Request: wt.Code(copied(0), wt.I64(1)), Response: copied(1)}
}

// copied writes "<" and what it has read at 1024, whose length lies at 512.
func copied(kind int64) []byte {
	return wt.Code(wt.I32(512), wt.I32(kind), wt.I32(1024), wt.I32(60_000), wt.Call(1), 0xa7, 0x36, 2, 0,
		wt.I32(kind), wt.I32(0), wt.I32(1), wt.Call(2), wt.I32(kind), wt.I32(1024), wt.I32(512), 0x28, 2, 0, wt.Call(2))
}

// A plug-in reads bodies as a whole and puts others in their place, over both versions, and
// what is longer than it may read is refused.
func TestPluginBodies(t *testing.T) {
	file := module(t, copies())
	for version := 1; version <= 2; version++ {
		up := serverOver(t, version, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			w.Write(body)
		})
		_, at := plugged(t, `"`+up+`"`, "p: {wasm: "+file+", "+unrushed+", body: 50kB}", "use: p")
		client := clientOver(t, version)
		for _, body := range []string{"", "hello", strings.Repeat("long", 10_000), strings.Repeat("long", 20_000)} {
			for _, r := range []io.Reader{strings.NewReader(body), io.MultiReader(strings.NewReader(body))} { // with its length, and without
				resp, err := client.Post("http://"+at+"/", "text/plain", r)
				if err != nil {
					t.Fatal(err)
				}
				got, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if len(body) > 50_000 {
					if resp.StatusCode != 413 {
						t.Errorf("over HTTP/%d a body of %d bytes: %s", version, len(body), resp.Status)
					}
				} else if string(got) != "<<"+body {
					t.Errorf("over HTTP/%d %s: %.60q, wanted %.60q", version, resp.Status, got, "<<"+body)
				}
			}
		}
	}
}
