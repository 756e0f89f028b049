//go:build linux

package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/nano/wire/reactor"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/gateway"
)

// patience is how long a test waits for what must come. It is never the time that
// anything takes.
const patience = 30 * time.Second

// lifetime is how long a connection of a test may be open, whatever is asked on it and
// however slow the machine is: one that hangs ends, and says where.
const lifetime = 5 * time.Minute

// start serves a configuration, whose listen is given here, until the test ends.
func start(t testing.TB, text string) (g *gateway.Gateway, address string) {
	t.Helper()
	return startLoops(t, 2, text)
}

// startLoops serves it with so many loops.
func startLoops(t testing.TB, loops int, text string) (g *gateway.Gateway, address string) {
	t.Helper()
	c, err := config.Parse("test.yaml", []byte("listen: 127.0.0.1:0\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	unhurried(c)
	g, err = gateway.Start(c, gateway.Options{Loops: loops, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		defer cancel()
		g.Shutdown(ctx)
	})
	return g, g.Addresses()[0].String()
}

// unhurried gives upstreams, which respond in this process, the time that a busy machine may
// take until a connection is up, where the configuration says nothing of it.
func unhurried(c *config.Config) {
	set := func(u *config.Upstream) {
		if u != nil && u.Connect == 2*time.Second { // the default
			u.Connect = patience
		}
	}
	for _, u := range c.Upstreams {
		set(u)
	}
	for _, r := range c.Routes {
		for i := range r.To {
			set(r.To[i].Direct)
		}
		if r.Canary != nil {
			set(r.Canary.To.Direct)
		}
		if r.Mirror != nil {
			set(r.Mirror.To.Direct)
		}
	}
}

// proxying serves one upstream.
func proxying(t testing.TB, upstream string) (address string) {
	t.Helper()
	_, address = start(t, "routes: [{to: http://"+upstream+"}]\n")
	return address
}

// scripted is an upstream that does what the test says with each of its connections.
func scripted(t testing.TB, do func(c *peer)) (address string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go serve(ln, do)
	return ln.Addr().String()
}

// serve does it with each connection of a listener.
func serve(ln net.Listener, do func(c *peer)) {
	for {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			c.SetDeadline(time.Now().Add(lifetime))
			do(&peer{Conn: c, r: bufio.NewReader(c)})
		}()
	}
}

// respondingWith is an upstream that gives the same bytes to each request.
func respondingWith(t testing.TB, response string) (address string, requests *atomic.Int32) {
	t.Helper()
	requests = new(atomic.Int32)
	return scripted(t, func(c *peer) {
		for {
			if _, err := c.request(); err != nil {
				return
			}
			requests.Add(1)
			if _, err := io.WriteString(c, response); err != nil {
				return
			}
		}
	}), requests
}

// peer is a connection with a buffered reader.
type peer struct {
	net.Conn
	r *bufio.Reader
}

// request reads a request with its body, as net/http sees it.
func (p *peer) request() (*got, error) {
	req, err := http.ReadRequest(p.r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(req.Body)
	return &got{req, string(body)}, err
}

// head reads up to the empty line.
func (p *peer) head() (string, error) {
	var b strings.Builder
	for {
		line, err := p.r.ReadString('\n')
		b.WriteString(line)
		if err != nil || line == "\r\n" {
			return b.String(), err
		}
	}
}

func (p *peer) send(format string, args ...any) { fmt.Fprintf(p.Conn, format, args...) }

// reset ends a TCP connection by a reset, when the other end's kernel has all that was
// written: what TCP has not sent by then, for want of acknowledgements, it throws away.
func reset(c net.Conn) {
	tcp := c.(*net.TCPConn)
	if raw, err := tcp.SyscallConn(); err == nil {
		for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Microsecond) {
			queued := 0
			raw.Control(func(fd uintptr) { queued = reactor.Queued(int(fd)) })
			if queued == 0 {
				break
			}
		}
	}
	tcp.SetLinger(0)
	tcp.Close()
}

type got struct {
	*http.Request
	body string
}

// dial connects to the gateway.
func dial(t testing.TB, address string) *peer {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(lifetime))
	return &peer{Conn: c, r: bufio.NewReader(c)}
}

// nobody is an address on which nobody listens: no connection is given its port.
const nobody = "127.0.0.1:1"

// response reads a response to a request of that method.
func (p *peer) response(t testing.TB, method string) (*http.Response, string) {
	t.Helper()
	resp, err := http.ReadResponse(p.r, &http.Request{Method: method})
	if err != nil {
		t.Fatalf("no response: %v", err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("the response to %s ended early: %v", method, err)
	}
	return resp, string(body)
}

// broken reads the body of a response that breaks off, and why it does.
func (p *peer) broken(t testing.TB) (body string, why error) {
	t.Helper()
	resp, err := http.ReadResponse(p.r, &http.Request{Method: "GET"})
	if err != nil {
		t.Fatalf("no response: %v", err)
	}
	b, why := io.ReadAll(resp.Body)
	return string(b), why
}

// rest reads to the end of the connection.
func (p *peer) rest() string {
	b, err := io.ReadAll(p.r)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		b = append(b, " and no end"...)
	}
	return string(b)
}

// ask sends a request on a connection of its own and reads its response.
func ask(t testing.TB, address, request string) (*http.Response, string) {
	t.Helper()
	c := dial(t, address)
	c.send("%s", request)
	method, _, _ := strings.Cut(request, " ")
	return c.response(t, method)
}

// parseResponse reads a response that is there as a whole.
func parseResponse(t testing.TB, b []byte) (*http.Response, string) {
	t.Helper()
	return (&peer{r: bufio.NewReader(bytes.NewReader(b))}).response(t, "GET")
}
