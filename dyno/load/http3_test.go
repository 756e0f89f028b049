package load

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quic-go/quic-go/http3"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// http3Server serves HTTP/3 by quic-go.
func http3Server(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	cert, _, _ := certificate(t, time.Now().Add(time.Hour))
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http3.Server{Handler: h, TLSConfig: http3.ConfigureTLSConfig(&tls.Config{Certificates: []tls.Certificate{cert}})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		srv.Serve(socket)
	}()
	t.Cleanup(func() {
		srv.Close()
		socket.Close()
		<-ended
	})
	return "https://" + socket.LocalAddr().String()
}

// overHTTP3 is a spec of n requests over HTTP/3.
func overHTTP3(target string, connections, streams int, n uint64) Spec {
	s := spec(target, profile.Profile{Mode: profile.Closed, Connections: connections})
	s.Link.HTTP3, s.Link.Streams, s.MaxRequests, s.Duration = true, streams, n, 0
	s.TLS.Insecure = true
	return s
}

func TestHTTP3(t *testing.T) {
	body := strings.Repeat("y", 150_000)
	var under, most atomic.Int64
	target := http3Server(t, func(w http.ResponseWriter, r *http.Request) {
		n := under.Add(1)
		defer under.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		got, _ := io.ReadAll(r.Body)
		if string(got) != body || r.ProtoMajor != 3 || r.Header.Get("X-Seq") == "" || r.Method != "PUT" || r.URL.Path != "/x" || r.URL.RawQuery == "" || r.ContentLength != int64(len(body)) || r.Header.Get("User-Agent") != "" && strings.Contains(r.Header.Get("User-Agent"), "quic") {
			t.Errorf("%s %s %s: %d bytes, header %v", r.Method, r.URL, r.Proto, len(got), r.Header)
		}
		w.Header().Set("X-Kind", "test")
		fmt.Fprintf(w, `{"size": %d}`, len(got))
	})
	s := overHTTP3(target, 2, 4, 60)
	s.Requests = []request.Request{{
		Method: "PUT", Path: "/x?n={{seq}}", Headers: []request.Header{{Name: "X-Seq", Value: "{{seq}}"}}, Body: body,
		Expect: []string{"json $.size == 150000", "header x-kind == test"},
	}}
	r := ran(t, s)
	all := everything(r)
	if all.Completed+all.Drained != 60 || all.Errors.Total() != 0 || all.Sent != 60 || r.Engine != "portable" {
		t.Fatalf("%s engine: completed %d, sent %d, errors %+v (%v)", r.Engine, all.Completed, all.Sent, all.Errors, r.FirstErrors)
	}
	if n := most.Load(); n > 8 || n < 2 {
		t.Errorf("%d requests were under way at most, of 2 connections with 4 streams each", n)
	}
	if all.BytesOut < 60*uint64(len(body)) || all.BytesIn == 0 {
		t.Errorf("%d bytes out, %d in", all.BytesOut, all.BytesIn)
	}
}

// TestHTTP3KnownDelay: what a server is known to take is what is measured.
func TestHTTP3KnownDelay(t *testing.T) {
	const delay = 20 * time.Millisecond
	target := http3Server(t, func(w http.ResponseWriter, r *http.Request) { time.Sleep(delay) })
	s := overHTTP3(target, 1, 10, 0)
	s.Profile, s.Duration = profile.Profile{Mode: profile.Open, Connections: 1, Rate: 200, Arrivals: profile.Uniform}, 400*time.Millisecond
	r := mustRun(t, s)
	all := everything(r)
	h := r.Total.Hist[measure.Service]
	if all.Errors.Total() != 0 || h == nil || time.Duration(h.Min()) < delay*99/100 {
		t.Fatalf("errors %v, service %v", r.FirstErrors, h)
	}
	if all.Offered != 80 || all.Completed+all.Drained != 80 {
		t.Errorf("offered %d, completed %d, drained %d of 80", all.Offered, all.Completed, all.Drained)
	}
}

// TestHTTP3Failures: connections that take so many requests, statuses and streams that
// are reset.
func TestHTTP3Failures(t *testing.T) {
	target := http3Server(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/503":
			w.WriteHeader(503)
		case "/reset":
			panic(http.ErrAbortHandler)
		case "/late":
			<-r.Context().Done()
		}
	})
	for _, tt := range []struct {
		path   string
		link   request.Link
		errors measure.Errors
		says   string
	}{
		{path: "/", link: request.Link{PerConnection: 4}},
		{path: "/", link: request.Link{Reuse: request.NoReuse}},
		{path: "/503", errors: measure.Errors{Status: 20}, says: "503"},
		{path: "/reset", errors: measure.Errors{Stream: 20}, says: "H3_INTERNAL_ERROR"},
		{path: "/late", errors: measure.Errors{Timeout: 20}, says: "no complete response within 100ms"},
	} {
		s := overHTTP3(target, 1, 2, 20)
		s.Requests[0].Path = tt.path
		s.Link.Reuse, s.Link.PerConnection = tt.link.Reuse, tt.link.PerConnection
		if tt.errors.Timeout > 0 {
			s.Timeout = 100 * time.Millisecond
		}
		r := ran(t, s)
		all := everything(r)
		if late := lateConnects(r); tt.errors.Timeout > 0 && late < 20 { // they may fail the requests that wait for them
			tt.errors.Timeout, tt.errors.Connect = all.Errors.Timeout, late
		}
		if all.Errors != tt.errors || all.Completed+all.Drained+all.Errors.Total() != 20 {
			t.Errorf("%s %+v: completed %d, errors %+v (%v)", tt.path, tt.link, all.Completed+all.Drained, all.Errors, r.FirstErrors)
		}
		if text := fmt.Sprint(r.FirstErrors); !strings.Contains(text, tt.says) {
			t.Errorf("%s: %s, want %q in it", tt.path, text, tt.says)
		}
		if tt.link.PerConnection > 0 && all.Connects < 4 {
			t.Errorf("%d connections for 20 requests, at most 4 on each", all.Connects)
		}
	}
}

// TestHTTP3CantBe: what can't be loaded is said before anything is sent.
func TestHTTP3CantBe(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Spec)
		says   string
	}{
		{"http", func(s *Spec) { s.Target = "http://127.0.0.1:1" }, "HTTP/3 is always encrypted (RFC 9114 3.1): load https://127.0.0.1:1"},
		{"event loop", func(s *Spec) { s.Engine = "epoll" }, "by the portable engine only"},
		{"TLS 1.2", func(s *Spec) { s.TLS.MaxVersion = "1.2" }, "needs TLS 1.3"},
		{"unix", func(s *Spec) { s.Link.Unix = "/tmp/x" }, "runs over UDP"},
		{"no streams", func(s *Spec) { s.Link.Streams = 0 }, "at least one stream"},
		{"ALPN", func(s *Spec) { s.TLS.ALPN = []string{"h2"} }, "does not offer h3"},
	} {
		s := overHTTP3("https://127.0.0.1:1", 1, 1, 1)
		tt.change(&s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.says)
		}
	}
	silent, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	s := overHTTP3("https://"+silent.LocalAddr().String(), 1, 1, 1)
	s.Timeout = 300 * time.Millisecond
	if _, err := Run(context.Background(), s); err == nil || !strings.Contains(err.Error(), "no QUIC server responded") {
		t.Errorf("nobody there: %v", err)
	}
}
