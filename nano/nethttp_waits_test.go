package nano_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dyno.example/nano"
)

// pipes is a listener of connections that are in memory, so that time in a bubble of
// synctest goes on while both ends wait.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	p.conns <- theirs
	return ours, nil
}

// TestBodiesKeepThePaceOverHTTP2: net/http has no limit for a client that sends a
// little now and then; MinRate is one. Time is that of a bubble.
func TestBodiesKeepThePaceOverHTTP2(t *testing.T) {
	const rate = 1000 // bytes per second
	for _, c := range []struct {
		name        string
		first, then int // bytes at once, and every second after that
		seconds     int // for which the body is sent
		status      int
		least, most time.Duration // when the response comes
	}{
		// The bucket holds 5 s at first.
		{"drips", 0, rate / 10, 60, 408, 5 * time.Second, 7 * time.Second},
		{"silent", 1, 0, 60, 408, 5 * time.Second, 7 * time.Second},
		{"keeps up", 0, rate, 60, 200, 60 * time.Second, 61 * time.Second},
		// What came fast pays for 30 s, not for the 100 s it would take at the rate.
		{"drips after a burst", 100 * rate, 1, 120, 408, 30 * time.Second, 32 * time.Second},
		{"is short", 1, rate / 10, 3, 200, 3 * time.Second, 4 * time.Second},
	} {
		for _, buffer := range []int{1, 1 << 20} { // the handler reads the body; it is read for the handler
			t.Run(c.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					app := nano.New(nano.Config{Logger: quiet, Limits: nano.Limits{MinRate: rate, ReadBody: 20 * time.Second, BufferBody: buffer}})
					app.Post("/echo", func(c nano.Ctx) error {
						b, err := c.Body()
						if err != nil {
							return err
						}
						return c.Bytes(200, "application/octet-stream", b)
					})
					var two http.Protocols
					two.SetUnencryptedHTTP2(true)
					ln := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
					server := &http.Server{Handler: app, Protocols: &two}
					go server.Serve(ln)
					transport := &http.Transport{Protocols: &two, DialContext: ln.dial}

					body, w := io.Pipe()
					var sent sync.WaitGroup
					sent.Go(func() {
						defer w.Close()
						w.Write(make([]byte, c.first))
						for range c.seconds {
							time.Sleep(time.Second)
							if _, err := w.Write(make([]byte, c.then)); err != nil {
								return // refused
							}
						}
					})
					began := time.Now()
					r, _ := http.NewRequest("POST", "http://a/echo", body)
					resp, err := transport.RoundTrip(r)
					took := time.Since(began)
					if err != nil {
						t.Fatal(err)
					}
					got, _ := io.ReadAll(resp.Body)
					resp.Body.Close()
					if resp.ProtoMajor != 2 || resp.StatusCode != c.status || took < c.least || took > c.most {
						t.Errorf("buffer %d: %s %d after %v, want %d after %v to %v", buffer, resp.Proto, resp.StatusCode, took, c.status, c.least, c.most)
					}
					if whole := c.first + c.seconds*c.then; c.status == 200 && len(got) != whole {
						t.Errorf("buffer %d: %d bytes of %d", buffer, len(got), whole)
					}
					body.Close()
					transport.CloseIdleConnections()
					server.Close()
					sent.Wait()
				})
			})
		}
	}
}
