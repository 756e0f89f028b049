package nano_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno.example/nano"
)

// HTTP over TLS has no goroutine per connection: it is the loops', whether the client
// offers HTTP/1.1, HTTP/2 or says nothing of protocols.
func TestTLSIsServedOnTheLoop(t *testing.T) {
	app := nano.New(nano.Config{Logger: quiet})
	app.Get("/", hello)
	at := serveTLS(t, app, nil)
	served := func() int {
		b := make([]byte, 16<<20)
		return strings.Count(string(b[:runtime.Stack(b, true)]), "net/http.(*conn).serve(")
	}
	before := served() // by other tests
	for _, offer := range [][]string{{"http/1.1"}, nil, {"http/1.1"}, nil} {
		c := dialSecure(t, at, &tls.Config{NextProtos: offer})
		c.send(get)
		c.want(200, "hello")
	}
	if n := served(); n > before {
		t.Errorf("net/http serves %d more connections", n-before)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Get("https://" + at)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.ProtoMajor != 2 {
		t.Errorf("%s for a client that offers HTTP/2", resp.Proto)
	}
}

// The limits of time hold over TLS.
func TestTLSSlowClients(t *testing.T) {
	const short = 150 * time.Millisecond
	limited := func(limits nano.Limits) (address string) {
		app := nano.New(nano.Config{Logger: quiet, Limits: limits})
		app.Get("/", hello)
		echo(app)
		return serveTLS(t, app, nil)
	}
	at, impatient := limited(nano.Limits{ReadHead: short, ReadBody: short, BufferBody: 100}), limited(nano.Limits{Idle: short})
	slowClients(t, func(t *testing.T, idle bool) *client {
		return dialSecure(t, map[bool]string{false: at, true: impatient}[idle], nil)
	})
	t.Run("part of a record", func(t *testing.T) {
		t.Parallel()
		c := dialSecure(t, impatient, nil)
		c.Conn.(*tls.Conn).NetConn().Write([]byte{23, 3, 3, 0, 100, 1, 2, 3})
		c.end()
	})
}

// A client that reads nothing of a whole response is let go.
func TestTLSResponseNotRead(t *testing.T) {
	app := nano.New(nano.Config{Logger: quiet, Limits: nano.Limits{WriteStall: 150 * time.Millisecond, Connections: 1}})
	app.Get("/", hello)
	echo(app)
	at := serveTLS(t, app, nil)
	c := dialSecure(t, at, nil)
	c.send(request("/big"))
	next := dialSecure(t, at, nil) // there is room when the first is gone
	next.send(get)
	next.want(200, "hello")
	if n, err := io.Copy(io.Discard, c.Conn); n >= 16<<20 || n == 0 {
		t.Errorf("%d bytes, %v: want a cut response", n, err)
	}
}

func TestTLSLimitsOfARequest(t *testing.T) {
	t.Parallel()
	app := nano.New(nano.Config{Logger: quiet, Limits: nano.Limits{Requests: 2, Head: 1 << 10}})
	app.Get("/", hello)
	at := serveTLS(t, app, nil)
	c := dialSecure(t, at, nil)
	c.send(get + get + get)
	if c.want(200, "hello").Close || !c.want(200, "hello").Close {
		t.Error("want Connection: close with the second response")
	}
	c.end()
	c = dialSecure(t, at, nil)
	c.send("GET / HTTP/1.1\r\nHost: a\r\nA: " + strings.Repeat("a", 2<<10))
	if resp, _ := c.respond("GET"); resp.StatusCode != 431 {
		t.Error(resp.Status)
	}
}

// Who has left over TLS makes room for others.
func TestTLSLimitsOfConnections(t *testing.T) {
	t.Parallel()
	for name, limits := range map[string]nano.Limits{"in all": {Connections: 2}, "of one address": {PerAddress: 2}} {
		t.Run(name, func(t *testing.T) {
			app := nano.New(nano.Config{Logger: quiet, Limits: limits})
			app.Get("/", hello)
			at := serveTLS(t, app, nil)
			ask := func(patience time.Duration) (net.Conn, error) {
				d := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				defer cancel()
				c, err := d.DialContext(ctx, "tcp", at)
				if err != nil {
					return nil, err
				}
				t.Cleanup(func() { c.Close() })
				c.SetDeadline(time.Now().Add(30 * time.Second))
				io.WriteString(c, get)
				_, err = c.Read(make([]byte, 1))
				return c, err
			}
			var open []net.Conn
			for range 2 {
				c, err := ask(30 * time.Second)
				if err != nil {
					t.Fatal(err)
				}
				open = append(open, c)
			}
			if _, err := ask(100 * time.Millisecond); err == nil {
				t.Fatal("a third connection was served")
			}
			for _, c := range open {
				c.Close()
			}
			for range 4 { // one after the other
				c, err := ask(30 * time.Second)
				for err != nil { // a hang ends by the test's time limit
					c, err = ask(30 * time.Second)
				}
				c.Close()
			}
		})
	}
}

// While the app shuts down, each request over TLS that was sent gets its response.
func TestTLSShutdownUnderLoad(t *testing.T) {
	t.Parallel()
	app := nano.New(nano.Config{Logger: quiet})
	app.Get("/", hello)
	app.Get("/slow", func(c nano.Ctx) error { time.Sleep(2 * time.Millisecond); return hello(c) })
	at := serveTLS(t, app, nil)
	idle := dialSecure(t, at, nil)
	shutDownUnderLoad(t, app, 10, func() *client { return dialSecure(t, at, nil) })
	idle.end()
}

// Who is still in the handshake when the shutdown begins is served.
func TestTLSShutdownInTheHandshake(t *testing.T) {
	pair, err := tls.LoadX509KeyPair(writePair(t, t.TempDir(), 1))
	if err != nil {
		t.Fatal(err)
	}
	asked, release := make(chan struct{}), make(chan struct{})
	app := nano.New(nano.Config{Logger: quiet})
	app.Get("/", hello)
	at := serveTLS(t, app, &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		close(asked)
		<-release
		return &pair, nil
	}})
	c := dial(t, at)
	secure := tls.Client(c.Conn, &tls.Config{InsecureSkipVerify: true})
	shook := make(chan error, 1)
	go func() { shook <- secure.Handshake() }()
	<-asked
	down := make(chan error, 1)
	go func() { down <- app.Shutdown(context.Background()) }()
	for late, err := net.Dial("tcp", at); err == nil; late, err = net.Dial("tcp", at) {
		late.Close() // until it stops accepting
	}
	close(release)
	if err := <-shook; err != nil {
		t.Fatal(err)
	}
	c.Conn = secure
	c.r.Reset(secure)
	c.send(get)
	c.want(200, "hello")
	c.Close()
	if err := <-down; err != nil {
		t.Error(err)
	}
}

// A shutdown ends though a handler doesn't, and though somebody waits to be let in.
func TestTLSShutdownCutsWhatLasts(t *testing.T) {
	t.Parallel()
	pair, err := tls.LoadX509KeyPair(writePair(t, t.TempDir(), 1))
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	begun, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	app := nano.New(nano.Config{Logger: quiet, Limits: nano.Limits{Connections: 1, Drain: 50 * time.Millisecond}})
	app.Get("/forever", func(c nano.Ctx) error { close(begun); <-release; return nil })
	ended := make(chan error, 1)
	go func() { ended <- app.ServeTLS(ln, &tls.Config{Certificates: []tls.Certificate{pair}}) }()
	at := ln.Addr().String()
	c := dialSecure(t, at, nil)
	c.send(request("/forever"))
	<-begun
	dial(t, at) // waits
	if err := app.Shutdown(context.Background()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shutdown: %v", err)
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the client is told %v", err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Error("ServeTLS doesn't return")
	}
}

// A listener that is served with TLS is taken over, as one without is: its owner's Close
// does nothing any more, and a shutdown frees the port.
func TestTLSListenerIsTakenOver(t *testing.T) {
	t.Parallel()
	pair, err := tls.LoadX509KeyPair(writePair(t, t.TempDir(), 1))
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", loopback())
	if err != nil {
		t.Fatal(err)
	}
	app := nano.New(nano.Config{Logger: quiet})
	app.Get("/", hello)
	ended := make(chan error, 1)
	go func() { ended <- app.ServeTLS(ln, &tls.Config{Certificates: []tls.Certificate{pair}}) }()
	at := ln.Addr().String()
	c := dialSecure(t, at, nil)
	c.send(request("/"))
	c.want(200, "hello")
	ln.Close()
	c = dialSecure(t, at, nil)
	c.send(request("/"))
	c.want(200, "hello")
	if err := app.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("ServeTLS: %v", err)
	}
	if late, err := net.Dial("tcp", at); err == nil {
		late.Close()
		t.Error("the port still takes clients")
	}
}

// wrapping is a listener whose connections do more than their sockets.
type wrapping struct{ net.Listener }

func (l wrapping) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return struct{ net.Conn }{c}, nil
}

func TestTLSOnOtherListeners(t *testing.T) {
	t.Parallel()
	pair, err := tls.LoadX509KeyPair(writePair(t, t.TempDir(), 1))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "s")
	unix, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	for at, ln := range map[string]net.Listener{path: unix, tcp.Addr().String(): wrapping{tcp}} {
		app := nano.New(nano.Config{Logger: quiet})
		app.Get("/", func(c nano.Ctx) error { return c.Text(200, c.Scheme()) })
		listening(t, app, func() error { return app.ServeTLS(ln, &tls.Config{Certificates: []tls.Certificate{pair}}) })
		c := dialSecure(t, at, nil)
		for range 3 {
			c.send(get)
			c.want(200, "https")
		}
	}
}
