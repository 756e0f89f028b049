package nano_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"dyno.example/nano"
)

// serveTLS serves app over TLS on a loopback port until the test ends. config may
// be nil; without certificates it gets one.
func serveTLS(t *testing.T, app *nano.App, config *tls.Config) (address string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if config == nil {
		config = &tls.Config{}
	}
	if config.GetCertificate == nil && len(config.Certificates) == 0 {
		pair, err := tls.LoadX509KeyPair(writePair(t, t.TempDir(), 1))
		if err != nil {
			t.Fatal(err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	listening(t, app, func() error { return app.ServeTLS(ln, config) })
	return ln.Addr().String()
}

// dialSecure connects by TLS, which offers HTTP/1.1. config may be nil.
func dialSecure(t *testing.T, address string, config *tls.Config) *client {
	t.Helper()
	c := dial(t, address)
	if config == nil {
		config = &tls.Config{NextProtos: []string{"http/1.1"}}
	}
	config.InsecureSkipVerify = true
	secure := tls.Client(c.Conn, config)
	if err := secure.Handshake(); err != nil {
		t.Fatalf("handshake: %v", err)
	}
	c.Conn = secure
	c.r.Reset(secure)
	return c
}

// Who speaks something else than TLS is let go, and nobody else notices.
func TestTLSGarbage(t *testing.T) {
	t.Parallel()
	log := &logLines{}
	app := nano.New(nano.Config{Loops: 1, Logger: slog.New(slog.NewTextHandler(log, nil))})
	app.Get("/", hello)
	at := serveTLS(t, app, nil)
	kept := dialSecure(t, at, nil)
	for _, garbage := range []string{
		get, "\x16\x03\x01\x00\x05hello", strings.Repeat("\x00", 1000),
		"\x15\x03\x01\x00\x02\x02\x28", // an alert: handshake_failure
		"\x16\x03\x01\xff\xff",
	} {
		c := dial(t, at)
		c.send(garbage)
		if _, err := io.Copy(io.Discard, c.Conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%q: the connection stays open", garbage)
		}
		kept.send(get)
		kept.want(200, "hello")
	}
	if !strings.Contains(log.String(), "TLS handshake") {
		t.Errorf("the log says nothing of it: %s", log)
	}
}

func TestTLSSessionsAreResumed(t *testing.T) {
	t.Parallel()
	app := nano.New(nano.Config{Logger: quiet})
	app.Get("/", hello)
	at := serveTLS(t, app, nil)
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		cache := tls.NewLRUClientSessionCache(0)
		for i := range 3 {
			c := dialSecure(t, at, &tls.Config{MaxVersion: version, ClientSessionCache: cache, ServerName: "localhost"})
			c.send(get)
			c.want(200, "hello") // the ticket has come with it
			if resumed := c.Conn.(*tls.Conn).ConnectionState().DidResume; resumed != (i > 0) {
				t.Errorf("%s, connection %d: resumed %v", tls.VersionName(version), i, resumed)
			}
			c.Close()
		}
	}
}

// Handlers of net/http see who the client is by its certificate.
func TestTLSClientCertificates(t *testing.T) {
	t.Parallel()
	pair, err := tls.LoadX509KeyPair(writePair(t, t.TempDir(), 7))
	if err != nil {
		t.Fatal(err)
	}
	app := nano.New(nano.Config{Logger: quiet})
	app.Get("/", nano.FromHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.TLS.PeerCertificates[0].SerialNumber, " ", r.TLS.ServerName, " ", tls.VersionName(r.TLS.Version))
	})))
	at := serveTLS(t, app, &tls.Config{ClientAuth: tls.RequireAnyClientCert})
	c := dialSecure(t, at, &tls.Config{Certificates: []tls.Certificate{pair}, ServerName: "localhost"})
	c.send(get)
	c.want(200, "7 localhost TLS 1.3")
	without := dialSecure(t, at, nil) // in TLS 1.3 the client learns of it when it reads
	if _, err := without.r.ReadByte(); err == nil || !strings.Contains(err.Error(), "certificate required") {
		t.Errorf("without a certificate: %v", err)
	}
}

// A certificate that takes long to get holds nobody else up.
func TestTLSBlockingCertificate(t *testing.T) {
	t.Parallel()
	pair, err := tls.LoadX509KeyPair(writePair(t, t.TempDir(), 1))
	if err != nil {
		t.Fatal(err)
	}
	asked, release := make(chan struct{}), make(chan struct{})
	app := nano.New(nano.Config{Loops: 1, Logger: quiet})
	app.Get("/", hello)
	at := serveTLS(t, app, &tls.Config{GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if h.ServerName == "slow.example" {
			close(asked)
			<-release
		}
		return &pair, nil
	}})
	kept := dialSecure(t, at, nil)
	slow := make(chan error, 1)
	go func() {
		c, err := tls.Dial("tcp", at, &tls.Config{ServerName: "slow.example", InsecureSkipVerify: true})
		if err == nil {
			err = c.Close()
		}
		slow <- err
	}()
	<-asked
	kept.send(get)
	kept.want(200, "hello")
	dialSecure(t, at, nil).Close()
	close(release)
	if err := <-slow; err != nil {
		t.Error(err)
	}
}

// TestRequestWithoutTLS: who speaks HTTP to a port of HTTPS is told, also when there is
// more to send than anybody reads; what is neither is let go without a word.
func TestRequestWithoutTLS(t *testing.T) {
	app := nano.New(nano.Config{Logger: quiet})
	app.Get("/", hello)
	at := serveTLS(t, app, nil)
	for _, request := range []string{
		get,
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("x", 100_000),
		"DELETE /x HTTP/1.1\r\nHost: a\r\n\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	} {
		c := dial(t, at)
		c.send(request)
		resp, body := c.respond("GET")
		if resp.StatusCode != 400 || !strings.Contains(body, "HTTPS") || resp.Header.Get("Content-Type") != "application/problem+json" || !resp.Close {
			t.Errorf("%.10q: %d %q", request, resp.StatusCode, body)
		}
		c.end()
	}
	for _, other := range []string{"hello, it's me\n", "\x00\x00\x00\x00\x00\x00"} {
		c := dial(t, at)
		c.send(other)
		if resp, err := http.ReadResponse(c.r, nil); err == nil {
			t.Errorf("%q: %s", other, resp.Status)
		}
	}
	for status, n := range app.Refused() {
		if status != 400 || n != 4 {
			t.Errorf("%d refusals of status %d, want 4 of 400", n, status)
		}
	}
	c := dialSecure(t, at, nil)
	c.send(get)
	c.want(200, "hello")
}
