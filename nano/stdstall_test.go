package nano_test

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"dyno.example/nano"
)

// flood responds with more than sockets hold, and tells how that went.
func flood(over chan<- error) nano.Handler {
	return func(c nano.Ctx) error {
		return c.Stream(200, "application/octet-stream", func(s *nano.Stream) (err error) {
			piece := make([]byte, 1<<20)
			for range 64 {
				if err == nil {
					_, err = s.Write(piece)
				}
			}
			over <- err
			return err
		})
	}
}

// dialTLS serves app over TLS until the test ends, and connects to it by HTTP/1.1.
func dialTLS(t *testing.T, app *nano.App) net.Conn {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(writePair(t, t.TempDir(), 1))
	if err != nil {
		t.Fatal(err)
	}
	listening(t, app, func() error { return app.ServeTLS(ln, &tls.Config{Certificates: []tls.Certificate{pair}}) })
	c, err := tls.Dial("tcp", ln.Addr().String(), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// A client over TLS that reads nothing of a response is let go.
func TestWriteStallOverTLS(t *testing.T) {
	over := make(chan error, 1)
	app := nano.New(nano.Config{Logger: quiet, Limits: nano.Limits{WriteStall: 150 * time.Millisecond}})
	app.Get("/flood", flood(over))
	c := dialTLS(t, app)
	io.WriteString(c, "GET /flood HTTP/1.1\r\nHost: a\r\n\r\n")
	if err := <-over; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("writing to a client that doesn't read: %v, want the deadline", err)
	}
}

// Who took over the connection has no deadline of ours on it.
func TestNoStallAfterHijack(t *testing.T) {
	over := make(chan error, 1)
	app := nano.New(nano.Config{Logger: quiet, Limits: nano.Limits{WriteStall: 20 * time.Millisecond}})
	app.Get("/hijack", func(c nano.Ctx) error {
		nc, _, err := c.Hijack()
		if err != nil {
			over <- err
			return err
		}
		go func() {
			defer nc.Close()
			_, err := nc.Write(make([]byte, 64<<20))
			over <- err
		}()
		return nil
	})
	c := dialTLS(t, app)
	io.WriteString(c, "GET /hijack HTTP/1.1\r\nHost: a\r\n\r\n")
	time.Sleep(200 * time.Millisecond)
	if n, err := io.Copy(io.Discard, c); n != 64<<20 || err != nil {
		t.Errorf("read %d bytes, %v", n, err)
	}
	if err := <-over; err != nil {
		t.Errorf("writing: %v", err)
	}
}
