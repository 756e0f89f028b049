//go:build linux

package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc/codes"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"

	"dyno.example/nano"
	"dyno.example/nanogate/internal/admin"
	"dyno.example/nanogate/internal/gateway"
	"dyno.example/nanogate/internal/mirror"
)

// recordOf is the record of the first route's mirror.
func recordOf(g *gateway.Gateway) *mirror.Record { return g.Snapshot().Routes[0].Mirror.Record }

// mirrored waits until so many requests have been mirrored or dropped.
func mirrored(t *testing.T, g *gateway.Gateway, n uint64) mirror.Counts {
	t.Helper()
	var c mirror.Counts
	waitFor(t, fmt.Sprint(n, " mirrored requests"), func() bool {
		c = recordOf(g).Read()
		all := c.Same + c.Different + c.Failed
		for _, dropped := range c.Dropped {
			all += dropped
		}
		return all >= n
	})
	return c
}

// shadow is an upstream that keeps what it is sent.
func shadow(t *testing.T, response http.HandlerFunc) (address string, seen chan *got) {
	t.Helper()
	seen = make(chan *got, 100)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen <- &got{r, string(body)}
		response(w, r)
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String(), seen
}

// The shadow gets what the first upstream got, but for the mark; its responses go
// nowhere but into the counts and samples of what is different.
func TestMirror(t *testing.T) {
	first, _ := respondingWith(t, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 24\r\n\r\n{\"id\":1,\"at\":1,\"name\":1}")
	second, seen := shadow(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(203)
		io.WriteString(w, `{"name":2,"at":2,"id":1}`)
	})
	g, at := start(t, "routes: [{name: a, rewrite: \"/v2/{rest}\", match: {path: \"/a/*\"}, to: first, request-headers: {set: {X-Env: a}}, mirror: {to: second, timeout: 10m, request-headers: {remove: [cookie], set: {X-Shadow: b}}, compare: {headers: [content-type, server], json: [\"$\"], ignore: [\"$.at\"]}}}]\nupstreams: {first: [\""+first+"\"], second: [\""+second+"\"]}\n")
	resp, body := ask(t, at, "GET /a/b%20c//?d=%2f&token=s HTTP/1.1\r\nHost: h.example\r\nCookie: a=b\r\nAuthorization: x\r\n\r\n")
	if resp.StatusCode != 200 || body != `{"id":1,"at":1,"name":1}` {
		t.Errorf("the client got %d %s", resp.StatusCode, body)
	}
	q := <-seen
	if q.RequestURI != "/v2/b%20c/?d=%2f&token=s" || q.Host != "h.example" || q.Header.Get("X-Mirrored") != "nanogate" || q.Header.Get("X-Env") != "a" || q.Header.Get("X-Shadow") != "b" ||
		q.Header.Get("Cookie") != "" || q.Header.Get("Authorization") != "x" || q.Header.Get("X-Forwarded-For") != "127.0.0.1" || q.Header.Get("User-Agent") != "" {
		t.Errorf("the shadow got %s of %s with %v", q.RequestURI, q.Host, q.Header)
	}
	c := mirrored(t, g, 1)
	want := map[string]uint64{"status ": 1, "grpc-status ": 0, "header content-type": 1, "header server": 0, "json $": 1}
	for _, d := range c.Differed {
		if d.Count != want[d.Kind+" "+d.Field] {
			t.Errorf("%+v, want %d", d, want[d.Kind+" "+d.Field])
		}
	}
	if c.Different != 1 || c.Same != 0 || len(c.Differed) != len(want) || c.First <= 0 || c.Second <= 0 {
		t.Errorf("%+v", c)
	}
	samples := recordOf(g).Samples()
	if len(samples) != 1 {
		t.Fatalf("%d samples", len(samples))
	}
	s := samples[0]
	if s.Method != "GET" || s.Path != "/v2/b%20c/" || s.Query != "d=%2f&token=REDACTED" || s.Status != 200 || s.Shadow != 203 || s.Endpoint != second || len(s.Differences) != 3 ||
		s.Differences[2] != (mirror.Difference{Kind: "json", Field: "$", At: "$.name", First: "1", Second: "2"}) {
		t.Errorf("%+v", s)
	}
	if f := g.Snapshot().Upstream("second").Set().All[0].Counters.Read(); f.Requests != 1 || f.Status[2] != 1 {
		t.Errorf("its endpoint has %+v", f)
	}
}

// shown is what the admin address shows.
func shown(t *testing.T, app *nano.App, path string) (status int, body string) {
	t.Helper()
	var b bytes.Buffer
	request := "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
	if err := app.ServeBytes(context.Background(), netip.MustParseAddrPort("127.0.0.1:1"), []byte(request), &b); err != nil {
		t.Fatal(err)
	}
	resp, body := parseResponse(t, b.Bytes())
	return resp.StatusCode, body
}

// The admin address tells the counts to everybody, samples to those who know the token,
// and metrics with labels of the file.
func TestMirrorIsShown(t *testing.T) {
	first, _ := respondingWith(t, ok)
	second, _ := respondingWith(t, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
	g, at := start(t, "routes: [{name: a, to: \"http://"+first+"\", mirror: {to: s, timeout: 10m, share: 0.99999999, compare: {headers: [server]}}}, {name: b, match: {path: /b}, respond: {body: x}}]\nupstreams: {s: [\""+second+"\"]}\n")
	ask(t, at, "GET /x?token=s3cret HTTP/1.1\r\nHost: h\r\n\r\n")
	mirrored(t, g, 1)
	token := t.TempDir() + "/token"
	write(t, token, "0123456789abcdef")
	open, closed := admin.New(g, admin.Options{Local: true}), admin.New(g, admin.Options{Local: true, Token: token})
	var mirrors []admin.Mirror
	if _, body := shown(t, closed, "/mirrors"); json.Unmarshal([]byte(body), &mirrors) != nil || len(mirrors) != 1 || mirrors[0].Route != "a" || mirrors[0].To != "s" || mirrors[0].Different != 1 || mirrors[0].ShadowMean <= 0 {
		t.Errorf("/mirrors: %s", body)
	}
	var samples []admin.Samples
	if _, body := shown(t, open, "/mirrors/samples"); json.Unmarshal([]byte(body), &samples) != nil || len(samples) != 1 || len(samples[0].Samples) != 1 || samples[0].Samples[0].Query != "token=REDACTED" {
		t.Errorf("/mirrors/samples: %s", body)
	}
	if status, body := shown(t, closed, "/mirrors/samples"); status != 401 {
		t.Errorf("/mirrors/samples without the token: %d %s", status, body)
	}
	_, text := shown(t, open, "/metrics")
	for _, line := range []string{
		`nanogate_mirror_requests_total{route="a",result="same"} 0`, `nanogate_mirror_requests_total{route="a",result="different"} 1`,
		`nanogate_mirror_differences_total{route="a",kind="status",field=""} 1`, `nanogate_mirror_differences_total{route="a",kind="header",field="server"} 0`,
		`nanogate_mirror_unread_total{route="a"} 0`, `nanogate_mirror_duration_seconds_count{route="a",side="shadow"} 1`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("/metrics lacks %s:\n%s", line, text)
		}
	}
}

// What is mirrored: whole requests of the route's methods that its guards let pass, with
// bodies that aren't too long. What isn't goes where it always went.
func TestWhatIsMirrored(t *testing.T) {
	first := scripted(t, func(p *peer) {
		for {
			q, err := p.request()
			switch {
			case err != nil:
				return
			case q.URL.Path == "/events":
				p.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n\n\n\r\n0\r\n\r\n")
			case q.URL.Path == "/upgrade":
				p.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
				return
			case q.URL.Path == "/cut":
				p.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhal")
				return
			default:
				p.send("%s", ok)
			}
		}
	})
	second, seen := shadow(t, func(w http.ResponseWriter, r *http.Request) {})
	g, at := startLoops(t, 1, "routes: [{name: a, deny: [192.0.2.0/24], to: \"http://"+first+"\", mirror: {to: \"http://"+second+"\", timeout: 10m, methods: [GET, POST], body: 8B}}]\ntrust: [127.0.0.1]\n")
	for _, c := range []struct {
		request string
		method  string
		dropped mirror.Reason
		sent    string // the body that the shadow gets
		passed  bool   // it isn't even a candidate
	}{
		{request: "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"},
		{request: "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello", sent: "hello"},
		{request: "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", sent: "hello"},
		{request: "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhello you", dropped: mirror.RequestBody},
		{request: "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhello you\r\n0\r\n\r\n", dropped: mirror.RequestBody},
		{request: "GET /events HTTP/1.1\r\nHost: h\r\n\r\n", dropped: mirror.Stream},
		{request: "GET /cut HTTP/1.1\r\nHost: h\r\n\r\n", dropped: mirror.NoResponse},
		{request: "PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", passed: true},
		{request: "GET /a HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n", passed: true},
		{request: "GET /a HTTP/1.1\r\nHost: h\r\nX-Mirrored: nanogate\r\n\r\n", passed: true},
		{request: "GET /upgrade HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", passed: true},
	} {
		before := recordOf(g).Read()
		p := dial(t, at)
		p.send("%s", c.request)
		if resp, err := http.ReadResponse(p.r, nil); err != nil {
			t.Fatalf("%q: %v", c.request, err)
		} else if resp.StatusCode != 101 {
			io.Copy(io.Discard, resp.Body)
		}
		p.Close()
		switch {
		case c.passed:
		case c.dropped != 0:
			waitFor(t, c.request+": dropped", func() bool { return recordOf(g).Read().Dropped[c.dropped] == before.Dropped[c.dropped]+1 })
		default:
			if q := <-seen; q.body != c.sent {
				t.Errorf("%q: the shadow got %q", c.request, q.body)
			}
			waitFor(t, c.request+": compared", func() bool { return recordOf(g).Read().Same == before.Same+1 })
			continue
		}
		if len(seen) > 0 {
			t.Errorf("%q was mirrored", c.request)
		}
	}
	if c := recordOf(g).Read(); c.Same != 3 || c.Failed+c.Different != 0 || len(c.Dropped) != 3 {
		t.Errorf("%+v", c)
	}
}

// A shadow that takes requests and never responds costs the clients nothing: they get all of
// their responses while it hangs, and what is kept for it is bounded.
func TestMirrorThatHangs(t *testing.T) {
	const requests, atOnce, waiting = 200, 2, 4
	first, _ := respondingWith(t, ok)
	hangs := make(chan struct{})
	second, seen := shadow(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-hangs:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(hangs) })
	g, at := start(t, fmt.Sprintf("routes: [{to: \"http://%s\", mirror: {to: \"http://%s\", concurrency: %d, queue: %d, timeout: 10m}}]\n", first, second, atOnce, waiting))
	c := dial(t, at)
	for range requests {
		c.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		if resp, _ := c.response(t, "GET"); resp.StatusCode != 200 {
			t.Fatal(resp.StatusCode)
		}
	}
	waitFor(t, "the shadow is asked", func() bool { return len(seen) == atOnce })
	if dropped := recordOf(g).Read().Dropped[mirror.Queue]; dropped < requests-atOnce-waiting-1 || dropped > requests-atOnce {
		t.Errorf("%d of %d were dropped, with room for %d and %d", dropped, requests, atOnce, waiting)
	}
	// It ends with the gateway, however long it would have hung.
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := g.Shutdown(ctx); err != nil {
		t.Error(err)
	}
}

// Nobody at the shadow's address, one that is too slow, and one that breaks off: the first
// requests don't notice, and the failures are told.
func TestMirrorThatFails(t *testing.T) {
	first, _ := respondingWith(t, ok)
	for name, c := range map[string]struct {
		shadow           func(p *peer)
		timeout, failure string
	}{
		"slow":    {func(p *peer) { p.head(); io.Copy(io.Discard, p) }, "50ms", "no response in time"},
		"cut off": {func(p *peer) { p.head(); p.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal") }, "10m", "closed the connection"},
		"garbage": {func(p *peer) { p.head(); p.send("hello\r\n\r\n") }, "10m", "isn't HTTP"},
	} {
		t.Run(name, func(t *testing.T) {
			g, at := start(t, "routes: [{to: \"http://"+first+"\", mirror: {to: \"http://"+scripted(t, c.shadow)+"\", timeout: "+c.timeout+"}}]\n")
			if resp, _ := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != 200 {
				t.Error(resp.StatusCode)
			}
			if c := mirrored(t, g, 1); c.Failed != 1 {
				t.Errorf("%+v", c)
			}
			if s := recordOf(g).Samples(); len(s) != 1 || !strings.Contains(s[0].Failure, c.failure) {
				t.Errorf("%+v", s)
			}
		})
	}
	g, at := start(t, "routes: [{to: \"http://"+first+"\", mirror: \"http://127.0.0.1:1\"}]\n")
	ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	if c := mirrored(t, g, 1); c.Failed != 1 {
		t.Errorf("%+v", c)
	}
}

// What is mirrored and compared as before goes on being counted; a mirror that is gone
// sends nothing more.
func TestMirrorIsChanged(t *testing.T) {
	first, _ := respondingWith(t, ok)
	second, _ := respondingWith(t, ok)
	text := func(more string) string {
		return "listen: 127.0.0.1:0\nroutes: [{name: a, to: \"http://" + first + "\"" + more + "}]\nupstreams: {s: [\"" + second + "\"]}\n"
	}
	g, at := start(t, strings.TrimPrefix(text(", mirror: {to: s, timeout: 10m}"), "listen: 127.0.0.1:0\n"))
	get := func() { ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
	get()
	mirrored(t, g, 1)
	applied(t, g, text(", timeout: 1m, mirror: {to: s, timeout: 10m}"))
	get()
	if c := mirrored(t, g, 2); c.Same != 2 {
		t.Errorf("%+v", c)
	}
	applied(t, g, text(", mirror: {to: s, timeout: 10m, compare: {headers: [server]}}"))
	get()
	if c := mirrored(t, g, 1); c.Same != 1 {
		t.Errorf("it compares something else, and has %+v", c)
	}
	applied(t, g, text(""))
	get()
	if g.Snapshot().Routes[0].Mirror != nil {
		t.Error("there is a mirror still")
	}
}

// A shadow whose upstream can't be made is a problem that is told, and none of the
// route's.
func TestMirrorThatCannotBeMade(t *testing.T) {
	first, _ := respondingWith(t, ok)
	g, at := start(t, "routes: [{to: \"http://"+first+"\", mirror: s}]\nupstreams: {s: {endpoints: [\"https://127.0.0.1:1\"], tls: {ca: /nowhere.pem}}}\n")
	if resp, _ := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != 200 {
		t.Error(resp.StatusCode)
	}
	if problems := g.Problems(); len(problems) == 0 {
		t.Error("nobody is told")
	}
}

// Calls over gRPC are compared by their status, over HTTP/2 on all sides.
func TestMirrorOfCalls(t *testing.T) {
	first, _, _ := grpcServer(t)
	second, other, _ := grpcServer(t)
	var fails atomic.Bool
	other.hook = func(context.Context) error {
		if fails.Load() {
			return status.Error(codes.Unavailable, "not now")
		}
		return nil
	}
	g, at := start(t, "routes: [{to: \"h2c://"+first+"\", mirror: {to: \"h2c://"+second+"\", timeout: 10m, methods: [POST], compare: {body: true}}}]\n")
	client := grpcClient(t, at)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	call := func() {
		t.Helper()
		if r, err := client.UnaryCall(ctx, &testgrpc.SimpleRequest{ResponseSize: 5}); err != nil || len(r.GetPayload().GetBody()) != 5 {
			t.Fatal(r, err)
		}
	}
	call()
	if c := mirrored(t, g, 1); c.Same != 1 || other.calls.Load() != 1 {
		t.Errorf("%+v, %+v, %d calls", c, recordOf(g).Samples(), other.calls.Load())
	}
	fails.Store(true)
	call()
	mirrored(t, g, 2)
	if s := recordOf(g).Samples(); len(s) != 1 || len(s[0].Differences) != 2 || s[0].Differences[0] != (mirror.Difference{Kind: mirror.KindGRPC, First: "0", Second: "14"}) {
		t.Errorf("%+v", s)
	}
}

// A request that waits on a slow client's body is none that is kept whole for the shadow:
// what all of them keep together is bounded.
func TestMirrorMemory(t *testing.T) {
	const clients, part = 20, 32 << 10
	first, _ := respondingWith(t, ok)
	second, seen := shadow(t, func(http.ResponseWriter, *http.Request) {})
	g, at := startLoops(t, 1, "routes: [{to: \"http://"+first+"\", mirror: {to: \"http://"+second+"\", timeout: 10m, methods: [POST], body: 64KiB, memory: 128KiB}}]\n")
	all := make([]*peer, clients)
	for i := range all {
		all[i] = dial(t, at)
		all[i].send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s", part+1, strings.Repeat("x", part))
	}
	waitFor(t, "some are dropped", func() bool { return recordOf(g).Read().Dropped[mirror.Memory] >= clients-128/32 })
	for _, c := range all {
		c.send("x")
		if resp, _ := c.response(t, "POST"); resp.StatusCode != 200 {
			t.Error(resp.StatusCode)
		}
	}
	c := mirrored(t, g, clients)
	if c.Same == 0 || c.Same > 128/32 || c.Same+c.Dropped[mirror.Memory] != clients {
		t.Errorf("%+v", c)
	}
	for len(seen) > 0 {
		if q := <-seen; len(q.body) != part+1 {
			t.Errorf("the shadow got %d bytes", len(q.body))
		}
	}
}

// Calls that are made of JSON are mirrored as what their own endpoint was sent.
func TestMirrorOfCallsFromJSON(t *testing.T) {
	first, file, _ := notesUpstream(t)
	second, _, _ := notesUpstream(t)
	g, at := start(t, fmt.Sprintf("routes: [{to: \"h2c://%s\", grpc-json: {descriptors: %s}, mirror: {to: \"h2c://%s\", timeout: 10m, methods: [GET, POST], compare: {body: true}}}]\n", first, file, second))
	for i, c := range []struct{ method, path, body, want string }{
		{"GET", "/v1/notes/a", "", `{"name":"notes/a"}`}, // one field: the order of several is the server's to choose
		{"POST", "/v1/notes", `{"words":["x","y"]}`, `{"words":["x","y"]}`},
		{"GET", "/v1/notes/missing", "", ""},
	} {
		if _, body := do(t, http.DefaultClient, c.method, "http://"+at+c.path, c.body); c.want != "" && strings.TrimSpace(body) != c.want {
			t.Errorf("%s %s: %s", c.method, c.path, body)
		}
		if counts := mirrored(t, g, uint64(i+1)); counts.Same != uint64(i+1) {
			t.Errorf("%s %s: %+v, %+v", c.method, c.path, counts, recordOf(g).Samples())
		}
	}
}
