package main

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
)

// start serves the origin until the test ends.
func start(t *testing.T) (address string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	app := newApp(nano.Config{Logger: slog.New(slog.DiscardHandler)})
	ended := make(chan error, 1)
	go func() { ended <- app.Serve(ln) }()
	t.Cleanup(func() {
		if err := app.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		<-ended
	})
	return ln.Addr().String()
}

// ask sends a request and returns its response, and what the connection gives after
// it until it is closed; open is true if it stays open.
func ask(t *testing.T, address, request string) (resp *http.Response, body, after string, open bool) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(c)
	method, _, _ := strings.Cut(request, " ")
	if resp, err = http.ReadResponse(r, &http.Request{Method: method}); err != nil {
		t.Fatalf("%.60q: no response: %v", request, err)
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%.60q: cut response: %v", request, err)
	}
	if !resp.Close {
		return resp, string(b), "", true
	}
	rest, _ := io.ReadAll(r)
	return resp, string(b), string(rest), false
}

func TestOrigin(t *testing.T) {
	at := start(t)
	for _, tt := range []struct {
		request string
		status  int
		body    string
		allow   bool
	}{
		{"GET / HTTP/1.1\r\nHost: a\r\n\r\n", 200, "OK", false},
		{"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", 200, "", false},
		{"GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 200, "OK", false},
		{"GET /any/path?q HTTP/1.1\r\nHost: a\r\n\r\n", 200, "OK", false},
		{"GET //any/../path HTTP/1.1\r\nHost: a\r\n\r\n", 200, "OK", false},
		{"GET / HTTP/1.0\r\n\r\n", 200, "OK", false},
		{"OPTIONS / HTTP/1.1\r\nHost: a\r\n\r\n", 204, "", true},
		{"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 204, "", true},
		{"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nping", 200, "ping", false},
		{"POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\npi\r\n2\r\nng\r\n0\r\n\r\n", 200, "ping", false},
		{"DELETE / HTTP/1.1\r\nHost: a\r\n\r\n", 405, "", true},
		{"TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", 405, "", true},
		{"BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 405, "", true},
		{"CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n", 400, "", false},
		{"GET /echo HTTP/1.1\r\nHost: a\r\nX-One: 1\r\nx-two:  2 \r\n\r\n", 200, "Host: a\nX-One: 1\nx-two: 2\n", false},
		{"PUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx", 200, "Host: a\nContent-Length: 1\n", false},
		{"GET /cookie HTTP/1.1\r\nHost: a\r\nCookie: a=1; b=2\r\nCookie: c=3\r\n\r\n", 200, "a=1\nb=2\nc=3\n", false},
	} {
		resp, body, _, _ := ask(t, at, tt.request)
		if resp.StatusCode != tt.status || resp.StatusCode < 300 && body != tt.body || tt.allow != (resp.Header.Get("Allow") == allow) {
			t.Errorf("%.60q: %d %q %v", tt.request, resp.StatusCode, body, resp.Header)
		}
	}
}

// TestRefusals: what could be read in two ways gets one response, 400, and nothing that
// follows it on the connection gets any.
func TestRefusals(t *testing.T) {
	at := start(t)
	const hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"
	for name, head := range map[string]string{
		"length and coding":       "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"two lengths":             "Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd",
		"list of lengths":         "Content-Length: 4, 5\r\n\r\nabcd",
		"signed length":           "Content-Length: +4\r\n\r\nabcd",
		"negative length":         "Content-Length: -1\r\n\r\n",
		"hexadecimal length":      "Content-Length: 0x4\r\n\r\nabcd",
		"huge length":             "Content-Length: 99999999999999999999\r\n\r\n",
		"space before colon":      "Content-Length : 4\r\n\r\nabcd",
		"coding twice":            "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
		"chunk without size":      "Transfer-Encoding: chunked\r\n\r\n\r\n\r\n",
		"chunk size with prefix":  "Transfer-Encoding: chunked\r\n\r\n0x4\r\nabcd\r\n0\r\n\r\n",
		"chunk too long":          "Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n",
		"bare line feed in chunk": "Transfer-Encoding: chunked\r\n\r\n4\nabcd\r\n0\r\n\r\n",
		"bare carriage return":    "X-A: b\rc\r\n\r\n",
		"bare line feed":          "X-A: b\n\r\n",
		"folded":                  "X-A: b\r\n c\r\n\r\n",
		"NUL":                     "X-A: \x00\r\n\r\n",
		"no name":                 ": b\r\n\r\n",
		"two hosts":               "Host: b\r\n\r\n",
	} {
		resp, _, after, open := ask(t, at, "POST / HTTP/1.1\r\nHost: a\r\n"+head+hidden)
		if resp.StatusCode != 400 || open || after != "" {
			t.Errorf("%s: %d, open %v, then %.80q", name, resp.StatusCode, open, after)
		}
	}
	for name, head := range map[string]string{
		"no host":          "GET / HTTP/1.1\r\n\r\n",
		"bad host":         "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
		"two spaces":       "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
		"space in target":  "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
		"bad method":       "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
		"lower case":       "GET / http/1.1\r\nHost: a\r\n\r\n",
		"space at start":   " GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		"coding in 1.0":    "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"field at start":   "Host: a\r\n\r\n",
		"target of others": "GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n",
	} {
		resp, _, after, open := ask(t, at, head+hidden)
		if resp.StatusCode != 400 || open || after != "" {
			t.Errorf("%s: %d, open %v, then %.80q", name, resp.StatusCode, open, after)
		}
	}
}
