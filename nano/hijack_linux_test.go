package nano

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"

	"golang.org/x/sys/unix"
)

// TestHijack takes connections away from the loop, with what the client sent
// early, from handlers on the loop and elsewhere.
func TestHijack(t *testing.T) {
	for name, option := range map[string]Option{"inline": OnLoop, "spawned": OnGoroutine} {
		app := New(Config{Loops: 1})
		app.Get("/", func(c Ctx) error {
			conn, early, err := c.live().hijack()
			if err != nil {
				return err
			}
			go func() { // outlives the handler
				defer conn.Close()
				line, err := bufio.NewReader(io.MultiReader(bytes.NewReader(early), conn)).ReadString('\n')
				if err != nil {
					t.Error(err)
				}
				io.WriteString(conn, line)
			}()
			return nil
		}, option)
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		at := ln.Addr().String()
		ended := make(chan error, 1)
		go func() { ended <- app.Serve(ln) }()
		c, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\nearly ")
		io.WriteString(c, "late\n")
		if b, err := io.ReadAll(c); string(b) != "early late\n" || err != nil {
			t.Errorf("%s: got %q %v", name, b, err)
		}
		c.Close()
		if err := app.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// A client that has gone before it is told that the protocol changes is an error, no panic: the
// connection that the handler had taken is closed.
func TestSwitchForAClientThatIsGone(t *testing.T) {
	app := New(Config{Loops: 1})
	begun, outcome := make(chan bool), make(chan any)
	app.Get("/", func(c Ctx) error {
		defer func() {
			if why := recover(); why != nil {
				outcome <- why
			}
		}()
		begun <- true
		<-c.Done()
		conn, _, err := c.SwitchProtocols(http.Header{"Connection": {"upgrade"}, "Upgrade": {"other"}})
		if conn != nil {
			conn.Close()
		}
		outcome <- err
		return err
	}, OnGoroutine)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- app.Serve(ln) }()
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n")
	<-begun
	c.(*net.TCPConn).SetLinger(0)
	c.Close()
	if err, ok := (<-outcome).(error); !ok || !errors.Is(err, unix.ECONNRESET) && !errors.Is(err, unix.EPIPE) {
		t.Errorf("it ends by %v", err)
	}
	if err := app.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
