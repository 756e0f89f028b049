package load

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/dyno/load/internal/engine"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/freeport"
)

// server responds to every connection with a function of the connection alone.
func server(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
	return "http://" + ln.Addr().String()
}

// replies responds to each read with the given bytes.
func replies(wire string) func(net.Conn) {
	reply := []byte(wire)
	return func(c net.Conn) {
		buf := make([]byte, 4096)
		for {
			if _, err := c.Read(buf); err != nil {
				return
			}
			if _, err := c.Write(reply); err != nil {
				return
			}
		}
	}
}

func spec(target string, p profile.Profile) Spec {
	return Spec{
		Target: target, Profile: p, Seed: 1, Duration: 300 * time.Millisecond, Timeout: 30 * time.Second, Drain: 30 * time.Second,
		Requests: []request.Request{{Method: "GET", Path: "/"}},
	}
}

// mustRun returns the result of a load that the machine has not disturbed: one
// with a window left out is run again, a few times.
func mustRun(t *testing.T, s Spec) *Result {
	t.Helper()
	for range 5 {
		r, err := begun(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if r.leftOut == 0 {
			return r
		}
	}
	t.Skip("this machine stands still for tenths of a second: nothing can be measured on it")
	return nil
}

const okReply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

func TestClosedLoop(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		s := spec(server(t, replies(okReply)), profile.Profile{Mode: profile.Closed, Connections: 5})
		s.Engine, s.Warmup = engine, 100*time.Millisecond
		var r *Result
		eventually(t, func(wrong func(string, ...any)) {
			r = mustRun(t, s)
			if first := r.Windows[0]; !first.Warmup() || first.Completed == 0 || r.Total.Completed == 0 {
				wrong("first window %d with %d responses, want a warm-up; completed %d after it", first.Index, first.Completed, r.Total.Completed)
			}
		})
		if r.Engine != engine {
			t.Errorf("ran on %q", r.Engine)
		}
		got := r.Total
		if got.Errors.Total() != 0 {
			t.Fatalf("errors %+v (%v)", got.Errors, r.FirstErrors)
		}
		if n := got.Hist[measure.Response].TotalCount(); n != int64(got.Right()) {
			t.Errorf("%d response times of %d responses, and %d after the end", n, got.Completed, got.Drained)
		}
		if got.Completed+5 < got.Sent || got.Completed > got.Sent+5 || got.Unfinished != 0 {
			t.Errorf("sent %d, completed %d, unfinished %d on 5 connections", got.Sent, got.Completed, got.Unfinished)
		}
		if want := 300 * time.Millisecond; got.Length != want {
			t.Errorf("measured %v, want %v", got.Length, want)
		}
	})
}

func TestOpenLoopOffersWhatTheScheduleSays(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		for _, arrivals := range []profile.Arrivals{profile.Uniform, profile.Poisson} {
			s := spec(server(t, replies(okReply)), profile.Profile{Mode: profile.Open, Connections: 8, Rate: 1000, Arrivals: arrivals})
			s.Engine = engine
			got := everything(ran(t, s))
			want := uint64(0)
			for schedule := profile.NewSchedule(&s.Profile, s.Warmup, s.Seed, 0, 1); schedule.After(0) < int64(s.Duration); want++ {
			}
			if got.Offered != want || got.Completed+got.Drained+got.Unfinished != want {
				t.Errorf("%s: offered %d, completed %d, drained %d, unfinished %d; the schedule has %d", arrivals, got.Offered, got.Completed, got.Drained, got.Unfinished, want)
			}
		}
	})
}

// TestResponseCountsFromTheIntendedStart: a server that stands still is seen by
// every request that was due meanwhile, not only by those it held up.
func TestResponseCountsFromTheIntendedStart(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		eventually(t, func(wrong func(string, ...any)) {
			var frozen atomic.Bool
			target := server(t, func(c net.Conn) {
				buf := make([]byte, 4096)
				for n := 0; ; n++ {
					if _, err := c.Read(buf); err != nil {
						return
					}
					if n == 20 && frozen.CompareAndSwap(false, true) {
						time.Sleep(300 * time.Millisecond)
					}
					io.WriteString(c, okReply)
				}
			})
			s := spec(target, profile.Profile{Mode: profile.Open, Connections: 1, Rate: 500, Arrivals: profile.Uniform})
			s.Engine, s.Duration = engine, 1500*time.Millisecond
			r := total(ran(t, s))
			// About 150 of 750 requests were due during the 300 ms.
			slow := int64(0)
			for _, b := range r.Hist[measure.Response].Distribution() {
				if b.From > int64(50*time.Millisecond) {
					slow += b.Count
				}
			}
			if slow < 80 {
				wrong("%d requests saw the stall in their response time, want 80 or more", slow)
			}
			if p90 := time.Duration(r.Hist[measure.Service].ValueAtPercentile(90)); p90 > 50*time.Millisecond {
				wrong("the stall is in the service time of more than its one request, of which p90 is %v", p90)
			}
		})
	})
}

func TestFaultyServers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		serve func(net.Conn)
		count func(measure.Errors) uint64
		kind  string
		says  string
	}{
		{"half a response", func(c net.Conn) {
			c.Read(make([]byte, 4096))
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
		}, func(e measure.Errors) uint64 { return e.Reset }, "reset", "EOF|in the middle"},
		{"closes without a response", func(c net.Conn) { c.Read(make([]byte, 4096)) },
			func(e measure.Errors) uint64 { return e.Reset }, "reset", "EOF|without a response|reset"},
		{"garbage", replies("SSH-2.0-OpenSSH_9.2\r\n"), func(e measure.Errors) uint64 { return e.Body }, "body", "status line"},
		{"never responds", func(c net.Conn) { io.Copy(io.Discard, c) }, func(e measure.Errors) uint64 { return e.Timeout }, "timeout", "within 100ms"},
		{"trickles", func(c net.Conn) {
			c.Read(make([]byte, 4096))
			for _, b := range []byte("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n") {
				if _, err := c.Write([]byte{b}); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		}, func(e measure.Errors) uint64 { return e.Timeout }, "timeout", "within 100ms"},
		{"responds twice", replies(okReply + okReply), func(e measure.Errors) uint64 { return e.Body }, "body", "beyond its response"},
		{"wrong status", replies("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"), func(e measure.Errors) uint64 { return e.Status }, "status", "503"},
	}
	eachEngine(t, func(t *testing.T, engine string) {
		for _, tt := range tests {
			for _, p := range []profile.Profile{{Mode: profile.Closed, Connections: 2}, {Mode: profile.Open, Connections: 2, Rate: 100}} {
				t.Run(tt.name+"/"+string(p.Mode), func(t *testing.T) {
					s := spec(server(t, tt.serve), p)
					s.Engine, s.Duration = engine, 200*time.Millisecond
					if tt.kind == "timeout" {
						s.Timeout, s.Duration = 100*time.Millisecond, 500*time.Millisecond
					}
					eventually(t, func(wrong func(string, ...any)) {
						r := ran(t, s)
						all := everything(r)
						if tt.count(all.Errors) == 0 && all.Errors.Total() == lateConnects(r) {
							wrong("sent %d, errors %+v (%v)", all.Sent, all.Errors, r.FirstErrors) // it stood still for all of the time
							return
						}
						if tt.count(all.Errors)+lateConnects(r) != all.Errors.Total() {
							t.Errorf("errors %+v (%v)", all.Errors, r.FirstErrors)
						}
						if all.Completed != 0 {
							t.Errorf("%d responses counted as completed", all.Completed)
						}
						if !containsAny(r.FirstErrors[tt.kind].String(), tt.says) {
							t.Errorf("said %q, want %q", r.FirstErrors[tt.kind], tt.says)
						}
					})
				})
			}
		}
	})
}

func containsAny(s, alternatives string) bool {
	for a := range strings.SplitSeq(alternatives, "|") {
		if strings.Contains(s, a) {
			return true
		}
	}
	return false
}

func TestServerThatClosesEveryConnection(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		s := spec(server(t, func(c net.Conn) {
			c.Read(make([]byte, 4096))
			io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
		}), profile.Profile{Mode: profile.Closed, Connections: 2})
		s.Engine, s.MaxRequests, s.Duration = engine, 50, 0
		r := ran(t, s)
		all := total(r)
		if all.Completed+all.Drained != 50 || all.Errors.Total() != 0 || all.Connects < 40 {
			t.Errorf("completed %d, connects %d, errors %+v (%v)", all.Completed, all.Connects, all.Errors, r.FirstErrors)
		}
		if lag := all.Hist[measure.Lag]; lag.Max() == 0 {
			t.Error("the time to open a connection again is not in the lag")
		}
	})
}

func TestBodiesAndPieces(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			for i := range 40 { // chunked, in several packets, larger than a read
				fmt.Fprintf(w, "%s %d %s", body, i, strings.Repeat("x", 3000))
				w.(http.Flusher).Flush()
			}
		}))
		defer srv.Close()
		s := spec(srv.URL, profile.Profile{Mode: profile.Closed, Connections: 3})
		s.Engine, s.Duration, s.Timeout, s.MaxRequests = engine, 0, 30*time.Second, 30
		s.Requests = []request.Request{{Method: "POST", Path: "/", Body: "hello", Status: 200}, {Method: "HEAD", Path: "/"}}
		r := ran(t, s)
		if all := everything(r); all.Completed != 30 || all.Errors.Total() != 0 {
			t.Errorf("completed %d, errors %+v (%v)", all.Completed, all.Errors, r.FirstErrors)
		}
	})
}

func TestNothingListening(t *testing.T) {
	target := "http://" + freeport.Address(t)
	eachEngine(t, func(t *testing.T, engine string) {
		s := spec(target, profile.Profile{Mode: profile.Closed, Connections: 3})
		s.Engine = engine
		if _, err := Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), "refused") {
			t.Errorf("error %v, want one that says refused", err)
		}
	})
}

func TestInterruptKeepsWhatWasMeasured(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var asked atomic.Int64
		target := server(t, func(c net.Conn) {
			for buf := make([]byte, 4096); ; {
				if _, err := c.Read(buf); err != nil {
					return
				}
				if asked.Add(1) == 50 { // all but two have a response
					cancel()
				}
				io.WriteString(c, okReply)
			}
		})
		s := spec(target, profile.Profile{Mode: profile.Closed, Connections: 2})
		s.Engine, s.Duration = engine, time.Hour
		r, err := begun(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		if all := everything(r); !r.Interrupted || all.Completed+all.Drained < 48 {
			t.Errorf("interrupted %v, %d requests had a response", r.Interrupted, all.Completed+all.Drained)
		}
	})
}

func TestSpecCheck(t *testing.T) {
	good := spec("http://127.0.0.1:1/", profile.Profile{Mode: profile.Closed, Connections: 1})
	tests := []struct {
		name string
		with func(*Spec)
		says string
	}{
		{"a port that can't be", func(s *Spec) { s.Target = "http://h:99999/" }, "the port must be from 1 to 65535, not 99999"},
		{"port 0", func(s *Spec) { s.Target = "http://h:0/" }, "the port must be"},
		{"no host", func(s *Spec) { s.Target = "localhost" }, "names no host"},
		{"scheme", func(s *Spec) { s.Target = "ftp://x" }, "only http and https, ws and wss, grpc and grpcs"},
		{"no request", func(s *Spec) { s.Requests = nil }, "no request"},
		{"path", func(s *Spec) { s.Requests = []request.Request{{Path: "x"}} }, `start with "/"`},
		{"space in path", func(s *Spec) { s.Requests = []request.Request{{Path: "/a b"}} }, "white space"},
		{"method", func(s *Spec) { s.Requests = []request.Request{{Method: "GE T", Path: "/"}} }, "not an HTTP method"},
		{"header injection", func(s *Spec) {
			s.Requests = []request.Request{{Path: "/", Headers: []request.Header{{Name: "A", Value: "b\r\nC: d"}}}}
		}, "control character"},
		{"header name", func(s *Spec) {
			s.Requests = []request.Request{{Path: "/", Headers: []request.Header{{Name: "A b", Value: ""}}}}
		}, "header name"},
		{"no connections", func(s *Spec) { s.Profile.Connections = 0 }, "connections must be"},
		{"no rate", func(s *Spec) { s.Profile.Mode = profile.Open }, "rate must be"},
		{"no end", func(s *Spec) { s.Duration = 0 }, "never end"},
		{"mode", func(s *Spec) { s.Profile.Mode = "ajar" }, `mode "ajar"`},
	}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		s := good
		tt.with(&s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.says)
		}
	}
}

func TestTooManyConnectionsForTheFileLimit(t *testing.T) {
	if best, _ := engine.Pick("", false); best == "portable" {
		t.Skip("the portable engine leaves the limit to the system")
	}
	s := spec("http://127.0.0.1:1", profile.Profile{Mode: profile.Closed, Connections: profile.MaxConnections})
	if _, err := Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), "files must be open") {
		t.Errorf("error %v, want one about the limit on files", err)
	}
}
