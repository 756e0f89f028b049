package nano_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano"
)

// A client that has closed its own side still gets its responses.
func TestHalfClosedClient(t *testing.T) {
	at, _ := serve(t, nano.Config{}, func(app *nano.App) {
		app.Get("/sleep", func(c nano.Ctx) error { time.Sleep(5 * time.Millisecond); return c.Text(200, "slept") })
	})
	for _, wire := range []string{get + get, request("/sleep") + get, get + "GET / HT"} {
		c := dial(t, at)
		c.send(wire)
		c.Conn.(*net.TCPConn).CloseWrite()
		for range strings.Count(wire, "\r\n\r\n") {
			if resp, _ := c.respond("GET"); resp.StatusCode != 200 {
				t.Errorf("%q: %d", wire, resp.StatusCode)
			}
		}
		c.end()
	}
}

// A client that closed its side with its request, and then reads slowly, gets all
// of the response.
func TestHalfClosedSlowReader(t *testing.T) {
	const length = 16 << 20
	over := make(chan error, 1)
	at, _ := serve(t, nano.Config{}, func(app *nano.App) {
		app.Get("/long", func(c nano.Ctx) error {
			err := c.StreamSized(200, "text/plain", length, func(s *nano.Stream) error {
				_, err := s.Write(make([]byte, length))
				return err
			})
			over <- errors.Join(err, c.Context().Err())
			return err
		}, nano.OnGoroutine)
	})
	slow := dial(t, at)
	slow.send(get)
	slow.want(200, "hello") // the loop knows the connection
	cork(t, slow.Conn)
	slow.send(request("/long"))
	slow.Conn.(*net.TCPConn).CloseWrite() // it and the end are one segment
	resp, err := http.ReadResponse(slow.r, nil)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond) // until the sockets are full
	if n, err := io.Copy(io.Discard, resp.Body); n != length || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if err := <-over; err != nil {
		t.Errorf("the handler was told: %v", err)
	}
}

// cork has what is written to a connection wait until its side is closed.
func cork(t *testing.T, conn net.Conn) {
	t.Helper()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_CORK, 1) })
	if err = errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
}

// Clients that reset their connection at any time harm nobody else.
func TestResets(t *testing.T) {
	at, _ := serve(t, nano.Config{}, func(app *nano.App) {
		echo(app)
		app.Get("/stream", func(c nano.Ctx) error {
			return c.Stream(200, "text/plain", func(s *nano.Stream) error {
				for {
					if _, err := s.Write(bytes.Repeat([]byte("x"), 1<<15)); err != nil {
						return err
					}
				}
			})
		})
	})
	for _, wire := range []string{"", "GET", request("/big"), request("/stream"), postHead + "Content-Length: 9\r\n\r\nabc",
		postHead + "Content-Length: 900000\r\n\r\nabc", strings.Repeat(request("/big"), 5)} {
		for _, pause := range []time.Duration{0, 5 * time.Millisecond} {
			c := dial(t, at)
			c.send(wire)
			time.Sleep(pause)
			c.Conn.(*net.TCPConn).SetLinger(0)
			c.Close()
		}
	}
	c := dial(t, at)
	c.send(get)
	c.want(200, "hello")
}

// A handler that keeps another length than it announced can't confuse a client:
// what is too much isn't sent, and what is too little ends the connection.
func TestWrongLength(t *testing.T) {
	var second atomic.Value
	at, _ := serve(t, nano.Config{}, func(app *nano.App) {
		app.Get("/much", func(c nano.Ctx) error {
			return c.StreamSized(200, "text/plain", 3, func(s *nano.Stream) error {
				n, err := s.WriteString("abcdef")
				if n != 3 || err == nil {
					t.Errorf("Write of too much: %d, %v", n, err)
				}
				return nil
			})
		})
		app.Get("/little", func(c nano.Ctx) error {
			return c.StreamSized(200, "text/plain", 9, func(s *nano.Stream) error {
				_, err := s.WriteString("abc")
				return err
			})
		})
		app.Get("/twice", func(c nano.Ctx) error {
			c.Text(200, "once")
			second.Store(c.Text(200, "twice"))
			return nil
		})
		app.Get("/fails", func(c nano.Ctx) error {
			return c.Stream(200, "text/plain", func(s *nano.Stream) error {
				s.WriteString("abc")
				return io.ErrNoProgress
			})
		})
	})
	c := dial(t, at)
	c.send(request("/much") + request("/twice"))
	c.want(200, "abc")
	c.want(200, "once")
	if second.Load() != nano.ErrResponded {
		t.Errorf("a second response: %v", second.Load())
	}
	for _, path := range []string{"/little", "/fails"} {
		c := dial(t, at)
		c.send(get + request(path) + get)
		c.want(200, "hello")
		resp, err := http.ReadResponse(c.r, nil)
		if err != nil {
			continue // cut before its head was sent
		}
		if b, err := io.ReadAll(resp.Body); err == nil {
			t.Errorf("%s: %q looks whole", path, b)
		}
	}
}

// A client that reads slowly gets all of a large response, and holds up nobody.
func TestSlowReader(t *testing.T) {
	at, _ := serve(t, nano.Config{Loops: 1}, func(app *nano.App) {
		echo(app)
		app.Get("/stream", func(c nano.Ctx) error {
			return c.Stream(200, "text/plain", func(s *nano.Stream) error {
				for range 512 {
					if _, err := s.Write(bytes.Repeat([]byte("x"), 1<<15)); err != nil {
						return err
					}
				}
				return nil
			})
		})
	})
	for _, path := range []string{"/big", "/stream"} {
		slow, other := dial(t, at), dial(t, at)
		slow.send(request(path) + get)
		time.Sleep(10 * time.Millisecond)
		for range 5 {
			other.send(get)
			other.want(200, "hello")
		}
		if resp, body := slow.respond("GET"); resp.StatusCode != 200 || len(body) != 16<<20 {
			t.Errorf("%s: %d, %d bytes", path, resp.StatusCode, len(body))
		}
		slow.want(200, "hello")
	}
}
