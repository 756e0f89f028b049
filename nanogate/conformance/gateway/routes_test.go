//go:build linux

package gateway_test

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
)

// echoing is an upstream that responds with its name and what it was asked.
func echoing(t *testing.T, name string) (address string) {
	return scripted(t, func(p *peer) { echo(p, name) })
}

func echo(p *peer, name string) {
	for {
		r, err := p.request()
		if err != nil {
			return
		}
		text := fmt.Sprintf("%s %s %s host=%s env=%s debug=%s", name, r.Method, r.RequestURI, r.Host, r.Header["X-Env"], r.Header["X-Debug"])
		p.send("HTTP/1.1 200 OK\r\nContent-Length: %d\r\nServer: secret\r\n\r\n%s", len(text), text)
	}
}

func get(t *testing.T, at, target string, fields ...string) (status int, body string) {
	t.Helper()
	resp, body := ask(t, at, "GET "+target+" HTTP/1.1\r\nHost: h\r\n"+strings.Join(fields, "")+"\r\n")
	return resp.StatusCode, body
}

func TestRoutes(t *testing.T) {
	a := echoing(t, "a")
	_, at := start(t, `
routes:
  - {match: {path: "/users/{id}/*"}, rewrite: "/v2/{id}?of={rest}", to: a}
  - {match: {path: "/edit"}, host: upstream, request-headers: {set: {X-Env: prod}, remove: [X-Debug]}, response-headers: {remove: [server], set: {X-By: gate}}, to: a}
  - {match: {path: "/own"}, host: own.example, to: a}
  - {match: {path: "/old/*"}, redirect: {to: "http://{host}/new/{rest}{query}", status: 301}}
  - {match: {path: "/fixed"}, respond: {status: 418, body: "short and stout"}}
  - {match: {path: "/post", methods: [POST, PUT]}, to: a}
  - {match: {path: "/abort"}, fault: {abort: {status: 599}}, to: a}
  - {match: {path: "/delay"}, fault: {delay: {for: 10ms}}, to: a}
upstreams: {a: ["`+a+`"]}
`)
	for _, c := range []struct {
		target, fields string
		status         int
		body           string
	}{
		{"/users/7/x/y?q=1", "", 200, "a GET /v2/7?of=x/y host=h env=[] debug=[]"},
		{"/edit", "X-Debug: 1\r\nX-Env: mine\r\n", 200, "a GET /edit host=" + a + " env=[prod] debug=[]"},
		{"/own", "", 200, "a GET /own host=own.example env=[] debug=[]"},
		{"/old/x?y=z", "", 301, ""},
		{"/fixed", "", 418, "short and stout"},
		{"/nowhere", "", 404, "no route matches"},
		{"/post", "", 405, "Method Not Allowed"},
		{"/abort", "", 599, "fault injected"},
		{"/delay", "", 200, "a GET /delay host=h env=[] debug=[]"},
	} {
		status, body := get(t, at, c.target, c.fields)
		if status != c.status || !strings.Contains(body, c.body) {
			t.Errorf("%s: %d %s", c.target, status, body)
		}
	}
	if resp, _ := ask(t, at, "GET /old/x?y=z HTTP/1.1\r\nHost: h:5\r\n\r\n"); resp.Header.Get("Location") != "http://h:5/new/x?y=z" {
		t.Errorf("redirect to %s", resp.Header.Get("Location"))
	}
	if resp, _ := ask(t, at, "GET /post HTTP/1.1\r\nHost: h\r\n\r\n"); resp.Header.Get("Allow") != "POST, PUT" {
		t.Errorf("allowed: %s", resp.Header.Get("Allow"))
	}
	if resp, _ := ask(t, at, "GET /edit HTTP/1.1\r\nHost: h\r\n\r\n"); resp.Header.Get("Server") != "" || resp.Header.Get("X-By") != "gate" {
		t.Errorf("response: %v", resp.Header)
	}
}

// Some of the requests go to the canary, all of a client with its cookie to the same.
func TestCanaryAndSticky(t *testing.T) {
	a, b := echoing(t, "a"), echoing(t, "b")
	_, at := start(t, `
routes:
  - {match: {path: /canary}, to: {a: 50, b: 50}}
  - {match: {path: /sticky}, sticky: {cookie: instance, for: 1h}, to: both}
upstreams: {a: ["`+a+`"], b: ["`+b+`"], both: {endpoints: ["`+a+`", "`+b+`"], balance: round-robin}}
`)
	got := map[string]int{}
	for range 60 {
		_, body := get(t, at, "/canary")
		got[body[:1]]++
	}
	if got["a"] < 10 || got["b"] < 10 {
		t.Errorf("half and half came to %v", got)
	}
	resp, first := ask(t, at, "GET /sticky HTTP/1.1\r\nHost: h\r\n\r\n")
	cookie := resp.Header.Get("Set-Cookie")
	value, attributes, _ := strings.Cut(cookie, ";")
	if !strings.HasPrefix(value, "instance=") || !strings.Contains(attributes, "Max-Age=3600") {
		t.Fatalf("cookie %q", cookie)
	}
	for range 10 {
		resp, body := ask(t, at, "GET /sticky HTTP/1.1\r\nHost: h\r\nCookie: x=y; "+value+"\r\n\r\n")
		if body[:1] != first[:1] || resp.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s, after %s; cookie %q", body, first, resp.Header.Get("Set-Cookie"))
		}
	}
	if resp, _ := ask(t, at, "GET /sticky HTTP/1.1\r\nHost: h\r\nCookie: instance=12ab\r\n\r\n"); resp.Header.Get("Set-Cookie") == "" {
		t.Error("a cookie of nobody was left")
	}
}

func TestUnixUpstream(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go serve(ln, func(p *peer) { echo(p, "unix") })
	_, at := start(t, "routes: [{to: \"unix:"+path+"\", host: upstream}]\n")
	if status, body := get(t, at, "/x"); status != 200 || body != "unix GET /x host=localhost env=[] debug=[]" {
		t.Errorf("%d %s", status, body)
	}
}

// Limits on a body hold whether its length is told or not, and a route's own comes
// before the one of all.
func TestBodyLimit(t *testing.T) {
	a := echoing(t, "a")
	_, at := start(t, "client: {body: 5B}\nroutes: [{match: {path: /more}, body: 10B, to: http://"+a+"}, {to: http://"+a+"}]\n")
	for _, c := range []struct {
		request string
		status  int
	}{
		{"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n12345", 200},
		{"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\n123456", 413},
		{"POST /more HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\n123456", 200},
		{"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n\r\n", 200},
		{"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n1\r\n6\r\n0\r\n\r\n", 413},
	} {
		if resp, _ := ask(t, at, c.request); resp.StatusCode != c.status {
			t.Errorf("%q: %d", c.request, resp.StatusCode)
		}
	}
}

// When all clients that may be there are, others wait until one goes.
func TestMostConnections(t *testing.T) {
	a, _ := respondingWith(t, ok)
	_, at := startLoops(t, 1, "client: {connections: 2}\nroutes: [{to: http://"+a+"}]\n")
	const request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
	one, two, three := dial(t, at), dial(t, at), dial(t, at)
	for _, c := range []*peer{one, two} {
		c.send(request)
		c.response(t, "GET")
	}
	three.send(request)
	one.Close()
	if _, body := three.response(t, "GET"); body != "OK" {
		t.Errorf("%q", body)
	}
}

// What is added to a response is there once, also when the gateway responds later in the
// upstream's place. No endpoint has responded then that a client could come back to.
func TestFieldsOfLateResponses(t *testing.T) {
	_, at := start(t, "routes: [{sticky: {cookie: instance}, response-headers: {set: {X-By: gate}}, to: http://"+nobody+"}]\n")
	resp, _ := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	if resp.StatusCode != 502 || len(resp.Header["Set-Cookie"]) != 0 || len(resp.Header["X-By"]) != 1 {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
}
