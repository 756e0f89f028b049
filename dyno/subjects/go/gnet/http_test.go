package main

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	const get = "GET /json HTTP/1.1\r\nHost: x\r\n\r\n"
	tests := []struct {
		name, in string
		n        int // -1: the whole input
		status   int // of the refusal; 0: none
		close    bool
		body     string
	}{
		{name: "whole", in: get, n: -1},
		{name: "pipelined", in: get + get, n: len(get)},
		{name: "partial head", in: get[:len(get)-1], n: 0},
		{name: "body", in: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi", n: -1, body: "hi"},
		{name: "partial body", in: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nhi", n: 0},
		{name: "close", in: "GET / HTTP/1.1\r\nhost: x\r\nConnection: foo, Close\r\n\r\n", n: -1, close: true},
		{name: "HTTP/1.0", in: "GET / HTTP/1.0\r\n\r\n", n: -1, close: true},
		{name: "HTTP/2.0", in: "GET / HTTP/2.0\r\nHost: x\r\n\r\n", status: 505},
		{name: "no Host", in: "GET / HTTP/1.1\r\n\r\n", status: 400},
		{name: "two Hosts", in: "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", status: 400},
		{name: "two lengths", in: "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n1", status: 400},
		{name: "signed length", in: "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\n1", status: 400},
		{name: "huge body", in: "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", status: 413},
		{name: "huge head", in: "GET / HTTP/1.1\r\nA: " + strings.Repeat("a", maxHead), status: 431},
		{name: "chunked", in: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", status: 501},
		{name: "expect", in: "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n", status: 417},
		{name: "folded", in: "GET / HTTP/1.1\r\nHost: x\r\n y: z\r\n\r\n", status: 400},
		{name: "blank before colon", in: "GET / HTTP/1.1\r\nHost : x\r\n\r\n", status: 400},
		{name: "bare LF", in: "GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n", status: 400},
		{name: "absolute target", in: "GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n", status: 400},
		{name: "two blanks", in: "GET  / HTTP/1.1\r\nHost: x\r\n\r\n", status: 400},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req, n, err := parse([]byte(tt.in))
			if got := statusOf(err); got != tt.status {
				t.Fatalf("status %d (%v), want %d", got, err, tt.status)
			}
			want := tt.n
			if want < 0 {
				want = len(tt.in)
			}
			if n != want || string(req.body) != tt.body {
				t.Errorf("took %d bytes with body %q, want %d with %q", n, req.body, want, tt.body)
			}
			if n > 0 && req.close != tt.close {
				t.Errorf("close %v, want %v", req.close, tt.close)
			}
		})
	}
}

func statusOf(err error) int {
	var r *refusal
	if errors.As(err, &r) {
		return r.status
	}
	return 0
}

// FuzzParse checks what every caller relies on: a request is inside the
// buffer, and what was whole stays the same request when more bytes follow.
func FuzzParse(f *testing.F) {
	f.Add([]byte("GET /json HTTP/1.1\r\nHost: x\r\n\r\n"))
	f.Add([]byte("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhiGET"))
	f.Fuzz(func(t *testing.T, in []byte) {
		req, n, err := parse(in)
		if n < 0 || n > len(in) || err != nil && n != 0 {
			t.Fatalf("length %d of %d bytes, error %v", n, len(in), err)
		}
		if n == 0 {
			return
		}
		again, m, err := parse(append(in[:n:n], "\r\n\r\n"...))
		if err != nil || m != n || string(again.target) != string(req.target) || string(again.body) != string(req.body) {
			t.Fatalf("with more bytes behind it: %d bytes, %v; alone: %d bytes", m, err, n)
		}
	})
}

// TestRespondToAll follows one connection: pipelined requests, then a partial
// one, then one that ends it.
func TestRespondToAll(t *testing.T) {
	const get = "GET /plaintext HTTP/1.1\r\nHost: x\r\n\r\n"
	s := &server{}
	s.setDate(time.Unix(0, 0))
	a := &response{}

	used, open := s.respondAll(a, []byte(get+get+get[:5]))
	if used != 2*len(get) || !open || strings.Count(string(a.out), "Hello, World!") != 2 {
		t.Errorf("pipelined: used %d, open %v, sent %q", used, open, a.out)
	}
	used, open = s.respondAll(a, []byte(get[:5]))
	if used != 0 || !open || len(a.out) != 0 {
		t.Errorf("partial: used %d, open %v, sent %q", used, open, a.out)
	}
	last := "HEAD /json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	_, open = s.respondAll(a, []byte(last+get))
	if out := string(a.out); open || !strings.Contains(out, "Connection: close\r\n") || !strings.HasSuffix(out, "\r\n\r\n") {
		t.Errorf("HEAD with close: open %v, sent %q", open, out)
	}
}
