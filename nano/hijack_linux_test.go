package nano

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"testing"
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
