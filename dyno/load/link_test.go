package load

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"dyno.example/dyno/load/internal/engine"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// visitors counts the requests of each connection a server has seen. A connection is
// itself, not its address: the kernel may give a port that is free again to another.
type visitors struct {
	mu   sync.Mutex
	from map[net.Conn]int
}

// visitor is the key of a request's connection.
type visitor struct{}

func (v *visitors) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.from[r.Context().Value(visitor{}).(net.Conn)]++
	io.WriteString(w, "ok")
}

// most returns the number of connections that carried requests, and the most
// requests one carried.
func (v *visitors) most() (connections, requests int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, n := range v.from {
		requests = max(requests, n)
	}
	return len(v.from), requests
}

// visited starts a server on ln, or on a port of its own.
func visited(t *testing.T, ln net.Listener) (*visitors, string) {
	t.Helper()
	if ln == nil {
		var err error
		if ln, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	v := &visitors{from: make(map[net.Conn]int)}
	srv := &http.Server{Handler: v, ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, visitor{}, c) }}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	return v, "http://" + ln.Addr().String()
}

func TestReuse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		profile profile.Profile
		link    request.Link
		paced   bool // a generator that stands still sends too much at once for it to be ok
		ok      func(connections, most int) bool
	}{
		{"kept", profile.Profile{Mode: profile.Closed, Connections: 4}, request.Link{}, false, func(c, _ int) bool { return c <= 4 }},
		{"none", profile.Profile{Mode: profile.Closed, Connections: 4}, request.Link{Reuse: request.NoReuse}, false, func(c, most int) bool { return c == 200 && most == 1 }},
		{"none, open loop", profile.Profile{Mode: profile.Open, Connections: 50, Rate: 1000}, request.Link{Reuse: request.NoReuse}, false, func(c, most int) bool { return c == 200 && most == 1 }},
		{"seven requests each", profile.Profile{Mode: profile.Closed, Connections: 4}, request.Link{PerConnection: 7}, false, func(c, most int) bool { return most == 7 && c >= 28 }},
		{"aged", profile.Profile{Mode: profile.Open, Connections: 1, Rate: 500}, request.Link{MaxAge: 50 * time.Millisecond}, true, func(c, _ int) bool { return c >= 3 }},
		{"per worker, open loop", profile.Profile{Mode: profile.Open, Connections: 30, Rate: 1000}, request.Link{}, true, func(c, _ int) bool { return c == 30 }},
		{"shared, open loop", profile.Profile{Mode: profile.Open, Connections: 150, Rate: 500}, request.Link{Reuse: request.Shared}, true, func(c, _ int) bool { return c < 150 }},
	}
	eachEngine(t, func(t *testing.T, engine string) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				eventually(t, func(wrong func(string, ...any)) {
					v, target := visited(t, nil)
					s := spec(target, tt.profile)
					s.Engine, s.Link, s.MaxRequests, s.Duration = engine, tt.link, 200, 0
					r := ran(t, s)
					if all := everything(r); all.Completed+all.Drained != 200 || all.Errors.Total() != 0 {
						t.Fatalf("completed %d, errors %+v (%v)", all.Completed, all.Errors, r.FirstErrors)
					}
					if !tt.paced {
						wrong = t.Errorf
					}
					if connections, most := v.most(); !tt.ok(connections, most) {
						wrong("%d connections with at most %d requests", connections, most)
					}
				})
			})
		}
	})
}

func TestSourceAddresses(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		v, target := visited(t, nil)
		s := spec(target, profile.Profile{Mode: profile.Closed, Connections: 4})
		s.Engine, s.MaxRequests, s.Duration, s.Timeout = engine, 100, 0, 30*time.Second
		s.Link.Sources = []netip.Addr{netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.3")}
		ran(t, s)
		v.mu.Lock()
		defer v.mu.Unlock()
		hosts := make(map[string]bool)
		for from := range v.from {
			host, _, _ := net.SplitHostPort(from.RemoteAddr().String())
			hosts[host] = true
		}
		if len(hosts) != 2 || !hosts["127.0.0.2"] || !hosts["127.0.0.3"] {
			t.Errorf("came from %v", hosts)
		}
	})
}

func TestUnixSocket(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		path := filepath.Join(t.TempDir(), "s")
		ln, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		visited(t, ln)
		s := spec("http://service.example/", profile.Profile{Mode: profile.Closed, Connections: 4})
		s.Engine, s.MaxRequests, s.Duration, s.Link.Unix, s.Timeout = engine, 100, 0, path, 30*time.Second
		if all := everything(ran(t, s)); all.Completed != 100 {
			t.Errorf("completed %d, errors %+v", all.Completed, all.Errors)
		}
	})
}

func TestIPv6(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		ln, err := net.Listen("tcp", "[::1]:0")
		if err != nil {
			t.Skip("no IPv6 here: ", err)
		}
		_, target := visited(t, ln)
		s := spec(target, profile.Profile{Mode: profile.Closed, Connections: 2})
		s.Engine, s.MaxRequests, s.Duration, s.Timeout = engine, 20, 0, 30*time.Second
		s.Link.Sources = []netip.Addr{netip.MustParseAddr("::1")}
		if all := everything(ran(t, s)); all.Completed != 20 {
			t.Errorf("completed %d, errors %+v", all.Completed, all.Errors)
		}
	})
}

func TestLinkCheck(t *testing.T) {
	for _, tt := range []struct {
		link request.Link
		says string
	}{
		{request.Link{Reuse: "sometimes"}, "reuse"},
		{request.Link{PerConnection: -1}, "negative"},
		{request.Link{MaxAge: -1}, "negative"},
		{request.Link{Unix: strings.Repeat("x", 200)}, "longer than"},
		{request.Link{Unix: "x", FastOpen: true}, "unix socket"},
		{request.Link{ReadRate: 100}, "bytes a second"},
	} {
		if err := tt.link.Check(); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%+v: error %v, want %q", tt.link, err, tt.says)
		}
	}
	s := spec("http://127.0.0.1:1", profile.Profile{Mode: profile.Closed, Connections: 1})
	s.Link.Sources = []netip.Addr{netip.MustParseAddr("::1")}
	if _, err := Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), "IPv6") {
		t.Errorf("error %v, want one about mixed families", err)
	}
}

func TestThinkTime(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		for _, reuse := range []request.Reuse{request.PerWorker, request.Shared} {
			_, target := visited(t, nil)
			s := spec(target, profile.Profile{Mode: profile.Closed, Connections: 10, Think: profile.Think{Mean: 50 * time.Millisecond}})
			s.Engine, s.Duration, s.Timeout, s.Link.Reuse = engine, 500*time.Millisecond, 30*time.Second, reuse
			r := mustRun(t, s)
			// Ten users with a pause of 50 ms each ask at most 200 times a second.
			if n := r.Total.Sent; n == 0 || n > 110 {
				t.Errorf("%s: sent %d requests in %v", reuse, n, r.Total.Length)
			}
		}
	})
}

func TestOverflow(t *testing.T) {
	t.Parallel()
	slow := server(t, func(c net.Conn) {
		buf := make([]byte, 4096)
		for {
			if _, err := c.Read(buf); err != nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
			io.WriteString(c, okReply)
		}
	})
	eachEngine(t, func(t *testing.T, engine string) {
		for _, overflow := range []profile.Overflow{profile.Wait, profile.OpenMore, profile.ShedArrival} {
			t.Run(string(overflow), func(t *testing.T) {
				s := spec(slow, profile.Profile{Mode: profile.Open, Connections: 1, Rate: 200, Arrivals: profile.Uniform, Overflow: overflow})
				s.Engine, s.Duration, s.Timeout = engine, 500*time.Millisecond, 30*time.Second
				total := everything(ran(t, s))
				if total.Offered != 100 || total.Completed+total.Drained+total.Unfinished+total.Shed != 100 {
					t.Fatalf("of 100 arrivals: %+v", total)
				}
				opened, shed := total.Connects > 0, total.Shed > 0
				if opened != (overflow == profile.OpenMore) || shed != (overflow == profile.ShedArrival) {
					t.Errorf("%d connections opened, %d arrivals shed", total.Connects, total.Shed)
				}
			})
		}
	})
}

// TestConnectionsAreClosed: a load leaves no descriptor behind.
func TestConnectionsAreClosed(t *testing.T) {
	eachEngineAlone(t, func(t *testing.T, engine string) {
		_, target := visited(t, nil)
		before := openFiles(t)
		many := 3000 // a kernel closes them in several turns
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil {
			many = int(min(uint64(many), uint64(limit.Cur)/3))
		}
		for reuse, connections := range map[request.Reuse]int{request.PerWorker: many, request.NoReuse: 50} {
			s := spec(target, profile.Profile{Mode: profile.Closed, Connections: connections})
			s.Engine, s.Link.Reuse = engine, reuse
			ran(t, s)
		}
		for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if openFiles(t) <= before { // those of the server close a little later
				return
			}
		}
		t.Errorf("%d files open, %d before", openFiles(t), before)
	})
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(entries)
}

func TestKernelTimestamps(t *testing.T) {
	if best, _ := engine.Pick("", false); best == "portable" {
		t.Skip("the portable engine has none")
	}
	_, target := visited(t, nil)
	s := spec(target, profile.Profile{Mode: profile.Closed, Connections: 4})
	s.KernelTimestamps = true
	r := mustRun(t, s)
	if n := count(r, measure.ReadDelay); r.Engine != "epoll" || n < int64(r.Total.Completed)/2 {
		t.Errorf("%s engine: %d timestamps for %d responses", r.Engine, n, r.Total.Completed)
	}
	s.Engine = "uring"
	if _, err := Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), "epoll engine") {
		t.Errorf("error %v", err)
	}
}

// TestConnectingIsNotService: what a request waits for its connection is in its
// lag, and so in its response, but not in its service time.
func TestConnectingIsNotService(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		_, target := visited(t, nil)
		s := spec(target, profile.Profile{Mode: profile.Closed, Connections: 2})
		s.Engine, s.MaxRequests, s.Duration, s.Link.Reuse = engine, 60, 0, request.NoReuse
		r := mustRun(t, s)
		sum := func(c measure.Clock) float64 { return r.Total.Hist[c].Mean() * float64(count(r, c)) }
		if lag, connect := sum(measure.Lag), sum(measure.Connect); lag < 0.95*connect {
			t.Errorf("connecting took %.0f ns, and the lag is %.0f", connect, lag)
		}
	})
}

// TestConnectionsThatSwitchProtocols carry no further request.
func TestConnectionsThatSwitchProtocols(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		var accepted atomic.Int64
		target := server(t, func(c net.Conn) {
			accepted.Add(1)
			c.Read(make([]byte, 4096))
			io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
			io.Copy(io.Discard, c)
		})
		s := spec(target, profile.Profile{Mode: profile.Closed, Connections: 1})
		s.Engine, s.MaxRequests, s.Duration = engine, 5, 0
		if all := everything(ran(t, s)); all.Errors.Status != 5 || accepted.Load() < 5 {
			t.Errorf("%d connections for %+v", accepted.Load(), all.Errors)
		}
	})
}
