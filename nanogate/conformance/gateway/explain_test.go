package gateway_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/request"
)

// Who may ask is told what a request came to, what each filter said and what it goes on with;
// nobody else is, and the upstream doesn't hear of the question.
func TestExplained(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Nanogate-Explain") != "" {
			t.Error("the upstream is asked too")
		}
	}))
	defer server.Close()
	up := strings.TrimPrefix(server.URL, "http://")
	const routes = `routes:
  - {name: open, match: {path: /open}, request-id: on, limit: {rate: 1000/s}, retry: {attempts: 2}, to: u}
  - {name: closed, match: {path: /closed}, allow: 10.0.0.0/8, limit: {rate: 1000/s}, to: u}
`
	ask := func(at, path string, fields ...string) string {
		r, _ := http.NewRequest("GET", "http://"+at+path, nil)
		for _, f := range fields {
			r.Header.Set(f, "1")
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.Header.Get("Server-Timing")
	}
	_, at := start(t, "explain: 127.0.0.1\n"+routes+"upstreams: {u: [\""+up+"\"]}\n")
	for path, want := range map[string]string{
		"/open":   `route;desc="open", access.request-id;dur=[0-9.]+, limits.rate;dur=[0-9.]+, forwarding.retry, before;dur=[0-9.]+, upstream;dur=[0-9.]+;desc="` + regexp.QuoteMeta(up) + `"`,
		"/closed": `route;desc="closed", access.access;dur=[0-9.]+;desc="403"`,
		"/none":   ``,
	} {
		if got := ask(at, path, "Nanogate-Explain"); !regexp.MustCompile("^" + want + "$").MatchString(got) {
			t.Errorf("%s: %s", path, got)
		}
		if got := ask(at, path); got != "" {
			t.Errorf("%s, unasked: %s", path, got)
		}
	}
	_, at = start(t, "explain: 10.0.0.0/8\n"+routes+"upstreams: {u: [\""+up+"\"]}\n")
	if got := ask(at, "/open", "Nanogate-Explain"); got != "" {
		t.Errorf("who may not ask is told %s", got)
	}
}

// What is said of slots is true of a gateway as a whole: middleware that takes a known time with a
// response took that at its slot, and all that is said comes to no more than the client has waited.
// A response that is stored comes to none of it.
func TestExplainedSlots(t *testing.T) {
	const long = 30 * time.Millisecond
	o := newOrigin(t)
	o.give("/a", responseOf("{n}", "Cache-Control: max-age=60"))
	_, at := startUsing(t, 1, "explain: 127.0.0.1\ncache: {size: 4MiB}\nroutes: [{name: r, use: slow, cache: {shared: true}, to: http://"+o.address+"}]\n",
		offer("slow", middleware.Middleware{Response: func(*request.Request, *request.Response) *request.Reply {
			time.Sleep(long)
			return nil
		}}))
	for _, want := range []struct {
		says  string
		least time.Duration // of the first filter that a part of the pattern is about
	}{
		{`^route;desc="r", middleware\.slow;dur=[0-9.]+, middleware\.use;dur=([0-9.]+);desc="sending [0-9.]+, head [0-9.]+", ` +
			`content\.invalidate;dur=[0-9.]+;desc="content [0-9.]+", content\.cache;dur=[0-9.]+;desc="content [0-9.]+, head [0-9.]+, begin [0-9.]+", forwarding\.retry, before;dur=[0-9.]+, upstream;dur=[0-9.]+;desc="[0-9.:]+"$`, long},
		{`^route;desc="r", middleware\.slow;dur=[0-9.]+, content\.invalidate;dur=[0-9.]+;desc="content [0-9.]+", content\.cache;dur=([0-9.]+);desc="content [0-9.]+", forwarding\.retry$`, 0},
	} {
		began := time.Now()
		resp, _ := ask(t, at, "GET /a HTTP/1.1\r\nHost: h\r\nNanogate-Explain: 1\r\n\r\n")
		waited := time.Since(began)
		said := resp.Header.Get("Server-Timing")
		m := regexp.MustCompile(want.says).FindStringSubmatch(said)
		if m == nil {
			t.Errorf("%s", said)
			continue
		}
		sum := time.Duration(0)
		filters, _, _ := strings.Cut(said, ", before") // what is told of the upstream has filters' time in it
		for _, dur := range regexp.MustCompile(`;dur=([0-9.]+)`).FindAllStringSubmatch(filters, -1) {
			sum += milliseconds(t, dur[1])
		}
		if of := milliseconds(t, m[1]); of < want.least-time.Microsecond || sum > waited {
			t.Errorf("%v of at least %v, and %v in all of %v that the client waited: %s", of, want.least, sum, waited, said)
		}
	}
}

// What is said of the upstream is true: it is the time of the endpoint whose response is passed on, not
// of those before it nor of the gateway's own filters.
func TestExplainedUpstream(t *testing.T) {
	const before, upstream = 40 * time.Millisecond, 80 * time.Millisecond
	serve := func(long time.Duration, status int) *httptest.Server {
		return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(long)
			w.WriteHeader(status)
		}))
	}
	failing, slow := serve(before, 503), serve(upstream, 200)
	defer failing.Close()
	defer slow.Close()
	first, second := strings.TrimPrefix(failing.URL, "http://"), strings.TrimPrefix(slow.URL, "http://")
	_, at := start(t, "explain: 127.0.0.1\nroutes: [{name: r, retry: {attempts: 2, on: [503]}, to: u}]\nupstreams: {u: [\""+first+"\", \""+second+"\"]}\n")
	saw := map[bool]bool{}
	for range 10 { // the endpoints take turns
		began := time.Now()
		resp, _ := ask(t, at, "GET /a HTTP/1.1\r\nHost: h\r\nNanogate-Explain: 1\r\n\r\n")
		waited := time.Since(began)
		said := resp.Header.Get("Server-Timing")
		m := regexp.MustCompile(`, before;dur=([0-9.]+), upstream;dur=([0-9.]+);desc="([^"]+)"$`).FindStringSubmatch(said)
		if m == nil || m[3] != second {
			t.Fatalf("%s, by %s after %s", said, second, first)
		}
		b, u := milliseconds(t, m[1]), milliseconds(t, m[2])
		retried := b >= before-time.Millisecond
		if saw[retried] = true; u < upstream-time.Millisecond || b+u > waited+time.Millisecond {
			t.Errorf("%v and %v of %v: %s", b, u, waited, said)
		}
	}
	if !saw[true] {
		t.Error("no request was tried at the endpoint that fails")
	}
}

func milliseconds(t *testing.T, text string) time.Duration {
	ms, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Error(err)
	}
	return time.Duration(ms * float64(time.Millisecond))
}

// A filter that holds a request back says for how long, in a part of its own, and that is none of the
// time before the attempt: a fault for as long as it was told to, a decision for as long as it took, and a
// limit until the request before had ended. All parts together are no longer than the client has waited.
func TestExplainedHeld(t *testing.T) {
	const long = 40 * time.Millisecond
	arrived, ends := make(chan bool), make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/place" && r.Header.Get("First") != "" {
			arrived <- true
			<-ends
		}
	}))
	defer server.Close()
	_, at := startUsing(t, 1, `explain: 127.0.0.1
routes:
  - {name: fault, match: {path: /fault}, fault: {delay: {for: 40ms}}, to: u}
  - {name: late, match: {path: /late}, use: busy, fault: {delay: {for: 40ms}}, to: u}
  - {name: later, match: {path: /later}, use: later, to: u}
  - {name: place, match: {path: /place}, concurrency: {most: 1, queue: {wait: 1m}}, to: u}
upstreams: {u: ["`+strings.TrimPrefix(server.URL, "http://")+`"]}
`, offer("later", middleware.Middleware{Request: func(*request.Request) *request.Reply {
		return &request.Reply{Status: 503, Deferred: &request.Deferred{Within: time.Minute, Work: func(context.Context) func(*request.Request) *request.Reply {
			time.Sleep(long)
			return func(*request.Request) *request.Reply { return nil }
		}, Over: func() {}}}
	}}), offer("busy", middleware.Middleware{Request: func(*request.Request) *request.Reply {
		time.Sleep(long) // on the loop: its batch is that old when the delay begins
		return nil
	}}))
	for path, c := range map[string]struct {
		by    string
		least time.Duration
	}{
		"/fault": {`forwarding\.fault`, long},
		"/late":  {`forwarding\.fault`, long},
		"/later": {`middleware\.later`, long},
		"/place": {`limits\.concurrency`, 0}, // a part of the first one's time, and which one is not known
	} {
		first := make(chan bool)
		go func() {
			defer close(first)
			if path == "/place" {
				ask(t, at, "GET /place HTTP/1.1\r\nHost: h\r\nFirst: 1\r\n\r\n")
			}
		}()
		if path == "/place" {
			<-arrived
		}
		began := time.Now()
		conn, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: h\r\nNanogate-Explain: 1\r\n\r\n")
		if path == "/place" {
			ask(t, at, "GET /none HTTP/1.1\r\nHost: h\r\n\r\n") // when the only loop has responded, it has the one before too
			ends <- true
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		waited := time.Since(began)
		<-first
		said := resp.Header.Get("Server-Timing")
		held := regexp.MustCompile(", " + c.by + `;dur=([0-9.]+);desc="held"`).FindStringSubmatch(said)
		before := regexp.MustCompile(`, before;dur=([0-9.]+), upstream;dur=([0-9.]+)`).FindStringSubmatch(said)
		if held == nil || before == nil || strings.Count(said, `"held"`) != 1 {
			t.Errorf("%s: %s", path, said)
			continue
		}
		h, b, u := milliseconds(t, held[1]), milliseconds(t, before[1]), milliseconds(t, before[2])
		if h < c.least-time.Microsecond || h+b+u > waited+time.Millisecond {
			t.Errorf("%s was held for %v, at least %v, and was at the upstream after %v for %v, of %v that its client waited: %s", path, h, c.least, b, u, waited, said)
		}
	}
}
