package contract

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dyno.example/dyno/load/request"
)

// scripted is a server that gives responses in turn, as written, to each
// connection, and then closes it.
func scripted(t *testing.T, responses ...string) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go play(conn, responses)
		}
	}()
	return "http://" + l.Addr().String()
}

func play(conn net.Conn, responses []string) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for _, a := range responses {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, req.Body)
		if _, err := io.WriteString(conn, a); err != nil {
			return
		}
	}
}

func TestVerifyWire(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n\r\nhello"
	const chunked = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
	tests := []struct {
		name      string
		responses []string
		want      []string // in the refusal; none means that all is well
	}{
		{"right", []string{ok, ok}, nil},
		{"chunked", []string{chunked, chunked}, nil},
		{"wrong status", []string{strings.Replace(ok, "200 OK", "404 Not Found", 1), ok}, []string{"status\n    - 200\n    + 404 Not Found"}},
		{"wrong body", []string{strings.Replace(ok, "hello", "hallo", 1), ok}, []string{"body\n    - hello\n    + hallo"}},
		{"wrong type", []string{strings.Replace(ok, "text/plain", "text/html", 1), ok}, []string{"header Content-Type\n    - text/plain\n    + text/html; charset=utf-8"}},
		{"no type", []string{strings.Replace(ok, "Content-Type", "X-Type", 1), ok}, []string{"+ no such header"}},
		{"closes", []string{ok}, []string{"keep-alive\n    - a second response on the same connection\n    + the connection was closed"}},
		{"announces to close", []string{strings.Replace(ok, "Content-Length", "Connection: close\r\nContent-Length", 1), ok}, []string{"announces that the connection will be closed"}},
		{"HTTP/1.0", []string{strings.Replace(ok, "HTTP/1.1", "HTTP/1.0", 1), ok}, []string{"keep-alive"}},
		{"other status later", []string{ok, strings.Replace(ok, "200 OK", "429 Too Many Requests", 1)}, []string{"a second response with status 429"}},
		{"body too short", []string{strings.Replace(ok, "Length: 5", "Length: 9", 1)}, []string{"promises 9 bytes of body, but after 5 of them: the connection was closed"}},
		{"body too long", []string{strings.Replace(ok, "Length: 5", "Length: 2", 1), ok}, []string{"length\n    - 2 bytes of body, as the head says\n    + at least 3 bytes more"}},
		{"no length", []string{strings.Replace(ok, "Content-Length: 5", "X: y", 1)}, []string{"length\n    - Content-Length or Transfer-Encoding: chunked\n    + neither"}},
		{"two lengths", []string{strings.Replace(ok, "Content-Length: 5", "Content-Length: 5\r\nContent-Length: 5", 1), ok}, []string{"a load refuses: http1: several Content-Length"}},
		{"two lengths later", []string{ok, strings.Replace(ok, "Content-Length: 5", "Content-Length: 5\r\nContent-Length: 5", 1)}, []string{"keep-alive", "several Content-Length"}},
		{"half a head", []string{ok[:20]}, []string{"response\n    - a complete response"}},
		{"garbage", []string{"SSH-2.0-OpenSSH\r\n\r\n"}, []string{"malformed HTTP"}},
		{"nothing", nil, []string{"a complete response"}},
	}
	hello := "hello"
	routes := []Route{{Name: "greet", Method: "GET", Path: "/greet", Expect: Expect{
		Status: 200, Text: &hello, Headers: []request.Header{{Name: "Content-Type", Value: "text/plain"}},
	}}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := new(Verifier).Verify(t.Context(), scripted(t, tt.responses...), routes)
			if (err == nil) != (tt.want == nil) {
				t.Fatalf("got %v", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("refusal lacks %q:\n%v", want, err)
				}
			}
		})
	}
}

func TestVerifyJSON(t *testing.T) {
	const expected = `{"id": 42, "name": "Ada", "tags": ["a", "b"], "ratio": 0.5}`
	tests := []struct {
		name, body string
		want       []string
	}{
		{"same", `{"name":"Ada","tags":["a","b"],"ratio":5e-1,"id":42.0}`, nil},
		{"other value", `{"id":42,"name":"Bob","tags":["a","b"],"ratio":0.5}`, []string{`-   "name": "Ada",`, `+   "name": "Bob",`}},
		{"text for number", `{"id":"42","name":"Ada","tags":["a","b"],"ratio":0.5}`, []string{`-   "id": 42,`, `+   "id": "42",`}},
		{"order of a list", `{"id":42,"name":"Ada","tags":["b","a"],"ratio":0.5}`, []string{`"a"`}},
		{"one more member", `{"id":42,"name":"Ada","tags":["a","b"],"ratio":0.5,"x":null}`, []string{`+   "x": null`}},
		{"not JSON", `<html>`, []string{"- JSON", "+ <html>", "not valid JSON"}},
		{"two values", expected + expected, []string{"something follows"}},
		{"empty", ``, []string{"there is nothing"}},
	}
	value, err := DecodeJSON([]byte(expected))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, wrong := Expect{JSON: value}.judgeBody(tt.body)
			if wrong != (tt.want != nil) {
				t.Fatalf("wrong is %v: %v", wrong, p)
			}
			for _, want := range tt.want {
				if !strings.Contains(strings.Join(p.Diff, "\n"), want) {
					t.Errorf("diff lacks %q:\n%s", want, strings.Join(p.Diff, "\n"))
				}
			}
		})
	}
}

func TestEqualNumbers(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"1", "1.0", true},
		{"100", "1e2", true},
		{"0.1", "1e-1", true},
		{"9007199254740993", "9007199254740992", false},
		{"-0", "0", true},
		{"1e999999999", "1e999999999", true},
		{"1", "2", false},
	}
	for _, tt := range tests {
		a, errA := DecodeJSON([]byte(tt.a))
		b, errB := DecodeJSON([]byte(tt.b))
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if EqualJSON(a, b) != tt.want {
			t.Errorf("%s equals %s: %v, want %v", tt.a, tt.b, !tt.want, tt.want)
		}
	}
}

func TestVerifyRequests(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.URL.Path == "/teapot":
			w.WriteHeader(http.StatusTeapot)
		case r.Method == "POST" && (string(body) != "x" || r.Header.Get("X-Key") != "k" || r.Host != "example.org"):
			w.WriteHeader(http.StatusBadRequest)
		case r.URL.Path == "/moved":
			w.Header().Set("Location", "/teapot")
			w.WriteHeader(http.StatusFound)
		}
	}))
	defer server.Close()
	right := []request.Request{
		{Path: "/"},
		{Method: "HEAD", Path: "/"},
		{Method: "GET", Path: "/moved"},
		{Method: "GET", Path: "/teapot", Status: 418},
		{Method: "POST", Path: "/", Body: "x", Headers: []request.Header{{Name: "X-Key", Value: "k"}, {Name: "Host", Value: "example.org"}}},
	}
	if err := new(Verifier).VerifyRequests(t.Context(), server.URL, right); err != nil {
		t.Error(err)
	}
	wrong := []request.Request{{Name: "tea", Path: "/teapot"}, {Path: "/", Status: 201}}
	err := new(Verifier).VerifyRequests(t.Context(), server.URL, wrong)
	var refusal *Refusal
	if !errors.As(err, &refusal) || len(refusal.Problems) != 2 {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"GET /teapot (tea)\n  status\n    - 200 to 399\n    + 418", "GET /\n  status\n    - 201\n    + 200 OK"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("refusal lacks %q:\n%v", want, err)
		}
	}
}

func TestVerifyNobody(t *testing.T) {
	const url = "http://127.0.0.1:1"
	err := new(Verifier).VerifyRequests(t.Context(), url, []request.Request{{Path: "/"}})
	if err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = new(Verifier).VerifyRequests(ctx, url, []request.Request{{Path: "/"}})
	var refusal *Refusal
	if !errors.Is(err, context.Canceled) || errors.As(err, &refusal) {
		t.Errorf("got %v", err)
	}
}

func TestRefusalIsTrimmed(t *testing.T) {
	long := strings.Repeat("x", 10000)
	var expected, got []string
	for range 1000 {
		expected, got = append(expected, "a"), append(got, "b")
	}
	for _, d := range [][]string{diff(long, "y"+long), diff(strings.Join(expected, "\n"), strings.Join(got, "\n"))} {
		if size := len(strings.Join(d, "\n")); size > 4000 || size == 0 {
			t.Errorf("a diff of %d bytes", size)
		}
	}
	if d := diff("a\n", "a"); len(d) != 2 || d[0] == d[1][:1]+d[0][1:] {
		t.Errorf("a missing end of line does not show: %q", d)
	}
	r := &Refusal{}
	for range 100 {
		r.Problems = append(r.Problems, Problem{Route: "GET /", What: "body", Diff: []string{"- a", "+ b"}})
	}
	if text := r.Error(); strings.Count(text, "\n") > 50 || !strings.Contains(text, "and 88 more problems") {
		t.Errorf("message of %d lines", strings.Count(text, "\n"))
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("a\nb", "a\nc\n")
	f.Add("", "\xff")
	f.Fuzz(func(t *testing.T, a, b string) {
		if d := diff(a, b); a == b && len(d) != 0 {
			t.Errorf("%q differs from itself: %q", a, d)
		}
	})
}
