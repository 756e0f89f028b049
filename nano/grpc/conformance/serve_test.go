package conformance

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	gogrpc "google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"dyno.example/nano"
	"dyno.example/nano/grpc"
)

// serve serves an app, over TLS if secure, until the test ends.
func serve(t *testing.T, app *nano.App, secure *tls.Config) (address string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() {
		if secure != nil {
			served <- app.ServeTLS(ln, secure)
		} else {
			served <- app.Serve(ln)
		}
	}()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := app.Shutdown(ctx); err != nil {
			t.Errorf("shutting down: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serving: %v", err)
		}
	})
	return ln.Addr().String()
}

// newApp returns one that logs nothing.
func newApp() *nano.App {
	return nano.New(nano.Config{H2C: true, Logger: slog.New(slog.DiscardHandler)})
}

// testTLS returns what a server needs for TLS, and what a client needs that trusts it.
func testTLS(t *testing.T) (server, client *tls.Config) {
	s := httptest.NewTLSServer(nil) // it has a certificate for 127.0.0.1
	t.Cleanup(s.Close)
	server = &tls.Config{Certificates: s.TLS.Certificates}
	return server, s.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
}

// dial serves what register registers and connects to it.
func dial(t *testing.T, secure bool, register func(*grpc.Server)) *gogrpc.ClientConn {
	t.Helper()
	app := newApp()
	register(grpc.NewServer(app, grpc.Options{}))
	var server *tls.Config
	trust := insecure.NewCredentials()
	if secure {
		var client *tls.Config
		server, client = testTLS(t)
		trust = credentials.NewTLS(client)
	}
	conn, err := gogrpc.NewClient("passthrough:///"+serve(t, app, server), gogrpc.WithTransportCredentials(trust))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}
