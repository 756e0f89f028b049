//go:build linux

package gateway_test

import (
	"io"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// heap is how many bytes and objects are in use after a collection.
func heap() (bytes, objects int64) {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what finalizers freed
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc), int64(m.HeapObjects)
}

// rawDial connects without anything on the heap, so that what is there is the gateway's.
func rawDial(t *testing.T, address *net.TCPAddr) (fd int) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	to := &unix.SockaddrInet4{Port: address.Port}
	copy(to.Addr[:], address.IP.To4())
	if err := unix.Connect(fd, to); err != nil {
		t.Fatal(err)
	}
	return fd
}

// waitFor waits for what must become true.
func waitFor(t *testing.T, what string, yes func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !yes(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not in time: " + what)
		}
	}
}

// room raises the limit of open files, if it may, and returns how many clients of this
// process the gateway in it can have.
func room(t *testing.T, clients int) int {
	t.Helper()
	const others = 2000 // for all else, and what the gateway keeps free
	need := uint64(2*clients + others)
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if before.Cur >= need {
		return clients
	}
	if unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: need, Max: max(need, before.Max)}) == nil {
		t.Cleanup(func() { unix.Setrlimit(unix.RLIMIT_NOFILE, &before) })
		return clients
	}
	fewer := int(before.Cur-min(before.Cur, others)) / 2
	t.Logf("of %d files that may be open there is room for %d clients of %d", before.Cur, fewer, clients)
	return fewer
}

// Ten thousand clients that are connected and say nothing, or have had a response, cost
// little each. They are all served in the end, and leave nothing when they go.
func TestIdleConnections(t *testing.T) {
	const most = 4 << 10 // bytes for each
	clients := 10_000
	if raceDetector {
		clients = 1000 // it makes all this ten times as slow
	}
	clients = room(t, clients)
	some := min(clients, 1000)
	upstream, _ := respondingWith(t, ok)
	g, _ := startLoops(t, 2, "routes: [{to: http://"+upstream+"}]\n")
	address := g.Addresses()[0].(*net.TCPAddr)
	fds := make([]int, 0, clients)
	connect := func(n int) {
		fds = fds[:0]
		for range n {
			fds = append(fds, rawDial(t, address))
		}
		waitFor(t, "all are accepted", func() bool { return g.Proxy().Clients() == n })
	}
	leave := func() {
		for _, fd := range fds {
			unix.Close(fd)
		}
		waitFor(t, "all are gone", func() bool { return g.Proxy().Clients() == 0 })
	}
	get, buf := []byte("GET / HTTP/1.1\r\nHost: h\r\nUser-Agent: "+strings.Repeat("x", 500)+"\r\n\r\n"), make([]byte, 4096)
	responded := func(fds []int) {
		for _, fd := range fds {
			unix.Write(fd, get)
			if n, err := unix.Read(fd, buf); err != nil || !strings.HasPrefix(string(buf[:max(n, 0)]), "HTTP/1.1 200") {
				t.Fatalf("%v, %q", err, buf[:max(n, 0)])
			}
		}
	}
	before, _ := heap()
	connect(clients)
	silent, _ := heap()
	responded(fds[:some])
	responded(fds[clients-1:])
	idle, _ := heap()
	each, more := (silent-before)/int64(clients), (idle-silent)/int64(some)
	t.Logf("%d clients: %d bytes for one that has said nothing, %d more for one that has had a response", clients, each, more)
	if each > most {
		t.Errorf("%d bytes for a client that has said nothing", each)
	}
	if each+more > most {
		t.Errorf("%d bytes for a client that has had a response", each+more)
	}
	leave()
	held, _ := heap()
	connect(some)
	responded(fds)
	leave()
	if after, _ := heap(); after-held > int64(some)*256 {
		t.Errorf("%d bytes more after others had come and gone", after-held)
	}
}

// What an upstream doesn't read of a body isn't read from the client either: what lies in
// between is bounded.
func TestUploadBackPressure(t *testing.T) {
	stalled := make(chan bool)
	upstream := scripted(t, func(p *peer) {
		p.Conn.(*net.TCPConn).SetReadBuffer(64 << 10)
		p.head()
		<-stalled
	})
	before, _ := heap()
	c := dial(t, proxying(t, upstream))
	c.Conn.(*net.TCPConn).SetWriteBuffer(64 << 10)
	c.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000000\r\n\r\n")
	block, sent := make([]byte, 64<<10), 0
	for {
		c.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
		n, err := c.Write(block)
		if sent += n; err != nil {
			break
		}
		if sent > 64<<20 {
			t.Fatalf("%d bytes were taken for an upstream that takes none", sent)
		}
	}
	if now, _ := heap(); now-before > 4<<20 {
		t.Errorf("%d bytes are kept in the gateway", now-before)
	}
	close(stalled)
}

// Many slow readers of large bodies: each keeps a bounded part of its response.
func TestSlowReaders(t *testing.T) {
	const readers = 50
	var begun atomic.Int32
	large := make([]byte, 1<<20)
	upstream := scripted(t, func(p *peer) {
		p.request()
		p.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
		begun.Add(1)
		for {
			if _, err := p.Write(large); err != nil {
				return
			}
		}
	})
	g, _ := startLoops(t, 1, "routes: [{to: http://"+upstream+"}]\n")
	before, _ := heap()
	for range readers {
		fd := rawDial(t, g.Addresses()[0].(*net.TCPAddr))
		t.Cleanup(func() { unix.Close(fd) })
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 64<<10)
		unix.Write(fd, []byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n"))
	}
	waitFor(t, "all are being served", func() bool { return begun.Load() == readers })
	time.Sleep(100 * time.Millisecond) // what would grow without a bound has time to
	now, _ := heap()
	// An outbox has a read (64 KiB at most) and a head; the upstream's own connections and
	// goroutines are in it too.
	if each := (now - before) / readers; each > 256<<10 {
		t.Errorf("%d bytes for each reader", each)
	}
}

// Whatever happens to requests, nothing stays of them: after thousands that ended in all
// ways there is as much on the heap as after hundreds.
func TestNothingStays(t *testing.T) {
	var open atomic.Int32
	upstream := scripted(t, func(p *peer) {
		open.Add(1)
		defer open.Add(-1)
		for {
			r, err := p.request()
			if err != nil {
				return
			}
			switch r.URL.Path {
			case "/cut":
				p.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
				return
			case "/reset":
				reset(p.Conn)
				return
			case "/bad":
				p.send("no HTTP\r\n\r\n")
				return
			case "/late":
				time.Sleep(5 * time.Millisecond)
			case "/close":
				p.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nto the end")
				return
			}
			p.send(ok)
		}
	})
	g, at := startLoops(t, 2, "routes:\n  - {match: {path: /late}, timeout: 2ms, to: u}\n  - {match: {path: /limited}, limit: {rate: 1/s, key: {header: x-key}}, to: u}\n  - {to: u, retry: {attempts: 2, on: [reset]}}\nupstreams: {u: {endpoints: [\""+upstream+"\"], pool: {idle: 100ms}}}\n")
	ways := []string{
		"GET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET /cut HTTP/1.1\r\nHost: h\r\n\r\n", "GET /reset HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /bad HTTP/1.1\r\nHost: h\r\n\r\n", "GET /late HTTP/1.1\r\nHost: h\r\n\r\n", "GET /close HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /limited HTTP/1.1\r\nHost: h\r\nX-Key: a\r\n\r\n", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nhalf",
		"GET / HTTP/1.1\r\nHost: h\r\nX: y", "no HTTP\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\n\r\nGET /late HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
	}
	round := func(times int) {
		for i := range times * len(ways) {
			c, err := net.Dial("tcp", at)
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(c, ways[i%len(ways)])
			if i%3 > 0 { // a third of them goes without waiting
				c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
				c.Read(make([]byte, 1000))
			}
			c.Close()
		}
		// How many connections there were to the upstream depends on what went on at once.
		waitFor(t, "all are gone", func() bool { return g.Proxy().Clients() == 0 && open.Load() == 0 })
	}
	round(10)
	routines := runtime.NumGoroutine()
	_, before := heap()
	round(40)
	waitFor(t, "no goroutine stays", func() bool { return runtime.NumGoroutine() <= routines+10 })
	_, after := heap()
	for until := time.Now().Add(patience); after-before > 480/4 && time.Now().Before(until); _, after = heap() {
		time.Sleep(100 * time.Millisecond)
	}
	if after-before > 480/4 {
		t.Errorf("%d objects stay of 480 requests", after-before)
	}
}
