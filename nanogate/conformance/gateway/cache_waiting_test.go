//go:build linux

package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// held is an upstream that responds when a test says so: with the same each time, or by
// closing the connection.
type held struct {
	address   string
	asked     atomic.Int32
	responses chan string // "": the connection is closed
}

func newHeld(t *testing.T) *held {
	h := &held{responses: make(chan string, 100)}
	h.address = scripted(t, func(c *peer) {
		for {
			if _, err := c.request(); err != nil {
				return
			}
			h.asked.Add(1)
			response := <-h.responses
			if c.send("%s", response); response == "" {
				return
			}
		}
	})
	return h
}

// came is what became of a request.
type came struct {
	status int
	body   string
	told   string
}

// askers are clients that ask for the same at once, and where their responses come.
func askers(t *testing.T, at string, n int) (responses chan came) {
	responses = make(chan came, n)
	for range n {
		go func() {
			resp, body := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
			responses <- came{resp.StatusCode, body, resp.Header.Get("Cache-Status")}
		}()
	}
	return responses
}

// Requests that come at the same time have one response, whichever loops they are on.
func TestCacheCoalesces(t *testing.T) {
	const clients = 20
	h := newHeld(t)
	g, at := start(t, "routes: [{cache: {wait: 1m}, to: http://"+h.address+"}]\n")
	responses := askers(t, at, clients)
	waitFor(t, "all are there", func() bool { return g.Proxy().Clients() == clients && h.asked.Load() == 1 })
	h.responses <- responseOf("one", "Cache-Control: max-age=60")
	collapsed := 0
	for range clients {
		r := <-responses
		if r.body != "one" {
			t.Errorf("%+v", r)
		}
		if strings.Contains(r.told, "collapsed") {
			collapsed++
		}
	}
	if n := h.asked.Load(); n != 1 || collapsed == 0 {
		t.Errorf("the upstream was asked %d times, and %d requests got another's response", n, collapsed)
	}
}

// Who waits for a response that is for one client only, or for one that fails, asks itself.
func TestCacheOfWhatIsNotForAll(t *testing.T) {
	for name, response := range map[string]string{
		"private": responseOf("one", "Cache-Control: private, max-age=60"),
		"cut":     "",
		"failed":  "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 3\r\n\r\none",
	} {
		h := newHeld(t)
		g, at := start(t, "routes: [{cache: {wait: 1m}, retry: {attempts: 1}, to: http://"+h.address+"}]\n")
		responses := askers(t, at, 5)
		waitFor(t, "all are there", func() bool { return g.Proxy().Clients() == 5 && h.asked.Load() == 1 })
		for range 5 {
			h.responses <- response
		}
		for range 5 {
			if r := <-responses; r.body != "one" && response != "" || response == "" && r.status != 502 {
				t.Errorf("%s: %+v", name, r)
			}
		}
		if n := h.asked.Load(); n != 5 {
			t.Errorf("%s: the upstream was asked %d times, want each by itself", name, n)
		}
	}
}

// When the client that asks goes away, another one that waits asks.
func TestCacheAskerLeaves(t *testing.T) {
	h := newHeld(t)
	g, at := start(t, "routes: [{cache: {wait: 1m}, to: http://"+h.address+"}]\n")
	first := dial(t, at)
	first.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	waitFor(t, "the first asks", func() bool { return h.asked.Load() == 1 })
	responses := askers(t, at, 5)
	waitFor(t, "all are there", func() bool { return g.Proxy().Clients() == 6 })
	first.Close()
	waitFor(t, "the next asks", func() bool { return h.asked.Load() == 2 })
	for range 2 { // one for the connection that nobody reads any more
		h.responses <- responseOf("one", "Cache-Control: max-age=60")
	}
	for range 5 {
		if r := <-responses; r.body != "one" {
			t.Errorf("%+v", r)
		}
	}
	if n := h.asked.Load(); n != 2 {
		t.Errorf("the upstream was asked %d times", n)
	}
}

// A request waits for another's response for as long as its route lets it, and no longer
// than its own deadline.
func TestCacheWaitsSoLong(t *testing.T) {
	for _, c := range []struct {
		fields string
		status int
		asked  int32
	}{
		{"cache: {wait: 50ms}", 200, 2},
		{"cache: {wait: 1m}, deadline: x-time", 504, 1},
	} {
		h := newHeld(t)
		_, at := start(t, "routes: [{"+c.fields+", to: http://"+h.address+"}]\n")
		first := dial(t, at)
		first.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		waitFor(t, "the first asks", func() bool { return h.asked.Load() == 1 })
		second := dial(t, at)
		second.send("GET / HTTP/1.1\r\nHost: h\r\nX-Time: 100\r\n\r\n")
		if c.asked == 2 {
			waitFor(t, "the second asks by itself", func() bool { return h.asked.Load() == 2 })
			h.responses <- responseOf("one", "Cache-Control: max-age=60")
			h.responses <- responseOf("one", "Cache-Control: max-age=60")
		}
		if resp, _ := second.response(t, "GET"); resp.StatusCode != c.status {
			t.Errorf("%s: %d, want %d", c.fields, resp.StatusCode, c.status)
		}
		if n := h.asked.Load(); n != c.asked {
			t.Errorf("%s: the upstream was asked %d times", c.fields, n)
		}
		if c.asked == 1 {
			h.responses <- responseOf("one", "Cache-Control: max-age=60")
		}
		if resp, _ := first.response(t, "GET"); resp.StatusCode != 200 {
			t.Errorf("%s: the first: %d", c.fields, resp.StatusCode)
		}
	}
}

// What is stale is given at once, while the upstream is asked for a newer one, once.
func TestCacheRefreshes(t *testing.T) {
	h := newHeld(t)
	_, at := start(t, "routes: [{cache: {stale-while-revalidate: 1h}, to: http://"+h.address+"}]\n")
	get := func() came { return <-askers(t, at, 1) }
	h.responses <- responseOf("old", "Cache-Control: max-age=1", "Age: 10", `ETag: "a"`)
	get()
	for range 10 {
		if r := get(); r.body != "old" || !strings.Contains(r.told, "hit; ttl=-") {
			t.Errorf("%+v", r)
		}
	}
	if n := h.asked.Load(); n > 2 {
		t.Errorf("the upstream was asked %d times before it had responded", n)
	}
	h.responses <- responseOf("new", "Cache-Control: max-age=60", `ETag: "b"`)
	waitFor(t, "the newer one is there", func() bool { return get().body == "new" })
	if n := h.asked.Load(); n != 2 {
		t.Errorf("the upstream was asked %d times", n)
	}
}

// A newer one is asked for once, also when a request has found what is stale just before
// another loop stored the newer one.
func TestCacheRefreshesOnce(t *testing.T) {
	const paths, clients = 300, 4
	o := newOrigin(t)
	_, at := start(t, "routes: [{cache: {stale-while-revalidate: 1h}, to: http://"+o.address+"}]\n")
	conns := make([]*peer, clients)
	for i := range conns {
		conns[i] = dial(t, at)
	}
	for i := range paths {
		path := fmt.Sprint("/", i)
		get := func(c *peer) (body string) {
			c.send("GET %s HTTP/1.1\r\nHost: h\r\n\r\n", path)
			resp, err := http.ReadResponse(c.r, nil)
			if err != nil {
				t.Error(err)
				return "new"
			}
			b, _ := io.ReadAll(resp.Body)
			return string(b)
		}
		o.give(path, responseOf("old", "Cache-Control: max-age=1", "Age: 10"))
		get(conns[0])
		o.give(path, responseOf("new", "Cache-Control: max-age=600"))
		var all sync.WaitGroup
		for _, c := range conns {
			all.Go(func() {
				for get(c) != "new" {
				}
			})
		}
		all.Wait()
		if n := o.count(path); n != 2 {
			t.Fatalf("%s: the upstream was asked %d times", path, n)
		}
	}
}

// What is stale is given whatever becomes of asking for a newer one: the upstream fails, or
// responds with something else.
func TestCacheRefreshFails(t *testing.T) {
	h := newHeld(t)
	_, at := start(t, "routes: [{cache: {stale-while-revalidate: 1h}, retry: {attempts: 1}, to: http://"+h.address+"}]\n")
	get := func() came { return <-askers(t, at, 1) }
	h.responses <- responseOf("old", "Cache-Control: max-age=1", "Age: 10", `ETag: "a"`)
	get()
	for i, response := range []string{"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\nno", "HTTP/1.1 304 Not Modified\r\nETag: \"b\"\r\n\r\n", responseOf("mine", "Cache-Control: private")} {
		want := int32(i + 2)
		if i == 2 {
			want++ // the 304 was about another response, so it was asked for without a condition
		}
		waitFor(t, "the upstream is asked", func() bool { // when what was asked before is over
			if r := get(); r.body != "old" {
				t.Errorf("%d: %+v", i, r)
			}
			return h.asked.Load() >= want
		})
		h.responses <- response
		if i == 1 {
			h.responses <- "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\nno"
		}
	}
}

// A stored response is given over HTTP/2 as it is over HTTP/1.1, however long it is.
func TestCacheOverHTTP2(t *testing.T) {
	o := newOrigin(t)
	long := strings.Repeat("0123456789", 50_000)
	o.give("/short", responseOf("short", "Cache-Control: max-age=60", `ETag: "a"`))
	o.give("/long", responseOf(long, "Cache-Control: max-age=60", `ETag: "a"`))
	_, at := start(t, "routes: [{cache: {}, to: http://"+o.address+"}]\n")
	for _, version := range []int{1, 2, 1, 2} {
		client := clientOver(t, version)
		for path, want := range map[string]string{"/short": "short", "/long": long} {
			for _, c := range []struct {
				method, field, value string
				status               int
				body                 string
			}{
				{"GET", "", "", 200, want}, {"HEAD", "", "", 200, ""}, {"GET", "If-None-Match", `"a"`, 304, ""}, {"GET", "Range", "bytes=1-3", 206, want[1:4]}, {"GET", "Range", "bytes=9999999-", 416, ""},
			} {
				request, _ := http.NewRequest(c.method, "http://"+at+path, nil)
				if c.field != "" {
					request.Header.Set(c.field, c.value)
				}
				resp, err := client.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				raw, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				body := string(raw)
				if resp.StatusCode != c.status || body != c.body || resp.ProtoMajor != version {
					t.Errorf("%s %s %s over HTTP/%d: %d, %d bytes, want %d, %d", c.method, path, c.field, version, resp.StatusCode, len(body), c.status, len(c.body))
				}
			}
			if n := o.count(path); n != 1 {
				t.Errorf("%s: the upstream was asked %d times", path, n)
			}
		}
	}
}

// A client that takes a long response slowly has it whole.
func TestCacheOfASlowClient(t *testing.T) {
	o := newOrigin(t)
	long := strings.Repeat("0123456789", 100_000)
	o.give("/", responseOf(long, "Cache-Control: max-age=60"))
	_, at := start(t, "routes: [{cache: {}, to: http://"+o.address+"}]\n")
	ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	p := dial(t, at)
	for range 20 {
		p.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	}
	time.Sleep(10 * time.Millisecond) // nobody reads meanwhile
	for i := range 20 {
		if _, body := p.response(t, "GET"); body != long {
			t.Fatalf("response %d has %d bytes", i, len(body))
		}
	}
	if n := o.count("/"); n != 1 {
		t.Errorf("the upstream was asked %d times", n)
	}
}

// Requests that aren't safe make what is stored invalid, whichever route they are of.
func TestCacheInvalidation(t *testing.T) {
	o := newOrigin(t)
	_, at := start(t, "routes:\n  - {match: {methods: [GET]}, cache: {}, to: u}\n  - {to: u}\nupstreams: {u: [\"http://"+o.address+"\"]}\n")
	for _, path := range []string{"/a", "/b", "/c", "/d"} {
		o.give(path, responseOf("{n}", "Cache-Control: max-age=60"))
	}
	stored := func(path string) bool {
		resp, _ := ask(t, at, "GET "+path+" HTTP/1.1\r\nHost: h\r\n\r\n")
		return strings.Contains(resp.Header.Get("Cache-Status"), "hit")
	}
	for _, c := range []struct {
		method, response string
		gone, stays      []string
	}{
		{"POST", "HTTP/1.1 204 No Content\r\n\r\n", []string{"/a"}, []string{"/b", "/c"}},
		{"PURGE", "HTTP/1.1 303 See Other\r\nLocation: /b\r\nContent-Location: http://h/c\r\nContent-Length: 0\r\n\r\n", []string{"/a", "/b", "/c"}, []string{"/d"}},
		{"PUT", "HTTP/1.1 200 OK\r\nLocation: http://other/b\r\nContent-Location: https://h/c\r\nContent-Length: 0\r\n\r\n", []string{"/a"}, []string{"/b", "/c"}},
		{"DELETE", "HTTP/1.1 500 Internal Server Error\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n", nil, []string{"/a", "/b"}},
		{"OPTIONS", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", nil, []string{"/a"}},
	} {
		for _, path := range []string{"/a", "/b", "/c", "/d"} {
			stored(path) // or it is now
		}
		o.give(c.method+" /a", c.response)
		ask(t, at, c.method+" /a HTTP/1.1\r\nHost: h\r\n\r\n")
		for _, path := range c.stays {
			if !stored(path) {
				t.Errorf("%s: %s is gone", c.method, path)
			}
		}
		for _, path := range c.gone {
			if stored(path) {
				t.Errorf("%s: %s stays", c.method, path)
			}
		}
	}
}

// An upstream that isn't there any more: what is stored is given, if it may be.
func TestCacheWithoutAnUpstream(t *testing.T) {
	h := newHeld(t)
	_, at := start(t, "routes: [{cache: {stale-if-error: 1h}, to: u}]\nupstreams: {u: {endpoints: [\"http://"+h.address+"\"], breaker: {least: 2, over: 1m, open: 1m}}}\n")
	h.responses <- responseOf("old", "Cache-Control: max-age=1", "Age: 10")
	for i := range 6 {
		if i > 0 && i < 4 {
			h.responses <- ""
			h.responses <- "" // it is tried again on another connection
		}
		r := <-askers(t, at, 1)
		if r.status != 200 || r.body != "old" || i > 0 && !strings.Contains(r.told, "fwd=stale") {
			t.Errorf("%d: %+v", i, r)
		}
	}
	if n := h.asked.Load(); n > 6 {
		t.Errorf("the upstream was asked %d times, and its breaker should have opened", n)
	}
}

// A hit costs no allocation.
func TestCacheHitsDoNotAllocate(t *testing.T) {
	o := newOrigin(t)
	o.give("/", responseOf("one", "Cache-Control: max-age=3600", "Vary: Accept-Language", `ETag: "a"`))
	_, at := startLoops(t, 1, "routes: [{cache: {}, to: http://"+o.address+"}]\n")
	ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\nAccept-Language: de, en\r\n\r\n") // it is stored
	for name, fields := range map[string]string{"whole": "", "not modified": "If-None-Match: \"a\"\r\n", "part": "Range: bytes=0-1\r\n"} {
		c := dial(t, at)
		request, got := []byte("GET / HTTP/1.1\r\nHost: h\r\nAccept-Language: de, en\r\nCache-Control: max-age=3600\r\n"+fields+"\r\n"), make([]byte, 4<<10)
		noAllocations(t, name, func() {
			c.Conn.Write(request)
			if n, err := c.Conn.Read(got); err != nil || n < 100 {
				t.Fatalf("%s: %v, %s", name, err, got[:n])
			}
		})
	}
	if n := o.count("/"); n != 1 {
		t.Errorf("the upstream was asked %d times", n)
	}
}
