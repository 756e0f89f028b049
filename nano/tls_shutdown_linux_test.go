package nano_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"time"

	"dyno.example/nano"
)

// startTLS serves with TLS without shutting down at the end of the test. It returns when
// the app serves: one that is shut down before that refuses all.
func startTLS(t *testing.T, config nano.Config) (at string, app *nano.App) {
	t.Helper()
	certFile, keyFile := writePair(t, t.TempDir(), 1)
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", loopback()) // the test sees it closed
	if err != nil {
		t.Fatal(err)
	}
	config.Logger = quiet
	app = nano.New(config)
	app.Get("/", func(c nano.Ctx) error { return c.Text(200, "hello") })
	go app.ServeTLS(ln, &tls.Config{Certificates: []tls.Certificate{pair}})
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := overTLS(c); err != nil {
		t.Fatal(err)
	}
	return ln.Addr().String(), app
}

// overTLS does a handshake on a connection and one request.
func overTLS(nc net.Conn) error {
	nc.SetDeadline(time.Now().Add(time.Minute))
	c := tls.Client(nc, &tls.Config{InsecureSkipVerify: true})
	if _, err := io.WriteString(c, get); err != nil { // the handshake, too
		return err
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return err
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

// overTLSAndHTTP2 does so with a request of HTTP/2.
func overTLSAndHTTP2(nc net.Conn) error {
	nc.SetDeadline(time.Now().Add(time.Minute))
	var protocols http.Protocols
	protocols.SetHTTP2(true)
	transport := &http.Transport{
		Protocols: &protocols, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		DialContext: func(context.Context, string, string) (net.Conn, error) { return nc, nil },
	}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Get("https://" + nc.RemoteAddr().String())
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.ProtoMajor != 2 {
		return errors.New(resp.Proto)
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

// TestTLSShutdownServesHandshakes: clients that have connected when the app shuts
// down are served, wherever they stand: in the listener's queue, waiting to be let
// in, or in the middle of their handshake.
func TestTLSShutdownServesHandshakes(t *testing.T) {
	at, app := startTLS(t, nano.Config{Limits: nano.Limits{Connections: 2, Handshake: time.Minute, Drain: 2 * time.Minute}})
	var conns []net.Conn
	for range 10 { // two are let in, one waits for that, seven wait in the queue
		c, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		conns = append(conns, c)
	}
	done := make(chan error, 1)
	go func() { done <- app.Shutdown(context.Background()) }()
	for {
		c, err := net.Dial("tcp", at)
		if errors.Is(err, syscall.ECONNREFUSED) {
			break
		}
		if err == nil {
			c.Close()
		}
		time.Sleep(time.Millisecond)
	}
	for i, c := range conns {
		ask := overTLS
		if i%2 == 1 {
			ask = overTLSAndHTTP2
		}
		if err := ask(c); err != nil {
			t.Errorf("client %d: %v", i, err)
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
