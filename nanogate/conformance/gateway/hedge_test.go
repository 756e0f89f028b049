//go:build linux

package gateway_test

import (
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A request that one endpoint doesn't respond to gets another's response, and the first
// connection is closed.
func TestHedge(t *testing.T) {
	gone := make(chan bool, 100)
	var asked atomic.Int32
	silent := scripted(t, func(p *peer) {
		if r, err := p.request(); err == nil {
			asked.Add(1)
			if r.Method == "POST" {
				p.send(ok)
			}
		}
		io.Copy(io.Discard, p)
		gone <- true
	})
	quick, _ := respondingWith(t, ok)
	g, at := start(t, "routes: [{hedge: {after: 5ms, budget: 100%}, to: u}]\nupstreams: {u: {endpoints: [\""+silent+"\", \""+quick+"\"], balance: round-robin}}\n")
	for range 10 {
		if resp, body := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); body != "OK" {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	}
	if asked.Load() == 0 {
		t.Fatal("the silent one was never asked")
	}
	for range asked.Load() {
		<-gone
	}
	waitFor(t, "no request is counted there any more", func() bool { return g.Snapshot().Upstream("u").Set().All[0].Under() == 0 })
}

// When one of the two fails the other one's response is taken; when both do the client
// hears of it once.
func TestHedgeFails(t *testing.T) {
	var asked atomic.Int32
	second := make(chan bool, 2)
	failing := func(response string) string {
		return scripted(t, func(p *peer) {
			if _, err := p.request(); err != nil {
				return
			}
			if asked.Add(1)%2 == 1 { // the first of the two closes when the second was asked
				select {
				case <-second:
				case <-time.After(patience):
				}
				return
			}
			second <- true
			p.send("%s", response)
		})
	}
	for want, responses := range map[int][2]string{200: {ok, ok}, 502: {"nonsense\r\n\r\n", "nonsense\r\n\r\n"}} {
		asked.Store(0)
		_, at := start(t, "routes: [{hedge: {after: 2ms, budget: 100%}, retry: {attempts: 1}, to: u}]\nupstreams: {u: {endpoints: [\""+failing(responses[0])+"\", \""+failing(responses[1])+"\"], balance: round-robin}}\n")
		if resp, body := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != want {
			t.Errorf("%d %s, want %d", resp.StatusCode, body, want)
		}
	}
}

// A host that is the endpoint's own is that of the endpoint that is asked in the end.
func TestRetryHost(t *testing.T) {
	a := echoing(t, "a")
	_, at := start(t, "routes: [{host: upstream, to: u}]\nupstreams: {u: {endpoints: [\""+nobody+"\", \""+a+"\"], balance: round-robin}}\n")
	for range 4 {
		if _, body := get(t, at, "/"); !strings.Contains(body, "host="+a+" ") {
			t.Errorf("%s", body)
		}
	}
}

// An endpoint that no connection to comes up in time has begun no response: the request
// goes to another one too, and waits for that when the time to connect is over.
func TestHedgeWhileConnecting(t *testing.T) {
	t.Parallel() // it waits for most of its time
	tests := []struct {
		scheme, connect string
		takes           time.Duration // the response of the endpoint that can be reached
	}{
		{"http", "1m", 0}, {"http", "3s", 4 * time.Second}, // a busy machine connects in 3 s too
		{"h2c", "1m", 0}, {"h2c", "3s", 4 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.scheme+" "+tt.connect, func(t *testing.T) {
			t.Parallel()
			other := scripted(t, func(p *peer) {
				for {
					if _, err := p.request(); err != nil {
						return
					}
					time.Sleep(tt.takes)
					p.send(ok)
				}
			})
			// Each request takes two turns: all begin with the one that is unreachable.
			g, at := startLoops(t, 1, "routes: [{hedge: {after: 5ms, budget: 100%}, retry: {attempts: 1}, to: u}]\nupstreams: {u: {endpoints: [\""+other+"\", \""+tt.scheme+"://"+unreachable(t)+"\"], balance: round-robin, connect: "+tt.connect+"}}\n")
			if resp, body := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); body != "OK" {
				t.Fatalf("%d %s", resp.StatusCode, body)
			}
			waitFor(t, "no request is counted there any more", func() bool {
				all := g.Snapshot().Upstream("u").Set().All
				return all[0].Under() == 0 && all[1].Under() == 0
			})
		})
	}
}

// However many routes have a time of their own, each of them is hedged.
func TestHedgeManyTimes(t *testing.T) {
	t.Parallel()
	silent := scripted(t, func(p *peer) { io.Copy(io.Discard, p) })
	quick, _ := respondingWith(t, ok)
	var routes strings.Builder
	const n = 40
	for i := range n {
		fmt.Fprintf(&routes, "  - {match: {path: /%d}, hedge: {after: %dms, budget: 100%%}, to: u}\n", i, i+1)
	}
	// Each request takes two turns, so all begin with the endpoint that is silent.
	_, at := startLoops(t, 1, "routes:\n"+routes.String()+"upstreams: {u: {endpoints: [\""+quick+"\", \""+silent+"\"], balance: round-robin, response: "+patience.String()+"}}\n")
	for i := range n {
		if resp, body := ask(t, at, fmt.Sprintf("GET /%d HTTP/1.1\r\nHost: h\r\n\r\n", i)); body != "OK" {
			t.Fatalf("request %d: %d %s", i, resp.StatusCode, body)
		}
	}
}

// unreachable returns an address at which nothing responds: its queue of connections is
// full, so that the kernel takes no more.
func unreachable(t *testing.T) string {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(name.(*unix.SockaddrInet4).Port))
	for {
		c, err := net.DialTimeout("tcp", address, 200*time.Millisecond)
		if err != nil {
			return address
		}
		t.Cleanup(func() { c.Close() })
	}
}
