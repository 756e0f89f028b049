//go:build linux

package gateway_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/secure/securetest"
)

// tlsOf is the configuration of a listener that shows these certificates.
func tlsOf(files ...securetest.Files) string {
	var list []string
	for _, f := range files {
		list = append(list, fmt.Sprintf("{cert: %q, key: %q}", f.Cert, f.Key))
	}
	return "certificates: [" + strings.Join(list, ", ") + "]"
}

// securely serves routes over TLS, as "site.example".
func securely(t testing.TB, loops int, routes string) (address string, client *tls.Config) {
	t.Helper()
	ca := securetest.New(t)
	_, address = startLoops(t, loops, "tls: {"+tlsOf(ca.Issue("site", time.Hour, "site.example"))+"}\n"+routes)
	return address, &tls.Config{RootCAs: ca.Pool, ServerName: "site.example"}
}

// dialTLS connects to the gateway and does the handshake.
func dialTLS(t testing.TB, address string, config *tls.Config) *peer {
	t.Helper()
	c, err := tls.DialWithDialer(&net.Dialer{Timeout: patience}, "tcp", address, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(lifetime))
	return &peer{Conn: c, r: bufio.NewReader(c)}
}

// Requests over TLS are as those without, and the upstream hears of it.
func TestTLS(t *testing.T) {
	upstream := scripted(t, func(p *peer) {
		for {
			r, err := p.request()
			if err != nil {
				return
			}
			body := r.Header.Get("X-Forwarded-Proto") + " " + r.RequestURI + " " + r.body
			p.send("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		}
	})
	at, config := securely(t, 2, "routes: [{to: http://"+upstream+"}]\n")
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		config.MaxVersion = version
		c := dialTLS(t, at, config)
		for i := range 3 {
			c.send("POST /%d HTTP/1.1\r\nHost: site.example\r\nContent-Length: 2\r\n\r\nhiGET /next HTTP/1.1\r\nHost: site.example\r\n\r\n", i)
			for _, want := range []string{fmt.Sprintf("https /%d hi", i), "https /next "} {
				if resp, body := c.response(t, "GET"); resp.StatusCode != 200 || body != want {
					t.Errorf("%d %q, want %q", resp.StatusCode, body, want)
				}
			}
		}
		c.send("GET /last HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
		if resp, _ := c.response(t, "GET"); !resp.Close {
			t.Error("the connection would stay")
		}
		if _, err := c.Conn.Read(make([]byte, 1)); err != io.EOF { // ErrUnexpectedEOF without close_notify
			t.Errorf("at the end: %v", err)
		}
	}
	resp, body := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	if resp.StatusCode != 400 || !strings.Contains(body, "HTTPS only") || !resp.Close {
		t.Errorf("without TLS: %d %s", resp.StatusCode, body)
	}
}

// Large bodies go both ways whole over TLS, and so does what follows an upgrade.
func TestTLSLargeBodies(t *testing.T) {
	upstream := scripted(t, func(p *peer) {
		r, err := http.ReadRequest(p.r)
		if err != nil {
			return
		}
		if r.Header.Get("Upgrade") == "echo" {
			p.send("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\nhello ")
			io.Copy(p, p.r)
			return
		}
		p.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
		b := make([]byte, 100_000)
		for {
			n, err := r.Body.Read(b)
			if n > 0 {
				p.send("%x\r\n%s\r\n", n, b[:n])
			}
			if err != nil {
				break
			}
		}
		p.send("0\r\n\r\n")
	})
	at, config := securely(t, 2, "routes: [{to: http://"+upstream+"}]\n")
	body := bytes.Repeat([]byte("0123456789abcdef"), 200_000)
	transport := &http.Transport{TLSClientConfig: config}
	defer transport.CloseIdleConnections()
	for _, reader := range []io.Reader{bytes.NewReader(body), io.MultiReader(bytes.NewReader(body))} {
		resp, err := (&http.Client{Transport: transport}).Post("https://"+at+"/", "", reader)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !bytes.Equal(got, body) {
			t.Errorf("%d of %d bytes came back, %v", len(got), len(body), err)
		}
	}
	c := dialTLS(t, at, config)
	c.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n")
	if resp, err := http.ReadResponse(c.r, nil); err != nil || resp.StatusCode != 101 {
		t.Fatalf("%v %v", resp, err)
	}
	go func() {
		c.Write(body)
		c.Conn.(*tls.Conn).CloseWrite()
	}()
	if got := c.rest(); got != "hello "+string(body) {
		t.Errorf("%d bytes came through the tunnel", len(got))
	}
}

// Certificates are replaced under traffic, and a broken one changes nothing.
func TestTLSHotCertificates(t *testing.T) {
	ca := securetest.New(t)
	f := ca.Issue("site", time.Hour, "one", "site.example")
	text := "tls: {" + tlsOf(f) + "}\nroutes: [{respond: {body: fixed}}]\n"
	g, at := start(t, text)
	apply := func() {
		c, err := config.Parse("test.yaml", []byte("listen: 127.0.0.1:0\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		g.Apply(c)
	}
	kept := dialTLS(t, at, &tls.Config{RootCAs: ca.Pool, ServerName: "site.example"})
	var stop atomic.Bool
	var last atomic.Value // the common name that was shown last
	last.Store("")
	var clients sync.WaitGroup
	for range 2 {
		clients.Go(func() {
			for !stop.Load() {
				c, err := tls.DialWithDialer(&net.Dialer{Timeout: patience}, "tcp", at, &tls.Config{RootCAs: ca.Pool, ServerName: "site.example"})
				if err != nil {
					t.Error(err)
					return
				}
				c.SetDeadline(time.Now().Add(patience))
				io.WriteString(c, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
				b, err := io.ReadAll(c)
				if err != nil || !strings.HasSuffix(string(b), "fixed") {
					t.Errorf("%q, %v", b, err)
				}
				last.Store(c.ConnectionState().PeerCertificates[0].Subject.CommonName)
				c.Close()
			}
		})
	}
	is := func(want string) {
		t.Helper()
		for until := time.Now().Add(patience); last.Load() != want; time.Sleep(time.Millisecond) {
			if time.Now().After(until) || t.Failed() {
				t.Fatalf("%q is shown, want %q", last.Load(), want)
			}
		}
	}
	is("one")
	for _, name := range []string{"two", "three"} {
		ca.Issue("site", time.Hour, name, "site.example")
		apply()
		is(name)
		if err := os.WriteFile(f.Key, []byte("broken"), 0o600); err != nil {
			t.Fatal(err)
		}
		apply()
		last.Store("")
		is(name)
	}
	stop.Store(true)
	clients.Wait()
	kept.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	if _, body := kept.response(t, "GET"); body != "fixed" {
		t.Errorf("the connection from before: %q", body)
	}
}

// Clients come back by session tickets, unless the configuration says otherwise.
func TestTLSTickets(t *testing.T) {
	for _, want := range []bool{true, false} {
		ca := securetest.New(t)
		g, at := start(t, fmt.Sprintf("tls: {%s, tickets: %v}\nroutes: [{respond: {body: fixed}}]\n", tlsOf(ca.Issue("site", time.Hour, "site.example")), want))
		config := &tls.Config{RootCAs: ca.Pool, ServerName: "site.example", ClientSessionCache: tls.NewLRUClientSessionCache(1)}
		for i := range 2 {
			c := dialTLS(t, at, config)
			c.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
			c.response(t, "GET")
			if got := c.Conn.(*tls.Conn).ConnectionState().DidResume; got != (want && i == 1) {
				t.Errorf("tickets %v, connection %d: resumed %v", want, i, got)
			}
		}
		shakes := &g.Proxy().Shakes
		if done, resumed := shakes.Done.Load(), shakes.Resumed.Load(); done != 2 || (resumed == 1) != want {
			t.Errorf("counted %d handshakes, %d resumed", done, resumed)
		}
	}
}

// Who doesn't get on with its handshake is let go, and holds up others only as long as
// there are too many of them.
func TestTLSSlowHandshakes(t *testing.T) {
	ca := securetest.New(t)
	// How long a handshake takes that goes on is the machine's to say.
	for limit := 200 * time.Millisecond; !slowHandshakes(t, ca, limit); limit *= 2 {
		if limit > patience {
			t.Fatalf("nobody does a handshake in %v", limit)
		}
	}
}

// slowHandshakes sees those that take longer than a time let go. It reports whether one of
// a few others does its handshake in that time.
func slowHandshakes(t *testing.T, ca *securetest.Authority, limit time.Duration) bool {
	g, at := startLoops(t, 1, fmt.Sprintf("client: {handshake: %v, handshakes: 1}\ntls: {%s}\nroutes: [{respond: {body: fixed}}]\n", limit, tlsOf(ca.Issue("site", time.Hour, "site.example"))))
	silent, half, next := dial(t, at), dial(t, at), dial(t, at)
	half.Write([]byte{22, 3, 1, 1, 0, 1})
	next.Write([]byte{22, 3, 1, 1, 0, 1})
	gone := dial(t, at)
	gone.Write([]byte{22, 3, 1})
	gone.Close()
	done := false
	for range 10 { // who comes while it is their turn may be let go, too
		c, err := tls.DialWithDialer(&net.Dialer{Timeout: patience}, "tcp", at, &tls.Config{RootCAs: ca.Pool, ServerName: "site.example"})
		if err != nil {
			continue
		}
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
		b, err := io.ReadAll(c)
		c.Close()
		if done = err == nil && strings.HasSuffix(string(b), "fixed"); done {
			break
		}
	}
	for name, p := range map[string]*peer{"silent": silent, "half a hello": half, "behind it": next} {
		if got := p.rest(); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if done {
		waitFor(t, "a handshake is counted", func() bool { return g.Proxy().Shakes.Done.Load() > 0 })
	}
	return done
}

// A client that takes nothing over TLS stops its upstream, as without.
func TestTLSBackPressure(t *testing.T) {
	var sent atomic.Int64
	stalled := make(chan bool, 1)
	upstream := scripted(t, func(p *peer) {
		p.request()
		p.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
		p.Conn.(*net.TCPConn).SetWriteBuffer(64 << 10)
		block := make([]byte, 64<<10)
		for {
			p.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
			n, err := p.Write(block)
			if sent.Add(int64(n)); err != nil {
				stalled <- true
				return
			}
		}
	})
	at, config := securely(t, 1, "routes: [{to: http://"+upstream+"}]\n")
	raw, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	raw.(*net.TCPConn).SetReadBuffer(64 << 10)
	c := tls.Client(raw, config)
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	c.Read(make([]byte, 1))
	<-stalled
	if n := sent.Load(); n > 64<<20 {
		t.Errorf("%d bytes were taken for a client that takes none", n)
	}
}

// A client that says goodbye over TLS takes its request with it, and a response that
// breaks off doesn't look whole.
func TestTLSEnds(t *testing.T) {
	arrived, ended := make(chan bool), make(chan bool)
	upstream := scripted(t, func(p *peer) {
		r, err := p.request()
		if err != nil {
			return
		}
		if r.RequestURI == "/cut" {
			p.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart")
			return
		}
		arrived <- true
		p.r.ReadByte()
		ended <- true
	})
	at, config := securely(t, 1, "routes: [{to: http://"+upstream+"}]\n")
	c := dialTLS(t, at, config)
	c.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	<-arrived
	c.Close()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the upstream goes on for nobody")
	}
	c = dialTLS(t, at, config)
	c.send("GET /cut HTTP/1.0\r\nHost: h\r\n\r\n")
	if got, err := c.broken(t); got != "part" || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a response that broke off: %q, %v", got, err)
	}
}

// Over TLS a request allocates nothing, but for what crypto/tls does for each read of a
// socket (24 bytes): here the gateway's and the test's own.
func TestTLSDoesNotAllocate(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes pools forget")
	}
	upstream := scripted(t, func(p *peer) {
		buf := make([]byte, 64<<10)
		response := []byte(ok)
		for {
			if _, err := p.Read(buf); err != nil {
				return
			}
			p.Write(response)
		}
	})
	at, config := securely(t, 1, "routes: [{to: http://"+upstream+"}]\n")
	c := dialTLS(t, at, config)
	request, got := []byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), make([]byte, len(ok))
	ask := func() {
		c.Conn.Write(request)
		if _, err := io.ReadFull(c.Conn, got); err != nil || string(got[:15]) != "HTTP/1.1 200 OK" {
			t.Fatalf("%v, %s", err, got)
		}
	}
	allocates(t, "over TLS", 2, ask)
}
