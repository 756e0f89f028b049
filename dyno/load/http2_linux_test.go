package load

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/freeport"
	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/http2"
)

// http2Server serves HTTP/2 by x/net: over TLS if secure is set, else by prior
// knowledge.
func http2Server(t *testing.T, secure *tls.Config, most uint32, h http.HandlerFunc) string {
	t.Helper()
	srv := &xhttp2.Server{MaxConcurrentStreams: most}
	serve := func(c net.Conn) { srv.ServeConn(c, &xhttp2.ServeConnOpts{Handler: h}) }
	if secure == nil {
		return server(t, serve)
	}
	secure = secure.Clone() // connections of another server may use it
	secure.NextProtos = []string{"h2"}
	target := server(t, func(c net.Conn) {
		secured := tls.Server(c, secure)
		if secured.Handshake() == nil {
			serve(secured)
		}
	})
	return "https" + strings.TrimPrefix(target, "http")
}

// overHTTP2 is a spec of n requests over HTTP/2.
func overHTTP2(target, engine string, connections, streams int, n uint64) Spec {
	s := spec(target, profile.Profile{Mode: profile.Closed, Connections: connections})
	s.Engine, s.Link.Streams, s.MaxRequests, s.Duration = engine, streams, n, 0
	s.TLS.Insecure = true
	return s
}

func TestHTTP2(t *testing.T) {
	t.Parallel()
	cert, _, _ := certificate(t, time.Now().Add(time.Hour))
	const n, size = 60, 150_000 // more than the windows that the server begins with
	body := strings.Repeat("y", size)
	for _, secure := range []*tls.Config{nil, {Certificates: []tls.Certificate{cert}}} {
		eachHTTP2Engine(t, func(t *testing.T, engine string) {
			var under, most, seen atomic.Int64
			target := http2Server(t, secure, 100, func(w http.ResponseWriter, r *http.Request) {
				n := under.Add(1)
				defer under.Add(-1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				got, _ := io.ReadAll(r.Body)
				user, password, _ := r.BasicAuth()
				_, err := r.Cookie("a")
				if string(got) != body || r.ProtoMajor != 2 || r.Host == "" || r.Header.Get("X-Seq") == "" || user != "ann" || password != "pw" || err != nil || r.Method != "PUT" {
					t.Errorf("%s %s: %d bytes, header %v", r.Method, r.Proto, len(got), r.Header)
				}
				seen.Add(1)
				w.Header().Set("X-Kind", "test")
				io.WriteString(w, `{"size": `+fmt.Sprint(len(got))+`}`+strings.Repeat(" ", 100_000))
			})
			s := overHTTP2(target, engine, 3, 4, n)
			s.Requests = []request.Request{{
				Method: "PUT", Path: "/x?n={{seq}}", Headers: []request.Header{{Name: "X-Seq", Value: "{{seq}}"}}, Body: body, Auth: "basic ann:pw",
				Cookies: []request.Header{{Name: "a", Value: "{{seq}}"}}, Expect: []string{"json $.size == 150000", "header x-kind == test"},
			}}
			r := ran(t, s)
			all := allWindows(r)
			if all.Completed+all.Drained != n || all.Errors.Total() != 0 || all.Sent != n || seen.Load() < n {
				t.Fatalf("completed %d, sent %d, errors %+v (%v)", all.Completed, all.Sent, all.Errors, r.FirstErrors)
			}
			if n := most.Load(); n > 12 || n < 2 {
				t.Errorf("%d requests were under way at most, of 3 connections with 4 streams each", n)
			}
			if all.Resubmitted != 0 || r.Limited || all.BytesOut < n*size || all.BytesIn < n*100_000 {
				t.Errorf("%+v", all)
			}
		})
	}
}

// TestHTTP2KnownDelay: what a server is known to take is what is measured, in both
// kinds of loops, with several requests under way on one connection.
func TestHTTP2KnownDelay(t *testing.T) {
	const delay = 20 * time.Millisecond
	eachHTTP2Engine(t, func(t *testing.T, engine string) {
		target := http2Server(t, nil, 100, func(w http.ResponseWriter, r *http.Request) { time.Sleep(delay) })
		for _, p := range []profile.Profile{
			{Mode: profile.Closed, Connections: 1},
			{Mode: profile.Open, Connections: 1, Rate: 200, Arrivals: profile.Uniform},
		} {
			s := overHTTP2(target, engine, 1, 10, 0)
			s.Profile, s.Duration = p, 400*time.Millisecond
			r := mustRun(t, s)
			all := everything(r)
			h := r.Total.Hist[measure.Service]
			if all.Errors.Total() != 0 || h == nil || time.Duration(h.Min()) < delay*99/100 {
				t.Fatalf("%s: errors %v, service %v", p.Mode, r.FirstErrors, h)
			}
			if first := r.Total.Hist[measure.FirstByte]; time.Duration(first.Min()) < delay*99/100 {
				t.Errorf("%s: first byte after %v", p.Mode, time.Duration(first.Min()))
			}
			if p.Mode == profile.Open {
				if all.Offered != 80 || all.Completed+all.Drained != 80 {
					t.Errorf("offered %d, completed %d, drained %d of 80", all.Offered, all.Completed, all.Drained)
				}
				continue
			}
			// Ten users on one connection: ten times what one gets, at most.
			if n := all.Completed + all.Drained; n > 10*(20+1) || n < 10 {
				t.Errorf("%d responses in 400 ms by ten users who wait 20 ms each", n)
			}
		}
	})
}

// TestHTTP2StreamLimit: of what the server does not allow nothing is sent; it waits,
// and a remark says so. Of two connections an arrival takes the one with room.
func TestHTTP2StreamLimit(t *testing.T) {
	eachHTTP2Engine(t, func(t *testing.T, engine string) {
		for _, p := range []profile.Profile{
			{Mode: profile.Closed, Connections: 2},
			{Mode: profile.Open, Connections: 2, Rate: 400, Arrivals: profile.Uniform},
		} {
			var mu sync.Mutex
			under, most := map[string]int{}, 0
			target := http2Server(t, nil, 2, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				under[r.RemoteAddr]++
				most = max(most, under[r.RemoteAddr])
				mu.Unlock()
				time.Sleep(2 * time.Millisecond)
				mu.Lock()
				under[r.RemoteAddr]--
				mu.Unlock()
			})
			s := overHTTP2(target, engine, 2, 8, 100)
			s.Profile = p
			r := ran(t, s)
			all := everything(r)
			if all.Completed+all.Drained != 100 || all.Errors.Total() != 0 || all.Resubmitted != 0 {
				t.Fatalf("%s: completed %d, resubmitted %d, errors %v", p.Mode, all.Completed+all.Drained, all.Resubmitted, r.FirstErrors)
			}
			if mu.Lock(); most > 2 {
				t.Errorf("%s: %d streams of a connection at a time, 2 are allowed", p.Mode, most)
			}
			mu.Unlock()
			if !r.Limited || r.Allowed != 2 || !has(r, finding.StreamLimit) {
				t.Errorf("%s: allowed %d, findings %v", p.Mode, r.Allowed, r.Findings)
			}
		}
	})
}

func has(r *Result, name finding.Name) bool {
	for _, f := range r.Findings {
		if f.Name == name {
			return true
		}
	}
	return false
}

// TestHTTP2Reuse: connections that carry so many requests each, and pools.
func TestHTTP2Reuse(t *testing.T) {
	eachHTTP2Engine(t, func(t *testing.T, engine string) {
		target := http2Server(t, nil, 100, func(w http.ResponseWriter, r *http.Request) {})
		for _, tt := range []struct {
			link  request.Link
			least uint64 // connections
		}{
			{request.Link{Reuse: request.NoReuse}, 60},
			{request.Link{PerConnection: 6}, 10},
			{request.Link{Reuse: request.Shared}, 1},
		} {
			s := overHTTP2(target, engine, 2, 3, 60)
			s.Link = tt.link
			s.Link.Streams = 3
			r := ran(t, s)
			all := everything(r)
			if all.Completed+all.Drained != 60 || all.Errors.Total() != 0 {
				t.Fatalf("%+v: completed %d, errors %v", tt.link, all.Completed+all.Drained, r.FirstErrors)
			}
			if all.Connects+2 < tt.least { // two were there before
				t.Errorf("%+v: %d connections, want %d", tt.link, all.Connects, tt.least)
			}
		}
	})
}

// TestHTTP2AgainstNghttpd loads a server that has nothing in common with ours.
func TestHTTP2AgainstNghttpd(t *testing.T) {
	program, err := exec.LookPath("nghttpd")
	if err != nil {
		t.Skip("there is no nghttpd here")
	}
	host, port, _ := net.SplitHostPort(freeport.Address(t))
	dir := t.TempDir()
	text := strings.Repeat("served by nghttpd\n", 5000)
	if err := os.WriteFile(filepath.Join(dir, "x.txt"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--no-tls", "-a", host, "-d", dir, port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	eachHTTP2Engine(t, func(t *testing.T, engine string) {
		s := overHTTP2("http://"+host+":"+port, engine, 3, 20, 300)
		s.Requests = []request.Request{{Method: "GET", Path: "/x.txt", Expect: []string{"body contains served by nghttpd", "header content-length == " + fmt.Sprint(len(text))}}}
		var r *Result
		var err error
		for range 300 { // until it listens
			if r, err = Run(t.Context(), s); err == nil {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		if err != nil {
			t.Fatal(err)
		}
		if all := everything(r); all.Completed+all.Drained != 300 || all.Errors.Total() != 0 || all.BytesIn < uint64(300*len(text)) {
			t.Errorf("completed %d, %d bytes, errors %+v (%v)", all.Completed+all.Drained, all.BytesIn, all.Errors, r.FirstErrors)
		}
	})
}

// TestHTTP2NotSpoken: a server that doesn't speak HTTP/2 is reported before the load.
func TestHTTP2NotSpoken(t *testing.T) {
	cert, _, _ := certificate(t, time.Now().Add(time.Hour))
	secured := func(protocols ...string) string {
		target := server(t, func(c net.Conn) {
			tls.Server(c, &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: protocols}).Handshake()
			io.Copy(io.Discard, c)
		})
		return "https" + strings.TrimPrefix(target, "http")
	}
	plain := server(t, replies("HTTP/1.1 505 HTTP Version Not Supported\r\nContent-Length: 0\r\n\r\n"))
	tests := []struct{ name, target, says string }{
		{"HTTP/1.1", plain, "doesn't speak HTTP/2 here: it begins with \"HTTP/1.1 505 "},
		{"SSH", server(t, replies("SSH-2.0-OpenSSH_9.6\r\n")), "SSH"},
		{"closed", server(t, func(c net.Conn) { io.ReadFull(c, make([]byte, 10)) }), "connection"},
		{"no ALPN", secured(), "agreed on no protocol by ALPN"},
		{"ALPN of HTTP/1.1", secured("http/1.1"), "doesn't speak what was offered by ALPN"},
	}
	eachHTTP2Engine(t, func(t *testing.T, engine string) {
		for _, tt := range tests {
			_, err := begun(t.Context(), overHTTP2(tt.target, engine, 2, 2, 10))
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%s: error %v, want one that says %q", tt.name, err, tt.says)
			}
		}
	})
	s := overHTTP2(plain, "", 1, 1, 1)
	s.Requests[0].Headers = []request.Header{{Name: "Connection", Value: "close"}}
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), "Connection can't be sent over HTTP/2") {
		t.Errorf("Connection: %v", err)
	}
}

// TestHTTP2DoesNotAllocate is TestSteadyStateDoesNotAllocate for HTTP/2, with requests
// that are rendered. (Over TLS crypto/tls allocates for each read, of however many
// responses.)
func TestHTTP2DoesNotAllocate(t *testing.T) {
	target := nullHTTP2(t)
	for _, p := range []profile.Profile{{Mode: profile.Closed, Connections: 4}, {Mode: profile.Open, Connections: 4, Rate: 4000}} {
		eachLoopAlone(t, func(t *testing.T, engine string) {
			s := overHTTP2(target, engine, 4, 10, 0)
			s.Profile = p
			s.Requests = []request.Request{{Method: "POST", Path: "/{{seq}}", Body: `{"n": {{seq}}}`, Expect: []string{"header server == null"}}}
			doesNotAllocate(t, s)
		})
	}
}

// nullHTTP2 responds over HTTP/2 without allocating, so that what is counted is ours.
func nullHTTP2(t *testing.T) string {
	config := http2.NewConfig(http2.Config{Server: true, Table: 4096})
	status, name, value := 200, []byte("server"), []byte("null")
	return server(t, func(c net.Conn) {
		var wire http2.Conn
		var pool http2.Pool
		var in bytes.Buffer
		buf := make([]byte, 64<<10)
		wire.Start(config, &pool, clock.Now())
		for {
			if _, err := c.Write(wire.Out); err != nil {
				return
			}
			wire.Out = wire.Out[:0]
			wire.Flushed()
			n, err := c.Read(buf)
			if err != nil {
				return
			}
			in.Write(buf[:n])
			for {
				n, ev, err := wire.Next(in.Bytes(), clock.Now())
				if err != nil {
					return
				}
				in.Next(n)
				if ev.Kind == http2.More {
					break
				}
				if ev.Kind == http2.EventData {
					wire.Consume(ev.Stream, len(ev.Data))
				}
				if ev.End {
					wire.Response(ev.Stream, status)
					wire.Field(name, value)
					wire.EndHeaders(true)
					wire.Release(ev.Stream)
				}
			}
		}
	})
}
