package nano_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
)

// Callbacks of a configuration see who connects, and to where, as below net/http.
func TestTLSCallbacksSeeTheConnection(t *testing.T) {
	t.Parallel()
	pair, err := tls.LoadX509KeyPair(writePair(t, t.TempDir(), 1))
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan string, 1)
	config := func() *tls.Config {
		return &tls.Config{Certificates: []tls.Certificate{pair}, GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			_, ends := h.Context().Deadline()
			seen <- fmt.Sprint(h.Conn.RemoteAddr(), " ", h.Conn.LocalAddr(), " ", ends)
			return nil, nil
		}}
	}
	app := nano.New(nano.Config{Logger: quiet})
	app.Get("/", hello)
	at := serveTLS(t, app, config())
	c := dialSecure(t, at, nil)
	if got, want := <-seen, fmt.Sprint(c.LocalAddr(), " ", at, " true"); got != want {
		t.Errorf("over TCP: %s, want %s", got, want)
	}
	path := filepath.Join(t.TempDir(), "s")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	other := nano.New(nano.Config{Logger: quiet, Limits: nano.Limits{Handshake: -1}})
	other.Get("/", hello)
	listening(t, other, func() error { return other.ServeTLS(ln, config()) })
	dialSecure(t, path, nil)
	if got := <-seen; !strings.HasSuffix(got, " "+path+" false") {
		t.Errorf("over a unix socket: %q", got)
	}
}

// A callback that blocks keeps no client connected beyond the limit, and is told.
func TestTLSCallbackBlocksForTooLong(t *testing.T) {
	t.Parallel()
	told, release := make(chan struct{}), make(chan struct{})
	app := nano.New(nano.Config{Logger: quiet, Limits: nano.Limits{Handshake: 50 * time.Millisecond}})
	at := serveTLS(t, app, &tls.Config{GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
		<-h.Context().Done()
		close(told)
		<-release
		return nil, errors.New("too late")
	}})
	defer close(release)
	c := dial(t, at)
	if err := tls.Client(c.Conn, &tls.Config{InsecureSkipVerify: true}).Handshake(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("handshake: %v, want the end of the connection", err)
	}
	<-told
}

// Another protocol than those that loops speak is net/http's.
func TestTLSOtherProtocol(t *testing.T) {
	t.Parallel()
	app := nano.New(nano.Config{Logger: quiet, Limits: nano.Limits{Connections: 1}})
	app.Get("/", func(c nano.Ctx) error { return c.Text(200, c.RemoteAddr().String()+" "+c.Scheme()) })
	at := serveTLS(t, app, &tls.Config{NextProtos: []string{"http/1.0", "http/1.1"}})
	for range 2 { // the one before has left, or the limit lets nobody in
		c := dialSecure(t, at, &tls.Config{NextProtos: []string{"http/1.0"}})
		for range 2 {
			c.send(get)
			c.want(200, c.LocalAddr().String()+" https")
		}
		c.Close()
	}
}

// The header of a proxy comes before TLS, however it is cut, and names the client whose
// connections are counted.
func TestProxyProtocolBeforeTLSInPieces(t *testing.T) {
	t.Parallel()
	config := nano.Config{ProxyProtocol: true, Logger: quiet, Limits: nano.Limits{PerAddress: 1},
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	app := nano.New(config)
	app.Get("/who", who)
	at := serveTLS(t, app, nil)
	const header = "PROXY TCP4 1.2.3.%d 10.0.0.1 4660 80\r\n"
	ask := func(c net.Conn) (string, error) {
		secure := tls.Client(c, &tls.Config{InsecureSkipVerify: true})
		if _, err := io.WriteString(secure, "GET /who HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"); err != nil {
			return "", err
		}
		b, err := io.ReadAll(secure)
		return string(b), err
	}
	for i, piece := range []int{0, 1, 100} {
		c := &prefixed{Conn: dial(t, at).Conn, before: fmt.Sprintf(header, i), piece: piece}
		if got, err := ask(c); !strings.HasSuffix(got, fmt.Sprintf("1.2.3.%d:4660 https a", i)) {
			t.Errorf("client %d: %q %v", i, got, err)
		}
	}
	kept := dial(t, at)
	kept.send(fmt.Sprintf(header, 9))
	first := tls.Client(kept.Conn, &tls.Config{InsecureSkipVerify: true})
	if err := first.Handshake(); err != nil {
		t.Fatal(err)
	}
	if got, err := ask(&prefixed{Conn: dial(t, at).Conn, before: fmt.Sprintf(header, 9)}); err == nil {
		t.Errorf("a second connection of the client's: %q", got)
	}
	if got, err := ask(&prefixed{Conn: dial(t, at).Conn, before: "PROXY nonsense\r\n"}); err == nil {
		t.Errorf("with a malformed header: %q", got)
	}
}

// prefixed sends something with the first that it is given, all in pieces of a size; 0: at
// once.
type prefixed struct {
	net.Conn
	before string
	piece  int
}

func (c *prefixed) Write(p []byte) (int, error) {
	all := c.before + string(p)
	for c.before = ""; all != ""; {
		n := len(all)
		if c.piece > 0 {
			n = min(n, c.piece)
		}
		if _, err := io.WriteString(c.Conn, all[:n]); err != nil {
			return 0, err
		}
		all = all[n:]
	}
	return len(p), nil
}

// Connections with and without TLS are counted together.
func TestTLSCountsWithPlain(t *testing.T) {
	t.Parallel()
	app := nano.New(nano.Config{Logger: quiet, Limits: nano.Limits{PerAddress: 1}})
	app.Get("/", hello)
	at := serveTLS(t, app, nil)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listening(t, app, func() error { return app.Serve(ln) })
	plain := dial(t, ln.Addr().String())
	plain.send(get)
	plain.want(200, "hello")
	d := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if c, err := d.DialContext(ctx, "tcp", at); err == nil {
		c.Close()
		t.Error("a second connection of the address was let in")
	}
	plain.Close()
	for {
		if c, err := d.DialContext(ctx, "tcp", at); err == nil {
			c.Close()
			return
		}
		if ctx.Err() != nil {
			t.Fatal("who has left makes no room")
		}
	}
}
