//go:build linux

package gateway_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/nanogate/internal/secure/securetest"
)

// handshaken is a listener that counts connections whose TLS is up, and those that are
// open.
func handshaken(t *testing.T, ca *securetest.Authority, http2 bool) (address string, open, opened *atomic.Int32, cut func()) {
	open, opened = new(atomic.Int32), new(atomic.Int32)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Proto)
	}))
	s.EnableHTTP2 = http2
	s.TLS = &tls.Config{Certificates: []tls.Certificate{ca.Issue("site", time.Hour, "127.0.0.1").Pair(t)},
		VerifyConnection: func(tls.ConnectionState) error { opened.Add(1); return nil }}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed:
			open.Add(-1)
		}
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String(), open, opened, s.CloseClientConnections
}

// A pool of an upstream with TLS is warm when its handshakes are done, too: requests find
// connections that are up, over either version, and what is closed is opened again.
func TestWarmPoolsTLS(t *testing.T) {
	for protocol, want := range map[string]int32{"HTTP/1.1": 6, "HTTP/2.0": 2} {
		t.Run(protocol, func(t *testing.T) {
			ca := securetest.New(t)
			upstream, open, opened, cut := handshaken(t, ca, protocol == "HTTP/2.0")
			_, address := startLoops(t, 2, "routes: [{to: u}]\nupstreams: {u: {endpoints: [\"https://"+upstream+"\"], tls: {ca: "+ca.Path+"}, pool: {warm: 3}}}\n")
			is := func(what string, n *atomic.Int32, least int32) {
				t.Helper()
				for end := time.Now().Add(patience); n.Load() < least; time.Sleep(5 * time.Millisecond) {
					if time.Now().After(end) {
						t.Fatalf("%s there are %d connections, want %d", what, n.Load(), least)
					}
				}
			}
			is("before any request", opened, want)
			// The server counts a connection before the gateway has it in the pool, and over
			// HTTP/2 what is agreed on isn't known before: the first requests may open some.
			before, more := int32(0), int32(1)
			for end := time.Now().Add(patience); more > 0 && time.Now().Before(end); more = opened.Load() - before {
				before = opened.Load()
				for range 4 {
					if resp, body := ask(t, address, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); resp.StatusCode != 200 || body != protocol {
						t.Fatal(resp.Status, body)
					}
				}
			}
			if more > 0 {
				t.Errorf("%d connections were opened for 4 requests", more)
			}
			if n := open.Load(); n < want {
				t.Errorf("%d connections are open, want %d", n, want)
			}
			cut()
			is("when all were closed", opened, before+want)
		})
	}
}
