package load

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/freeport"
)

// after responds to each read with head and then whatever body writes.
func after(head string, body func(net.Conn)) func(net.Conn) {
	return func(c net.Conn) {
		buf := make([]byte, 4096)
		for {
			if _, err := c.Read(buf); err != nil {
				return
			}
			if _, err := io.WriteString(c, head); err != nil {
				return
			}
			body(c)
		}
	}
}

// forever writes a text again and again until the client has had enough.
func forever(text string) func(net.Conn) {
	block := []byte(strings.Repeat(text, 1+4096/len(text)))
	return func(c net.Conn) {
		for {
			if _, err := c.Write(block); err != nil {
				return
			}
		}
	}
}

// TestResponsesWithoutEnd: what a server may send without end is bounded where the
// response could not be handled otherwise, and else by the time limit.
func TestResponsesWithoutEnd(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		serve   func(net.Conn)
		timeout time.Duration
		count   func(measure.Errors) uint64
	}{
		{"header", after("HTTP/1.1 200 OK\r\nX: ", forever("x")), time.Minute, func(e measure.Errors) uint64 { return e.Body }},
		{"headers", after("HTTP/1.1 200 OK\r\n", forever("X: y\r\n")), time.Minute, func(e measure.Errors) uint64 { return e.Body }},
		{"chunk extension", after(chunkedHead+"1;", forever("x")), time.Minute, func(e measure.Errors) uint64 { return e.Body }},
		{"trailers", after(chunkedHead+"0\r\n", forever("X: y\r\n")), time.Minute, func(e measure.Errors) uint64 { return e.Body }},
		{"chunks", after(chunkedHead, forever("1\r\nx\r\n")), 200 * time.Millisecond, func(e measure.Errors) uint64 { return e.Timeout }},
		{"body until the end", after("HTTP/1.1 200 OK\r\n\r\n", forever("x")), 200 * time.Millisecond, func(e measure.Errors) uint64 { return e.Timeout }},
		{"interim responses", after("", forever("HTTP/1.1 103 Early Hints\r\n\r\n")), 200 * time.Millisecond, func(e measure.Errors) uint64 { return e.Timeout + e.Body }},
	}
	eachEngine(t, func(t *testing.T, engine string) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				s := spec(server(t, tt.serve), profile.Profile{Mode: profile.Closed, Connections: 2})
				s.Engine, s.MaxRequests, s.Duration, s.Timeout = engine, 4, 0, tt.timeout
				r := ran(t, s)
				all := everything(r)
				if n, late := tt.count(all.Errors), lateConnects(r); n == 0 || n > 4 || n+late < 4 || all.Errors.Total() != n+late || all.Completed != 0 {
					t.Errorf("of 4 requests: completed %d, errors %+v", all.Completed, all.Errors)
				}
			})
		}
	})
}

// ran runs a load that must end by itself.
func ran(t *testing.T, s Spec) *Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	r, err := begun(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	if r.Interrupted {
		t.Fatal("the load did not end by itself")
	}
	return r
}

// TestHugeResponses: responses are taken as they come; 300 MB of them cost no memory.
func TestHugeResponses(t *testing.T) {
	const size, block = 300 << 20, 1 << 20
	zeros := make([]byte, block)
	target := server(t, after("HTTP/1.1 200 OK\r\nContent-Length: 314572800\r\n\r\n", func(c net.Conn) {
		for range size / block {
			if _, err := c.Write(zeros); err != nil {
				return
			}
		}
	}))
	eachEngineAlone(t, func(t *testing.T, engine string) {
		s := spec(target, profile.Profile{Mode: profile.Closed, Connections: 1})
		s.Engine, s.MaxRequests, s.Duration, s.Timeout = engine, 1, 0, time.Minute
		var before, later runtime.MemStats
		runtime.ReadMemStats(&before)
		all := everything(ran(t, s))
		runtime.ReadMemStats(&later)
		if all.Completed != 1 || all.BytesIn < size {
			t.Errorf("completed %d, received %d bytes, errors %+v", all.Completed, all.BytesIn, all.Errors)
		}
		// The histograms of a load are tens of megabytes; a copy of the response
		// would be three hundred.
		if n := (later.TotalAlloc - before.TotalAlloc) >> 20; n > 100 {
			t.Errorf("%d MiB allocated for a response of 300", n)
		}
	})
}

// TestServersThatDontListen: a server that closes, or speaks, before it has been
// asked is not stormed with connections, and the load tells what happened.
func TestServersThatDontListen(t *testing.T) {
	t.Parallel()
	for name, greeting := range map[string]string{"closes": "", "speaks": "220 mail.example ESMTP\r\n"} {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, engine string) {
				var accepted atomic.Int64
				target := server(t, func(c net.Conn) {
					accepted.Add(1)
					io.WriteString(c, greeting)
					if greeting != "" {
						io.Copy(io.Discard, c)
					}
				})
				s := spec(target, profile.Profile{Mode: profile.Open, Connections: 4, Rate: 20, Arrivals: profile.Uniform})
				s.Engine, s.Duration = engine, 500*time.Millisecond
				began := time.Now()
				r := ran(t, s)
				took := time.Since(began)
				// Each place is tried again every 20 ms, and for each request.
				if n := accepted.Load(); n > 4*(3+int64(took/retryAfter))+20 {
					t.Errorf("%d connections in %v", n, took)
				}
				if all := everything(r); all.Completed != 0 || all.Offered == 0 {
					t.Errorf("offered %d, completed %d", all.Offered, all.Completed)
				}
			})
		})
	}
}

const retryAfter = 20 * time.Millisecond

// TestServerThatDoesNotRead: a request that the kernel can't take whole ends in
// time too, and so does its connection.
func TestServerThatDoesNotRead(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		var open atomic.Int64
		release := make(chan struct{})
		target := server(t, func(c net.Conn) {
			open.Add(1)
			defer open.Add(-1)
			<-release
			io.Copy(io.Discard, c) // ends when the client has hung up
		})
		s := spec(target, profile.Profile{Mode: profile.Closed, Connections: 2})
		s.Engine, s.MaxRequests, s.Duration, s.Timeout = engine, 4, 0, 200*time.Millisecond
		s.Requests = []request.Request{{Method: "POST", Path: "/", Body: strings.Repeat("x", 16<<20)}}
		r := ran(t, s)
		e := everything(r).Errors
		if late := lateConnects(r); e.Timeout == 0 || e.Timeout > 4 || e.Timeout+late < 4 || e.Total() != e.Timeout+late {
			t.Errorf("errors %+v", e)
		}
		close(release)
		for end := time.Now().Add(30 * time.Second); open.Load() > 0; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d connections are still open", open.Load())
			}
		}
	})
}

// TestServerThatGoesAway: requests fail while nothing listens, the load goes on
// by their number, and there are responses again when the server is back.
func TestServerThatGoesAway(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		for _, p := range []profile.Profile{{Mode: profile.Closed, Connections: 2}, {Mode: profile.Open, Connections: 2, Rate: 500}} {
			t.Run(string(p.Mode), func(t *testing.T) {
				ln, err := net.Listen("tcp", freeport.Address(t))
				if err != nil {
					t.Fatal(err)
				}
				go func() {
					for range 2 {
						c, err := ln.Accept()
						if err != nil {
							return
						}
						go func() {
							defer c.Close()
							c.Read(make([]byte, 4096))
							ln.Close()
						}()
					}
				}()
				s := spec("http://"+ln.Addr().String(), p)
				s.Engine, s.MaxRequests, s.Duration = engine, 20, 0
				r := ran(t, s)
				all := everything(r)
				if all.Offered != 20 || all.Errors.Connect == 0 || all.Completed != 0 {
					t.Errorf("offered %d of 20, errors %+v", all.Offered, all.Errors)
				}
				if !strings.Contains(r.FirstErrors["connect"].String(), "refused") {
					t.Errorf("said %q", r.FirstErrors["connect"])
				}
			})
		}
	})
}

// TestHandshakesWithoutEnd: a server that never goes on with its TLS handshake
// is unreachable, and leaves nothing behind.
func TestHandshakesWithoutEnd(t *testing.T) {
	eachEngineAlone(t, func(t *testing.T, engine string) {
		target := server(t, func(c net.Conn) { io.Copy(io.Discard, c) })
		files, goroutines := openFiles(t), runtime.NumGoroutine()
		s := spec(strings.Replace(target, "http:", "https:", 1), profile.Profile{Mode: profile.Closed, Connections: 3})
		s.Engine, s.Timeout = engine, 100*time.Millisecond
		var unreachable *request.UnreachableError
		if _, err := Run(t.Context(), s); !errors.As(err, &unreachable) {
			t.Errorf("error %v, want one that says unreachable", err)
		}
		nothingLeft(t, files, goroutines)
	})
}

// TestClosedLoopEndsInTimeWhileConnecting: what is being connected to when the
// time is up is waited for as any request is, and no longer.
func TestClosedLoopEndsInTimeWhileConnecting(t *testing.T) {
	cert, certFile, _ := certificate(t, time.Now().Add(time.Hour))
	eachEngine(t, func(t *testing.T, engine string) {
		eventually(t, func(wrong func(string, ...any)) {
			var accepted atomic.Int64
			target := server(t, func(c net.Conn) {
				if accepted.Add(1) > 1 {
					io.Copy(io.Discard, c) // no handshake but for the first connection
					return
				}
				secure := tls.Server(c, &tls.Config{Certificates: []tls.Certificate{cert}})
				secure.Read(make([]byte, 4096))
				io.WriteString(secure, okReply)
				secure.Close()
			})
			s := spec(strings.Replace(target, "http:", "https:", 1), profile.Profile{Mode: profile.Closed, Connections: 1})
			s.Engine, s.TLS.CAFile, s.Timeout, s.Drain = engine, certFile, time.Hour, 100*time.Millisecond
			if all := everything(ran(t, s)); all.Completed != 1 || all.Unfinished != 1 {
				wrong("completed %d, unfinished %d, errors %+v", all.Completed, all.Unfinished, all.Errors)
			}
		})
	})
}

// TestWaitingForAConnectionIsSlow: a request that waited for its connection until
// the time limit has failed, and was slower than all that have a response time.
func TestWaitingForAConnectionIsSlow(t *testing.T) {
	t.Parallel()
	cert, certFile, _ := certificate(t, time.Now().Add(time.Hour))
	eachEngine(t, func(t *testing.T, engine string) {
		var accepted atomic.Int64
		target := server(t, func(c net.Conn) {
			if accepted.Add(1) > 1 {
				io.Copy(io.Discard, c) // no handshake but for the first connection
				return
			}
			secure := tls.Server(c, &tls.Config{Certificates: []tls.Certificate{cert}})
			secure.Read(make([]byte, 4096))
			io.WriteString(secure, okReply)
		})
		s := spec(strings.Replace(target, "http:", "https:", 1), profile.Profile{Mode: profile.Closed, Connections: 1})
		s.Engine, s.TLS.CAFile, s.MaxRequests, s.Duration, s.Timeout, s.Link.Reuse = engine, certFile, 3, 0, 3*time.Second, request.NoReuse
		all := everything(ran(t, s))
		if all.Completed != 1 || all.Errors.Connect != 2 || all.Unconnected != 2 || all.GivenUp(measure.Response) != 2 {
			t.Errorf("completed %d, %d given up, %d without a connection, errors %+v", all.Completed, all.GivenUp(measure.Response), all.Unconnected, all.Errors)
		}
	})
}

// TestInterruptedWhileConnecting: that nobody waits any more does not make the
// target unreachable.
func TestInterruptedWhileConnecting(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		target := server(t, func(c net.Conn) { io.Copy(io.Discard, c) })
		s := spec(strings.Replace(target, "http:", "https:", 1), profile.Profile{Mode: profile.Closed, Connections: 1})
		s.Engine = engine
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := Run(ctx, s); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want that of the context", err)
		}
	})
}

// TestRestOfARequestStaysWithItsConnection: what is left of a request whose response
// came before it was sent as a whole must not go out on the next connection.
func TestRestOfARequestStaysWithItsConnection(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		var strays, requests atomic.Int64
		target := server(t, func(c net.Conn) {
			start := make([]byte, 5)
			switch n, _ := io.ReadFull(c, start); {
			case n == 0: // nothing was asked
			case string(start[:n]) != "POST ":
				strays.Add(1)
			default:
				requests.Add(1)
				io.WriteString(c, "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
				io.Copy(io.Discard, c)
			}
		})
		s := spec(target, profile.Profile{Mode: profile.Open, Connections: 3, Rate: 30, Arrivals: profile.Uniform})
		s.Engine, s.Duration, s.Timeout, s.Link.PerConnection = engine, 500*time.Millisecond, 500*time.Millisecond, 1000
		s.Requests = []request.Request{{Method: "POST", Path: "/", Body: strings.Repeat("x", 16<<20)}}
		ran(t, s)
		if strays.Load() != 0 || requests.Load() == 0 {
			t.Errorf("%d connections began with something else than the %d requests", strays.Load(), requests.Load())
		}
	})
}

// TestIdleConnectionsThatTimeOut: some servers say so before they close one. No
// request has failed by that.
func TestIdleConnectionsThatTimeOut(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		if engine == "portable" {
			t.Skip("it looks at a connection only when it has sent on it")
		}
		target := server(t, func(c net.Conn) {
			io.WriteString(c, "HTTP/1.0 408 Request Time-out\r\nConnection: close\r\n\r\n")
		})
		s := spec(target, profile.Profile{Mode: profile.Open, Connections: 4, Rate: 10, Arrivals: profile.Uniform})
		s.Engine, s.Duration = engine, 200*time.Millisecond
		if all := everything(ran(t, s)); all.Errors.Body != 0 || all.Offered == 0 {
			t.Errorf("offered %d, errors %+v", all.Offered, all.Errors)
		}
	})
}
