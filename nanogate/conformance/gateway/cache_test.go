//go:build linux

package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// origin is an upstream whose responses a test gives by their paths, and that counts the
// requests for each.
type origin struct {
	address   string
	mu        sync.Mutex
	responses map[string]string
	asked     map[string]int
	heads     map[string]string // of the last request for each path
}

func newOrigin(t *testing.T) *origin {
	o := &origin{responses: map[string]string{}, asked: map[string]int{}, heads: map[string]string{}}
	o.address = scripted(t, func(c *peer) {
		for {
			r, err := c.request()
			if err != nil {
				return
			}
			response := o.response(r)
			if io.WriteString(c, strings.TrimSuffix(response, "<close>")); response == "" || strings.HasSuffix(response, "<close>") {
				return
			}
		}
	})
	return o
}

func (o *origin) response(r *got) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	path := r.URL.Path
	o.asked[path]++
	var b strings.Builder
	r.Header.Write(&b)
	o.heads[path] = b.String()
	if response, ok := o.responses[r.Method+" "+path]; ok {
		return response
	}
	if tag := r.Header.Get("If-None-Match"); tag != "" && strings.Contains(o.responses[path], "ETag: "+tag+"\r\n") {
		return "HTTP/1.1 304 Not Modified\r\nCache-Control: max-age=60\r\nETag: " + tag + "\r\nX-Fresh: yes\r\n\r\n"
	}
	return strings.ReplaceAll(o.responses[path], "{n}", fmt.Sprintf("%03d", o.asked[path]))
}

func (o *origin) give(path, response string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.responses[path] = response
}

func (o *origin) count(path string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.asked[path]
}

func (o *origin) head(path string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.heads[path]
}

// responseOf is a response with a body and fields.
func responseOf(body string, fields ...string) string {
	lines := ""
	for _, f := range fields {
		lines += f + "\r\n"
	}
	return fmt.Sprintf("HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n%s", lines, len(body), body)
}

// A request is served from the store, or it isn't: by what its response and those before
// it said. Requests are sent one after the other.
func TestCache(t *testing.T) {
	o := newOrigin(t)
	_, at := start(t, "cache: {size: 4MiB, object: 64KiB}\nroutes: [{cache: {}, to: http://"+o.address+"}]\n")
	type question struct {
		request string // method and fields; "" is a plain GET
		status  int
		body    string
		cache   string // what Cache-Status begins with after the name
	}
	for i, c := range []struct {
		name     string
		response string
		asks     []question
		reached  int // requests that the upstream has had
	}{
		{"fresh", responseOf("one", "Cache-Control: max-age=60"), []question{{"", 200, "one", "fwd=uri-miss; stored"}, {"", 200, "one", "hit; ttl="}}, 1},
		{"s-maxage", responseOf("one", "Cache-Control: s-maxage=60, max-age=0"), []question{{"", 200, "one", "fwd=uri-miss; stored"}, {"", 200, "one", "hit"}}, 1},
		{"expires", responseOf("one", "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Age: 0", "Expires: Sun, 06 Nov 2094 08:49:37 GMT"), []question{{"", 200, "one", "fwd=uri-miss; stored"}, {"", 200, "one", "hit"}}, 1},
		{"chunks", "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n", []question{{"", 200, "onetwo", "fwd=uri-miss; stored"}, {"", 200, "onetwo", "hit"}}, 1},
		{"head from get", responseOf("one", "Cache-Control: max-age=60"), []question{{"", 200, "one", "fwd=uri-miss; stored"}, {"HEAD", 200, "", "hit"}}, 1},
		{"head is not stored", responseOf("one", "Cache-Control: max-age=60"), []question{{"", 200, "one", "fwd=uri-miss; stored"}, {"HEAD\r\nCache-Control: no-cache", 200, "", "fwd=bypass"}}, 2},
		{"nothing is said", responseOf("one"), []question{{"", 200, "one", "fwd=uri-miss"}, {"", 200, "one", "fwd=uri-miss"}}, 2},
		{"no-store", responseOf("one", "Cache-Control: max-age=60, no-store"), []question{{"", 200, "one", "fwd=uri-miss"}, {"", 200, "one", "fwd=uri-miss"}}, 2},
		{"private", responseOf("one", "Cache-Control: max-age=60, private"), []question{{"", 200, "one", "fwd=uri-miss"}, {"", 200, "one", "fwd=uri-miss"}}, 2},
		{"a field is private", responseOf("one", `Cache-Control: max-age=60, private="x-a"`), []question{{"", 200, "one", "fwd=uri-miss"}, {"", 200, "one", "fwd=uri-miss"}}, 2},
		{"set-cookie", responseOf("one", "Cache-Control: max-age=60", "Set-Cookie: a=b"), []question{{"", 200, "one", "fwd=uri-miss"}, {"", 200, "one", "fwd=uri-miss"}}, 2},
		{"credentials", responseOf("one", "Cache-Control: max-age=60"), []question{{"GET\r\nAuthorization: a", 200, "one", "fwd=uri-miss"}, {"GET\r\nAuthorization: a", 200, "one", "fwd=uri-miss"}, {"", 200, "one", "fwd=uri-miss; stored"}, {"GET\r\nAuthorization: a", 200, "one", "fwd=uri-miss"}}, 4},
		{"credentials, public", responseOf("one", "Cache-Control: max-age=60, public"), []question{{"GET\r\nAuthorization: a", 200, "one", "fwd=uri-miss; stored"}, {"GET\r\nAuthorization: b", 200, "one", "hit"}}, 1},
		{"vary", responseOf("{n}", "Cache-Control: max-age=60", "Vary: X-Lang"), []question{{"GET\r\nX-Lang: a", 200, "001", "fwd=uri-miss; stored"}, {"GET\r\nX-Lang: b", 200, "002", "fwd=vary-miss; stored"}, {"GET\r\nX-Lang: a", 200, "001", "hit"}, {"GET\r\nX-Lang: b", 200, "002", "hit"}, {"", 200, "003", "fwd=vary-miss; stored"}}, 3},
		{"vary by a list", responseOf("{n}", "Cache-Control: max-age=60", "Vary: Accept-Encoding"), []question{{"GET\r\nAccept-Encoding: a, b", 200, "001", "fwd=uri-miss; stored"}, {"GET\r\nAccept-Encoding: a\r\nAccept-Encoding: b", 200, "001", "hit"}}, 1},
		{"vary by anything", responseOf("one", "Cache-Control: max-age=60", "Vary: *"), []question{{"", 200, "one", "fwd=uri-miss"}, {"", 200, "one", "fwd=uri-miss"}}, 2},
		{"stale on arrival", responseOf("one", "Cache-Control: max-age=60", "Age: 61", `ETag: "a"`), []question{{"", 200, "one", "fwd=uri-miss; stored"}, {"", 200, "one", "fwd=stale; fwd-status=304"}, {"", 200, "one", "hit"}}, 2},
		{"no-cache", responseOf("one", "Cache-Control: no-cache", `ETag: "a"`), []question{{"", 200, "one", "fwd=uri-miss; stored"}, {"", 200, "one", "fwd=stale; fwd-status=304"}}, 2},
		{"the client has it", responseOf("one", "Cache-Control: max-age=60", `ETag: "a"`), []question{{"", 200, "one", "fwd=uri-miss; stored"}, {"GET\r\nIf-None-Match: \"b\", W/\"a\"", 304, "", "hit"}, {"GET\r\nIf-None-Match: \"b\"", 200, "one", "hit"}}, 1},
		{"the client has it, the store doesn't", responseOf("one", "Cache-Control: max-age=60", `ETag: "a"`), []question{{"GET\r\nIf-None-Match: \"a\"", 304, "", "fwd=uri-miss; stored"}, {"", 200, "one", "hit"}}, 1},
		{"since", responseOf("one", "Cache-Control: max-age=60", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"), []question{{"", 200, "one", "fwd=uri-miss; stored"}, {"GET\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", 304, "", "hit"}, {"GET\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT", 200, "one", "hit"}}, 1},
		{"a part", responseOf("0123456789", "Cache-Control: max-age=60", `ETag: "a"`), []question{{"", 200, "0123456789", "fwd=uri-miss; stored"}, {"GET\r\nRange: bytes=2-4", 206, "234", "hit"}, {"GET\r\nRange: bytes=-3", 206, "789", "hit"}, {"GET\r\nRange: bytes=8-", 206, "89", "hit"}, {"GET\r\nRange: bytes=10-", 416, "", "hit"}, {"GET\r\nRange: bytes=1-2,4-5", 200, "0123456789", "hit"}, {"GET\r\nRange: bytes=1-2\r\nIf-Range: \"b\"", 200, "0123456789", "hit"}, {"GET\r\nRange: bytes=1-2\r\nIf-Range: \"a\"", 206, "12", "hit"}}, 1},
		{"a part of what isn't stored", "HTTP/1.1 206 Partial Content\r\nCache-Control: max-age=60\r\nContent-Range: bytes 0-1/4\r\nContent-Length: 2\r\n\r\non", []question{{"GET\r\nRange: bytes=0-1", 206, "on", "fwd=bypass"}, {"GET\r\nRange: bytes=0-1", 206, "on", "fwd=bypass"}}, 2},
		{"asked for without", responseOf("one", "Cache-Control: max-age=60", `ETag: "a"`), []question{{"", 200, "one", "fwd=uri-miss; stored"}, {"GET\r\nCache-Control: no-cache", 200, "one", "fwd=stale; fwd-status=304"}, {"GET\r\nPragma: no-cache", 200, "one", "fwd=stale; fwd-status=304"}, {"GET\r\nCache-Control: max-age=0", 200, "one", "fwd=stale; fwd-status=304"}, {"GET\r\nCache-Control: min-fresh=61", 200, "one", "fwd=stale; fwd-status=304"}, {"GET\r\nCache-Control: no-store", 200, "one", "fwd=bypass"}}, 6},
		{"only if stored", responseOf("one", "Cache-Control: max-age=60"), []question{{"GET\r\nCache-Control: only-if-cached", 504, "*", ""}, {"", 200, "one", "fwd=uri-miss; stored"}, {"GET\r\nCache-Control: only-if-cached", 200, "one", "hit"}}, 1},
		{"max-stale", responseOf("one", "Cache-Control: max-age=60", "Age: 70", `ETag: "b"`), []question{{"", 200, "one", "fwd=uri-miss; stored"}, {"GET\r\nCache-Control: max-stale=60", 200, "one", "hit; ttl=-"}, {"GET\r\nCache-Control: max-stale=5", 200, "one", "fwd=stale; fwd-status=304"}}, 2},
		{"the end of the connection is the end", "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n\r\none<close>", []question{{"", 200, "one", "fwd=uri-miss"}, {"", 200, "one", "fwd=uri-miss"}}, 2},
		{"too large", responseOf(strings.Repeat("x", 70_000), "Cache-Control: max-age=60"), []question{{"", 200, strings.Repeat("x", 70_000), "fwd=uri-miss"}, {"", 200, strings.Repeat("x", 70_000), "fwd=uri-miss"}}, 2},
		{"not found", "HTTP/1.1 404 Not Found\r\nCache-Control: max-age=60\r\nContent-Length: 2\r\n\r\nno", []question{{"", 404, "no", "fwd=uri-miss; stored"}, {"", 404, "no", "hit"}}, 1},
		{"no content", "HTTP/1.1 204 No Content\r\nCache-Control: max-age=60\r\n\r\n", []question{{"", 204, "", "fwd=uri-miss; stored"}, {"", 204, "", "hit"}}, 1},
		{"another method", responseOf("one", "Cache-Control: max-age=60"), []question{{"", 200, "one", "fwd=uri-miss; stored"}, {"OPTIONS", 200, "one", "fwd=method"}, {"", 200, "one", "hit"}, {"POST\r\nContent-Length: 0", 200, "one", "fwd=method"}, {"", 200, "one", "fwd=uri-miss; stored"}}, 4},
	} {
		path := "/" + strconv.Itoa(i)
		o.give(path, c.response)
		for k, a := range c.asks {
			if a.request == "" {
				a.request = "GET"
			}
			method, fields, more := strings.Cut(a.request, "\r\n")
			if more {
				fields += "\r\n"
			}
			resp, body := ask(t, at, method+" "+path+" HTTP/1.1\r\nHost: h\r\n"+fields+"\r\n")
			told, _ := strings.CutPrefix(resp.Header.Get("Cache-Status"), "nanogate; ")
			if resp.StatusCode != a.status || body != a.body && a.body != "*" || !strings.HasPrefix(told, a.cache) || a.cache == "fwd=uri-miss" && strings.Contains(told, "stored") {
				t.Errorf("%s, request %d: %d %.40q, %q; want %d %.40q, %q", c.name, k+1, resp.StatusCode, body, told, a.status, a.body, a.cache)
			}
		}
		if n := o.count(path); n != c.reached {
			t.Errorf("%s: the upstream was asked %d times, want %d", c.name, n, c.reached)
		}
	}
}

// What is given of a stored response has its fields, its age, and what the route adds.
func TestCacheFields(t *testing.T) {
	o := newOrigin(t)
	_, at := start(t, "routes: [{cache: {}, response-headers: {set: {X-Added: b}, remove: [x-removed]}, to: http://"+o.address+"}]\n")
	o.give("/", responseOf("one", "Cache-Control: max-age=60", "Age: 5", "X-Own: a", "X-Removed: a", "Connection: X-Hop", "X-Hop: a", "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Expires: Sun, 06 Nov 1994 08:49:37 GMT"))
	ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	o.give("/", responseOf("one", "Cache-Control: max-age=60", "Age: 5", "X-Own: a", "X-Removed: a", "Connection: X-Hop", "X-Hop: a"))
	ask(t, at, "GET /fresh HTTP/1.1\r\nHost: h\r\n\r\n")
	resp, body := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	if age, _ := strconv.Atoi(resp.Header.Get("Age")); age < 5 || body != "one" || resp.Header.Get("X-Own") != "a" || resp.Header.Get("X-Added") != "b" || resp.Header.Get("X-Removed")+resp.Header.Get("X-Hop") != "" || len(resp.Header["Date"]) != 1 || resp.ContentLength != 3 {
		t.Errorf("%v %q", resp.Header, body)
	}
}

// The path that counts is the canonical one, the host is in any case, and each scheme, host
// and query is another key.
func TestCacheKey(t *testing.T) {
	o := newOrigin(t)
	_, at := start(t, "routes: [{cache: {}, to: http://"+o.address+"}]\n")
	for _, path := range []string{"/a/b", "/"} {
		o.give(path, responseOf("{n}", "Cache-Control: max-age=60"))
	}
	for _, c := range []struct{ target, host, want string }{
		{"/a/b", "h", "001"}, {"/a//c/../b", "H", "001"}, {"/a/%62", "h:80", "001"}, {"/a/b?", "h", "001"},
		{"/a/b?x", "h", "002"}, {"/a/b?x", "h", "002"}, {"/a/b?X", "h", "003"}, {"/a/b", "g", "004"}, {"/a/b", "h:8080", "005"}, {"http://h/a/b", "g", "001"},
	} {
		if _, body := ask(t, at, "GET "+c.target+" HTTP/1.1\r\nHost: "+c.host+"\r\n\r\n"); body != c.want {
			t.Errorf("%s of %s: %s, want %s", c.target, c.host, body, c.want)
		}
	}
	if _, body := ask(t, at, "GET / HTTP/1.0\r\n\r\n"); body != "001" {
		t.Error(body)
	}
	if _, body := ask(t, at, "GET / HTTP/1.0\r\n\r\n"); body != "002" {
		t.Errorf("a request without a host was served from the store: %s", body)
	}
}

// What is stale is given in place of an error, if it may be.
func TestCacheInsteadOfAnError(t *testing.T) {
	o := newOrigin(t)
	_, at := start(t, `routes:
  - {match: {path: "/said/*"}, cache: {}, to: u}
  - {cache: {stale-if-error: 1h}, to: u}
upstreams: {u: ["http://`+o.address+`"]}
`)
	get := func(path string) (*http.Response, string) {
		return ask(t, at, "GET "+path+" HTTP/1.1\r\nHost: h\r\n\r\n")
	}
	const busy = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy"
	for i, c := range []struct {
		path, control, failure string
		status                 int
		body                   string
	}{
		{"/said", "max-age=1, stale-if-error=600", busy, 200, "one"},
		{"/said", "max-age=1, stale-if-error=600", "", 200, "one"},
		{"/said", "max-age=1, stale-if-error=600", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart<close>", 0, ""},
		{"/said", "max-age=1, stale-if-error=8", busy, 503, "busy"},
		{"/route", "max-age=1", busy, 200, "one"},
		{"/route", "max-age=1", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 404, ""},
		{"/strict", "max-age=1, must-revalidate", busy, 503, "busy"},
		{"/strict", "s-maxage=1", busy, 503, "busy"},
	} {
		c.path += "/" + strconv.Itoa(i)
		o.give(c.path, responseOf("one", "Cache-Control: "+c.control, "Age: 10", `ETag: "a"`))
		if _, body := get(c.path); body != "one" {
			t.Fatalf("%s, %s: %q", c.path, c.control, body)
		}
		o.give(c.path, c.failure)
		if c.status == 0 { // the connection is cut: what has begun isn't made good
			p := dial(t, at)
			p.send("GET %s HTTP/1.1\r\nHost: h\r\n\r\n", c.path)
			if rest := p.rest(); strings.Contains(rest, "one") {
				t.Errorf("%s: %q", c.path, rest)
			}
			continue
		}
		resp, body := get(c.path)
		if resp.StatusCode != c.status || body != c.body {
			t.Errorf("%s, %s, then %.20q: %d %q, want %d %q", c.path, c.control, c.failure, resp.StatusCode, body, c.status, c.body)
		}
	}
}

// A response that is cut is not stored.
func TestCacheOfWhatIsCut(t *testing.T) {
	o := newOrigin(t)
	_, at := start(t, "routes: [{cache: {}, to: http://"+o.address+"}]\n")
	for path, cut := range map[string]string{
		"/length": "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 9\r\n\r\npart<close>",
		"/chunks": "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n<close>",
	} {
		o.give(path, cut)
		p := dial(t, at)
		p.send("GET %s HTTP/1.1\r\nHost: h\r\n\r\n", path)
		p.rest()
		o.give(path, responseOf("whole", "Cache-Control: max-age=60"))
		if resp, body := ask(t, at, "GET "+path+" HTTP/1.1\r\nHost: h\r\n\r\n"); body != "whole" || !strings.Contains(resp.Header.Get("Cache-Status"), "fwd=uri-miss") {
			t.Errorf("%s: %q, %s", path, body, resp.Header.Get("Cache-Status"))
		}
	}
}
