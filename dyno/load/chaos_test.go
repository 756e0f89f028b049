package load

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// chaos is a server that does everything wrong that a server can do, in an order
// that its seed decides, and counts what it did.
type chaos struct {
	mu      sync.Mutex
	rng     *rand.Rand
	good    uint64 // complete responses as they should be, begun
	refused uint64 // complete responses with a status that is not expected, begun
}

// misdeed responds to a request. It returns whether the connection goes on.
type misdeed func(c *chaos, conn net.Conn) bool

func (c *chaos) count(n *uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*n++
}

func (c *chaos) pick(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rng.IntN(n)
}

// responses counts a good response and sends it in pieces.
func responses(goOn bool, pause time.Duration, pieces ...string) misdeed {
	return func(c *chaos, conn net.Conn) bool {
		c.count(&c.good)
		return write(conn, pause, pieces...) && goOn
	}
}

// breaks sends what is no complete response.
func breaks(goOn bool, pieces ...string) misdeed {
	return func(_ *chaos, conn net.Conn) bool { return write(conn, 0, pieces...) && goOn }
}

func write(conn net.Conn, pause time.Duration, pieces ...string) bool {
	for _, p := range pieces {
		if _, err := io.WriteString(conn, p); err != nil {
			return false
		}
		time.Sleep(pause)
	}
	return true
}

const chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

var misdeeds = []misdeed{
	responses(true, 0, okReply), responses(true, 0, okReply), responses(true, 0, okReply), responses(true, 0, okReply),
	responses(true, 0, chunkedHead, "2\r\nok\r\n0\r\n\r\n"),
	responses(true, time.Millisecond, strings.SplitAfter(okReply, "\n")...),
	responses(true, time.Millisecond, strings.Split(okReply, "")...), // a byte at a time
	responses(true, 0, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", okReply),
	responses(true, 5*time.Millisecond, okReply),
	responses(false, 0, okReply), // closes without having said so
	responses(false, 0, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"),
	responses(false, 0, "HTTP/1.1 200 OK\r\n\r\nuntil the end"),
	func(c *chaos, conn net.Conn) bool {
		c.count(&c.refused)
		return write(conn, 0, "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 5\r\n\r\nsorry")
	},
	breaks(false), // closes without a response
	func(_ *chaos, conn net.Conn) bool { // resets
		if raw, ok := conn.(interface{ NetConn() net.Conn }); ok {
			conn = raw.NetConn()
		}
		conn.(*net.TCPConn).SetLinger(0)
		conn.Close()
		return false
	},
	breaks(false, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"),
	breaks(false, "HTTP/1.1 200 OK\r\nContent-Le"),
	breaks(false, chunkedHead, "5\r\nab"),
	breaks(true, "garbage\r\n\r\n"),
	breaks(true, "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
	breaks(true, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok"),
	breaks(true, chunkedHead+"zz\r\n"),
	breaks(true, okReply+okReply),
	breaks(true, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more"),
	breaks(true),                             // says nothing
	breaks(true, chunkedHead, "2\r\nok\r\n"), // never ends
}

// serve responds to each request with a misdeed. After one that leaves the client
// waiting it waits for its hanging up.
func (c *chaos) serve(conn net.Conn) {
	in := bufio.NewReader(conn)
	for {
		for line := "-"; line != "\r\n"; {
			var err error
			if line, err = in.ReadString('\n'); err != nil {
				return
			}
		}
		if !misdeeds[c.pick(len(misdeeds))](c, conn) {
			return
		}
	}
}

// TestChaos: whatever a server does, every request is accounted for, once, the
// load ends, and nothing is left behind.
func TestChaos(t *testing.T) {
	cert, certFile, _ := certificate(t, time.Now().Add(time.Hour))
	files, goroutines := openFiles(t), runtime.NumGoroutine()
	var mu sync.Mutex
	var seen measure.Errors
	completed := uint64(0)
	t.Run("all", func(t *testing.T) {
		eachEngineAlone(t, func(t *testing.T, engine string) {
			for i, reuse := range []request.Reuse{request.PerWorker, request.Shared, request.NoReuse} {
				for _, p := range []profile.Profile{{Mode: profile.Closed, Connections: 7}, {Mode: profile.Open, Connections: 20, Rate: 1500, Arrivals: profile.Poisson}} {
					for _, secure := range []bool{false, true} {
						t.Run(fmt.Sprintf("%s/%s/tls=%v", reuse, p.Mode, secure), func(t *testing.T) {
							t.Parallel()
							c := &chaos{rng: rand.New(rand.NewPCG(uint64(i), 7))}
							s := spec("", p)
							s.Engine, s.Link.Reuse, s.Duration, s.MaxRequests, s.Timeout = engine, reuse, 0, 150, 400*time.Millisecond
							serve := c.serve
							if secure {
								config := &tls.Config{Certificates: []tls.Certificate{cert}}
								serve = func(raw net.Conn) {
									if c.pick(20) == 0 {
										return // no handshake
									}
									conn := tls.Server(raw, config)
									defer conn.Close()
									c.serve(conn)
								}
								// Handshakes take long under the race detector, those of the other loads that run with them too.
								s.TLS.CAFile, s.MaxRequests, s.Timeout = certFile, 60, 2*time.Second
							}
							s.Target = server(t, serve)
							if secure {
								s.Target = strings.Replace(s.Target, "http:", "https:", 1)
							}
							all := accounted(t, s, c)
							mu.Lock()
							defer mu.Unlock()
							seen.Add(all.Errors)
							completed += all.Completed + all.Drained
						})
					}
				}
			}
		})
	})
	nothingLeft(t, files, goroutines)
	if seen.Connect == 0 || seen.Timeout == 0 || seen.Reset == 0 || seen.Body == 0 || seen.Status == 0 {
		t.Errorf("not every kind of error was seen: %+v", seen)
	}
	if completed == 0 {
		t.Error("no responses")
	}
}

// accounted runs a load that ends by the number of its requests and checks that
// each of them came to one end. It returns what became of them: on a busy machine all
// responses may come too late.
func accounted(t *testing.T, s Spec, c *chaos) *measure.Window {
	t.Helper()
	r := ran(t, s)
	all := everything(r)
	e := all.Errors
	ended := all.Completed + all.Drained + all.Shed + all.Unfinished + e.Total() - e.Connect
	// A failed attempt to connect fails the request that waits for it, if one does.
	if ended > all.Offered || all.Offered > ended+e.Connect || all.Offered != s.MaxRequests {
		t.Errorf("offered %d of %d, of which %d came to an end: %+v, %+v", all.Offered, s.MaxRequests, ended, all, r.FirstErrors)
	}
	if s.TLS.CAFile == "" && e.Connect != lateConnects(r) {
		t.Errorf("%d failed to connect: %s", e.Connect, r.FirstErrors["connect"])
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := all.Completed + all.Drained; n > c.good || e.Status > c.refused {
		t.Errorf("completed %d of %d, refused %d of %d", n, c.good, e.Status, c.refused)
	}
	if timed := all.Completed + all.Drained; r.leftOut == 0 && uint64(count(r, measure.Response)) != timed {
		t.Errorf("%d times of %d responses", count(r, measure.Response), timed)
	}
	return all
}

// everything sums up all windows, also those that are invalid.
func everything(r *Result) *measure.Window {
	var all measure.Window
	for i := range r.Windows {
		all.Add(&r.Windows[i])
	}
	return &all
}

// nothingLeft checks that there are no more open files and goroutines than
// before, once those of the servers have ended.
func nothingLeft(t *testing.T, files, goroutines int) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if openFiles(t) <= files && runtime.NumGoroutine() <= goroutines {
			return
		}
	}
	var stacks bytes.Buffer
	buf := make([]byte, 1<<20)
	stacks.Write(buf[:runtime.Stack(buf, true)])
	t.Errorf("%d files open, %d before; %d goroutines, %d before:\n%s", openFiles(t), files, runtime.NumGoroutine(), goroutines, &stacks)
}
