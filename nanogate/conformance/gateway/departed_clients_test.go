//go:build linux

package gateway_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/secure/securetest"
)

// A client over TLS that goes after its response is seen to have gone, however it goes.
func TestDepartedClientsOverTLS(t *testing.T) {
	for name, leave := range map[string]func(c *tls.Conn){
		"FIN":          func(c *tls.Conn) { c.NetConn().Close() },
		"reset":        func(c *tls.Conn) { reset(c.NetConn()) },
		"close_notify": func(c *tls.Conn) { c.Close() },
	} {
		for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
			t.Run(fmt.Sprintf("%s %s", tls.VersionName(version), name), func(t *testing.T) {
				t.Parallel()
				ca := securetest.New(t)
				g, at := startLoops(t, 1, "tls: {"+tlsOf(ca.Issue("site", time.Hour, "site.example"))+"}\nroutes: [{respond: {status: 200, body: ok}}]\n")
				for range 20 {
					c := dialTLS(t, at, &tls.Config{RootCAs: ca.Pool, ServerName: "site.example", MaxVersion: version})
					c.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
					c.response(t, "GET")
					leave(c.Conn.(*tls.Conn))
				}
				waitFor(t, "all are gone", func() bool { return g.Proxy().Clients() == 0 })
			})
		}
	}
}

// What a client sends last over an upgraded connection, and its end, reach the upstream, also
// when the gateway hears of both at once.
func TestLastBytesOfTunnels(t *testing.T) {
	for _, secured := range []bool{false, true} {
		for _, n := range []int{0, 1000, 50_000} {
			t.Run(fmt.Sprintf("TLS %t, %d bytes", secured, n), func(t *testing.T) {
				t.Parallel()
				lastBytes(t, secured, n)
			})
		}
	}
}

func lastBytes(t *testing.T, secured bool, n int) {
	body := lines(n)
	got := make(chan string, 1)
	upstream := scripted(t, func(p *peer) {
		if _, err := http.ReadRequest(p.r); err != nil {
			return
		}
		p.send("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n")
		b, _ := io.ReadAll(p.r)
		got <- string(b)
	})
	busy, free := make(chan bool), make(chan bool)
	stall := offer("stall", middleware.Middleware{Request: func(*request.Request) *request.Reply {
		close(busy)
		<-free
		return request.Refuse(418, "short and stout", "")
	}})
	text := "routes: [{match: {path: /stall}, use: stall, respond: {status: 200}}, {to: \"http://" + upstream + "\"}]\n"
	connect := func(at string) *peer { return dial(t, at) }
	if secured {
		ca := securetest.New(t)
		text = "tls: {" + tlsOf(ca.Issue("site", time.Hour, "site.example")) + "}\n" + text
		connect = func(at string) *peer {
			return dialTLS(t, at, &tls.Config{RootCAs: ca.Pool, ServerName: "site.example"})
		}
	}
	_, at := startUsing(t, 1, text, stall)
	c, other := connect(at), connect(at)
	c.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n")
	if resp, err := http.ReadResponse(c.r, nil); err != nil || resp.StatusCode != 101 {
		t.Fatalf("%v, %v", resp, err)
	}
	other.send("GET /stall HTTP/1.1\r\nHost: h\r\n\r\n")
	<-busy
	io.WriteString(c, body)
	if s, ok := c.Conn.(*tls.Conn); ok {
		s.NetConn().(*net.TCPConn).CloseWrite()
	} else {
		c.Conn.(*net.TCPConn).CloseWrite()
	}
	close(free)
	select {
	case all := <-got:
		if all != body {
			t.Errorf("the upstream was sent %s", difference(all, body))
		}
	case <-time.After(patience):
		t.Error("the upstream hasn't heard of the end")
	}
}
