package engine

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"dyno.example/dyno/load/request"
)

// work is what a mix is made of.
type work struct {
	Seed     uint64
	Feeds    []request.Feed
	Requests []request.Request
}

// rowsFile writes a feed beside the test.
func rowsFile(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// mixOf returns the mix of the first loop.
func mixOf(t testing.TB, s work) *mix {
	t.Helper()
	env, err := request.Environment(s.Feeds)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Requests {
		if err := s.Requests[i].Check(env); err != nil {
			t.Fatal(err)
		}
	}
	p, err := NewProgram(s.Requests, s.Feeds, s.Seed, "service", "HTTP/1.1")
	if err != nil {
		t.Fatal(err)
	}
	sh := Share{Program: p, Parts: 1}
	return sh.mix()
}

func TestRequestsOnTheWire(t *testing.T) {
	users := []request.Feed{{Name: "users", File: rowsFile(t, "users.csv", "name,password\nann,a:b\nbo,c\n")}}
	for _, c := range []struct {
		request  request.Request
		want     string
		constant bool
	}{
		{request.Request{Path: "/"}, "GET / HTTP/1.1\r\nHost: service\r\n\r\n", true},
		{request.Request{Method: "POST", Path: "/"}, "POST / HTTP/1.1\r\nHost: service\r\nContent-Length: 0\r\n\r\n", true},
		{request.Request{Method: "PUT", Path: "/", Body: "é", Headers: []request.Header{{Name: "host", Value: "h"}}}, "PUT / HTTP/1.1\r\nhost: h\r\nContent-Length: 2\r\n\r\né", true},
		{request.Request{Method: "POST", Path: "/", Body: "1\r\nx\r\n0\r\n\r\n", Headers: []request.Header{{Name: "transfer-encoding", Value: "chunked"}}}, "POST / HTTP/1.1\r\nHost: service\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", true},
		{request.Request{Path: "/", Auth: "basic user:p:w"}, "GET / HTTP/1.1\r\nHost: service\r\nAuthorization: Basic dXNlcjpwOnc=\r\n\r\n", true},
		{request.Request{Path: "/", Auth: "Bearer t0k"}, "GET / HTTP/1.1\r\nHost: service\r\nAuthorization: Bearer t0k\r\n\r\n", true},
		{request.Request{Path: "/", Cookies: []request.Header{{Name: "a", Value: "1"}, {Name: "b", Value: ""}}}, "GET / HTTP/1.1\r\nHost: service\r\nCookie: a=1; b=\r\n\r\n", true},
		{request.Request{Path: "/", Jar: true}, "GET / HTTP/1.1\r\nHost: service\r\n\r\n", false},
		{request.Request{Path: "/{{feed.users.name}}", Auth: "basic {{feed.users.name}}:{{feed.users.password}}", Cookies: []request.Header{{Name: "n", Value: "{{seq 7}}"}}, Body: "{{feed.users.name}}{{seq}}", Method: "POST"},
			"POST /ann HTTP/1.1\r\nHost: service\r\nAuthorization: Basic YW5uOmE6Yg==\r\nCookie: n=7\r\nContent-Length: 4\r\n\r\nann0", false},
	} {
		m := mixOf(t, work{Requests: []request.Request{c.request}, Feeds: users})
		var x exchange
		if got := string(m.next(&x, 0)); got != c.want || got != string(x.sent()) {
			t.Errorf("%+v is sent as %q, want %q", c.request, got, c.want)
		}
		if constant := x.request.Constant != nil; constant != c.constant {
			t.Errorf("%+v: constant %v", c.request, constant)
		}
	}
}

func TestMixFollowsWeightsAndSeed(t *testing.T) {
	s := work{Seed: 1, Requests: []request.Request{{Name: "a", Path: "/a", Weight: 9}, {Name: "b", Path: "/{{uuid}}"}}}
	one, again := mixOf(t, s), mixOf(t, s)
	var x, y exchange
	count := 0
	for range 10_000 {
		if string(one.next(&x, 5)) != string(again.next(&y, 5)) {
			t.Fatal("the same seed gives other requests")
		}
		if x.request.Name == "a" {
			count++
		}
	}
	if count < 8800 || count > 9200 {
		t.Errorf("%d of 10000 requests have nine tenths of the weight", count)
	}
}

func TestRequestsThatReadAsHTTP(t *testing.T) {
	m := mixOf(t, work{Requests: []request.Request{{Method: "POST", Path: "/{{string 5}}", Body: "{{string 300}}", Headers: []request.Header{{Name: "X-Id", Value: "{{uuid}}"}}}}})
	var x exchange
	for range 100 {
		in := bufio.NewReader(bytes.NewReader(m.next(&x, 0)))
		r, err := http.ReadRequest(in)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || len(body) != 300 || in.Buffered() != 0 {
			t.Fatalf("%d bytes of body, %d beyond it: %v", len(body), in.Buffered(), err)
		}
	}
}

func TestNextDoesNotAllocate(t *testing.T) {
	users := []request.Feed{{Name: "users", File: rowsFile(t, "users.csv", "name\nann\nbo\n")}}
	m := mixOf(t, work{Feeds: users, Requests: []request.Request{
		{Path: "/"},
		{Method: "POST", Path: "/{{feed.users.name}}", Auth: "basic {{feed.users.name}}:x", Jar: true, Body: "{{uuid}} {{timestamp rfc3339}}",
			Expect: []string{"header x-a contains b", "body contains ok"}},
	}})
	var x exchange
	response := []byte("HTTP/1.1 200 OK\r\nX-A: abc\r\nSet-Cookie: a=1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")
	round := func() {
		m.next(&x, 0)
		x.keep(200, response)
		if _, why := x.judge(200); !why.IsZero() {
			t.Fatal(why)
		}
	}
	for range 100 {
		round()
	}
	if n := testing.AllocsPerRun(1000, round); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkNext(b *testing.B) {
	for _, c := range []struct {
		name    string
		request request.Request
	}{
		{"constant", request.Request{Path: "/"}},
		{"templated", request.Request{Method: "POST", Path: "/{{int 1 1000}}", Body: `{"id":"{{uuid}}"}`}},
	} {
		b.Run(c.name, func(b *testing.B) {
			m := mixOf(b, work{Requests: []request.Request{c.request}})
			var x exchange
			for b.Loop() {
				m.next(&x, 0)
				x.keep(200, nil)
				x.judge(200)
			}
		})
	}
}

// One kind, and more than can be distinguished, have no figures of their own.
func TestKindsThatAreNotToldApart(t *testing.T) {
	for n, want := range map[int]int{1: 0, 2: 2, maxKinds: maxKinds, maxKinds + 1: 0} {
		if got := (&Program{requests: make([]*request.Compiled, n)}).Kinds(); got != want {
			t.Errorf("%d kinds: figures of %d, want %d", n, got, want)
		}
	}
}
