//go:build linux

package closedloop

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/grpc"
)

// serve starts a server that speaks HTTP/1.1 and, without TLS by prior knowledge, HTTP/2.
func serve(t *testing.T, secure bool, handler http.HandlerFunc) *httptest.Server {
	s := httptest.NewUnstartedServer(handler)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetHTTP2(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	if s.EnableHTTP2 = secure; secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

// trusting is a client's config for a server of serve.
func trusting(s *httptest.Server, protocol string) *tls.Config {
	config := s.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	config.NextProtos, config.ServerName = []string{protocol}, "example.com"
	return config
}

func called(w http.ResponseWriter, r *http.Request, code string) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", grpc.ContentType)
	w.Header().Set("Trailer", grpc.FieldStatus)
	_, _ = w.Write(grpc.AppendPrefix(nil, 0, false))
	w.Header().Set(grpc.FieldStatus, code)
}

// Every request that a server saw is one whose response was counted, in each of several
// slices over the same connections.
func TestRunCountsWhatWasServed(t *testing.T) {
	var seen atomic.Int64
	plain := func(w http.ResponseWriter, _ *http.Request) {
		seen.Add(1)
		_, _ = io.WriteString(w, "Hello, World!")
	}
	message := append(grpc.AppendPrefix(nil, 3, false), "abc"...)
	for _, c := range []struct {
		name    string
		secure  string // protocol over TLS
		load    Load
		handler http.HandlerFunc
	}{
		{"HTTP/1.1", "", Load{Connections: 4, AtOnce: 1, Speak: HTTP1("/")}, plain},
		{"pipelined", "", Load{Connections: 2, AtOnce: 8, Speak: HTTP1("/")}, plain},
		{"TLS", "http/1.1", Load{Connections: 3, AtOnce: 1, Speak: HTTP1("/")}, plain},
		{"HTTP/2", "", Load{Connections: 2, AtOnce: 10, Speak: HTTP2("http", "/")}, plain},
		{"HTTP/2, TLS", "h2", Load{Connections: 2, AtOnce: 3, Speak: HTTP2("https", "/")}, plain},
		{"gRPC", "", Load{Connections: 2, AtOnce: 3, Speak: GRPC("/a.B/C", message)}, func(w http.ResponseWriter, r *http.Request) { seen.Add(1); called(w, r, "0") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.secure != "", c.handler)
			if c.secure != "" {
				c.load.TLS = trusting(s, c.secure)
			}
			clients, err := Dial(s.Listener.Addr().String(), c.load)
			if err != nil {
				t.Fatal(err)
			}
			defer clients.Close()
			for range 3 {
				seen.Store(0)
				n, err := clients.Run(20 * time.Millisecond)
				if err != nil || n < c.load.Connections*c.load.AtOnce || int64(n) != seen.Load() {
					t.Fatalf("%d responses of %d that were served, %v", n, seen.Load(), err)
				}
			}
		})
	}
}

// listening gives a server a listener until the test ends, and returns its address.
func listening(t *testing.T, serve func(net.Listener) error) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() { _ = serve(ln) }() // until it is closed
	return ln.Addr().String()
}

func TestWebSocket(t *testing.T) {
	load := Load{Connections: 2, AtOnce: 2, Speak: WebSocket("/echo", 200)}
	clients, err := Dial(listening(t, ServeEcho), load)
	if err != nil {
		t.Fatal(err)
	}
	defer clients.Close()
	if n, err := clients.Run(10 * time.Millisecond); err != nil || n < 4 {
		t.Errorf("%d messages, %v", n, err)
	}
	missing := func(ln net.Listener) error { return http.Serve(ln, http.NotFoundHandler()) }
	if _, err := Dial(listening(t, missing), load); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a handshake that was refused: %v", err)
	}
}

// A response that is not as it should be ends a slice, and is reported.
func TestRunRefuses(t *testing.T) {
	missing := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }
	for _, c := range []struct {
		name, want string
		speak      func() Protocol
		handler    http.HandlerFunc
	}{
		{"a status", "404", HTTP1("/"), missing},
		{"a status over HTTP/2", "404", HTTP2("http", "/"), missing},
		{"no length", "how long", HTTP1("/"), func(w http.ResponseWriter, _ *http.Request) { _ = http.NewResponseController(w).Flush() }},
		{"a call's status", `"5"`, GRPC("/a.B/C", grpc.AppendPrefix(nil, 0, false)), func(w http.ResponseWriter, r *http.Request) { called(w, r, "5") }},
		{"a call without a status", "without a status", GRPC("/a.B/C", grpc.AppendPrefix(nil, 0, false)), func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "a") }},
		{"an end", "EOF", HTTP1("/"), func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		{"an end over HTTP/2", "ends it", HTTP2("http", "/"), func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
	} {
		clients, err := Dial(serve(t, false, c.handler).Listener.Addr().String(), Load{Connections: 1, AtOnce: 1, Speak: c.speak})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := clients.Run(time.Millisecond); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		clients.Close()
	}
	if _, err := Dial("nowhere", Load{}); err == nil {
		t.Error("an address that is none")
	}
}

// What comes in pieces is counted once, when it is whole.
func TestReadInPieces(t *testing.T) {
	h := HTTP1("/")()
	text := []byte("HTTP/1.1 200 OK\r\ncontent-Length: 3\r\n\r\nabc")
	for n := range text {
		if _, used, got, err := h.Read(nil, text[:n]); used != 0 || got != 0 || err != nil {
			t.Fatalf("of %d bytes %d are used for %d responses, %v", n, used, got, err)
		}
	}
	if _, used, got, err := h.Read(nil, append(text, text[:9]...)); used != len(text) || got != 1 || err != nil {
		t.Errorf("%d of %d bytes are used for %d responses, %v", used, len(text)+9, got, err)
	}
}

// A connection whose making was interrupted goes on being made.
func TestConnected(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := ln.Addr().(*net.TCPAddr).Port
	for _, listens := range []bool{true, false} {
		if !listens {
			ln.Close()
		}
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		err = unix.Connect(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
		if errors.Is(err, unix.EINPROGRESS) {
			err = connected(fd)
		}
		if (err == nil) != listens {
			t.Errorf("listens %v: %v", listens, err)
		}
	}
}
