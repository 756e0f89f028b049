package nano_test

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
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
)

// largeText shows where something is missing.
var largeText = func() string {
	var b strings.Builder
	for i := 0; b.Len() < 4<<20; i++ {
		fmt.Fprintf(&b, "%08d ", i)
	}
	return b.String()
}()

func hello(c nano.Ctx) error { return c.Text(200, "hello") }

// wireRoutes are handlers of all kinds. There is a file of the name.
func wireRoutes(app *nano.App, name string) {
	echo := func(c nano.Ctx) error {
		b, err := c.Body()
		if err != nil {
			return err
		}
		return c.Bytes(200, "text/plain", b)
	}
	stream := func(c nano.Ctx) error {
		return c.Stream(200, "text/plain", func(s *nano.Stream) error {
			for i := range 100 {
				if _, err := s.Write([]byte(largeText[i<<10 : (i+7)<<10])); err != nil {
					return err
				}
			}
			return nil
		})
	}
	app.Post("/echo", echo)
	app.Post("/spawned", echo, nano.OnGoroutine)
	app.Get("/large", func(c nano.Ctx) error { return c.Text(200, largeText) })
	app.Get("/file", func(c nano.Ctx) error { return c.File(name) })
	app.Get("/stream", stream)
	app.Get("/spawned", stream, nano.OnGoroutine)
	app.Get("/slow", func(c nano.Ctx) error { time.Sleep(3 * time.Millisecond); return c.Text(200, "slow") })
	app.Get("/cut", func(c nano.Ctx) error {
		return c.Stream(200, "text/plain", func(s *nano.Stream) error { return errors.New("on purpose") })
	})
	app.Get("/events", func(c nano.Ctx) error {
		return c.SSE(func(e *nano.Events) error {
			for i := range 5 {
				if err := e.Send(nano.Event{ID: fmt.Sprint(i), Data: "a\nb"}); err != nil {
					return err
				}
			}
			return nil
		})
	})
	app.Get("/panics", func(nano.Ctx) error { panic("on purpose") })
	app.Get("/hints", nano.FromHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</a>")
		w.WriteHeader(103)
		w.Header().Set("Trailer", "X-Sum")
		fmt.Fprint(w, r.Proto)
		w.Header().Set("X-Sum", "1")
	})))
	app.Post("/copied", nano.FromHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", r.Header.Get("Content-Length"))
		io.Copy(w, r.Body)
	})))
}

func getOf(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n" }

func post(path, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

const (
	last   = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
	chunks = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\npi\r\n2\r\nng\r\n0\r\nX-A: b\r\n\r\n"
)

// tlsWires are requests whose responses end with the connection.
var tlsWires = []struct {
	name, wire string
	piece      int // bytes a write, 0: all
}{
	{"one", last, 0},
	{"in bytes", get + last, 1},
	{"HTTP/1.0", "GET /stream HTTP/1.0\r\n\r\n", 0},
	{"head", "HEAD /large HTTP/1.1\r\nHost: a\r\n\r\n" + last, 0},
	{"pipelined", strings.Repeat(get, 300) + last, 0},
	{"pipelined in pieces", strings.Repeat(get, 100) + last, 333},
	{"pipelined with those that block", strings.Repeat(get+getOf("/slow"), 10) + last, 0},
	{"pipelined with goroutines", strings.Repeat(get+post("/spawned", "ping"), 20) + last, 0},
	{"pipelined large", strings.Repeat(get+getOf("/large"), 2) + last, 0},
	{"chunked", chunks + chunks + last, 0},
	{"chunked in bytes", chunks + last, 1},
	{"bodies in pieces", strings.Repeat(post("/echo", "0123456789"), 20) + last, 13},
	{"collected body", post("/echo", largeText[:60<<10]) + last, 5000},
	{"large body", post("/echo", largeText[:3<<20]) + last, 0},
	{"large body in pieces", post("/copied", largeText[:1<<20]) + last, 9000},
	{"too large", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\nabc", 0},
	{"not found", getOf("/none") + last, 0},
	{"streams", strings.Repeat(getOf("/stream")+getOf("/spawned"), 3) + last, 0},
	{"file", getOf("/file") + last, 0},
	{"part of a file", "GET /file HTTP/1.1\r\nHost: a\r\nRange: bytes=1000-3000000\r\n\r\n" + last, 0},
	{"parts of a file", "GET /file HTTP/1.1\r\nHost: a\r\nRange: bytes=1-3,100-90000\r\n\r\n" + last, 0},
	{"events", getOf("/events") + last, 0},
	{"interim", getOf("/hints") + last, 0},
	{"cut", get + getOf("/cut") + get, 0},
	{"panic", getOf("/panics") + last, 0},
	{"bad", get + "GET / HTTP/1.1\r\n\r\n" + get, 0},
	{"smuggled", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 0},
}

// steady takes out of responses what differs each time: dates and boundaries.
func steady(responses string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(responses, "\r\nDate: ")
		b.WriteString(before)
		if !found {
			break
		}
		_, responses, _ = strings.Cut(after, " GMT")
	}
	responses = b.String()
	if _, after, found := strings.Cut(responses, "boundary="); found {
		boundary, _, _ := strings.Cut(after, "\r\n")
		responses = strings.ReplaceAll(responses, boundary, "boundary")
	}
	return responses
}

// roundTrip sends the wire and returns what comes until the end.
func roundTrip(c *client, wire string, piece int) string {
	c.Helper()
	go func() {
		for rest := wire; rest != ""; {
			n := len(rest)
			if piece > 0 {
				n = min(n, piece)
			}
			if _, err := io.WriteString(c.Conn, rest[:n]); err != nil {
				return // the server has seen enough
			}
			rest = rest[n:]
		}
	}()
	b, err := io.ReadAll(c.r)
	if err != nil {
		c.Errorf("after %d bytes: %v", len(b), err)
	}
	return steady(string(b))
}

// Over TLS the same comes as without, whatever is asked in whatever pieces.
func TestTLSRespondsAsPlain(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "file.bin")
	if err := os.WriteFile(name, []byte(largeText), 0o600); err != nil {
		t.Fatal(err)
	}
	plain, _ := serve(t, nano.Config{Loops: 1}, func(app *nano.App) { wireRoutes(app, name) })
	app := nano.New(nano.Config{Loops: 1, Logger: quiet})
	app.Get("/", hello)
	wireRoutes(app, name)
	secure := serveTLS(t, app, nil)
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for _, tt := range tlsWires {
			t.Run(fmt.Sprintf("%s/%s", tls.VersionName(version), tt.name), func(t *testing.T) {
				want := roundTrip(dial(t, plain), tt.wire, tt.piece)
				got := roundTrip(dialSecure(t, secure, &tls.Config{MaxVersion: version}), tt.wire, tt.piece)
				if at := differ(got, want); at >= 0 {
					t.Errorf("%d bytes instead of %d, different from byte %d on: %.100q instead of %.100q",
						len(got), len(want), at, got[at:], want[at:])
				}
			})
		}
	}
}

// differ returns where two strings differ, -1 if they don't.
func differ(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) == len(b) {
		return -1
	}
	return n
}

// A client that reads slowly gets all of it.
func TestTLSSlowReader(t *testing.T) {
	t.Parallel()
	app := nano.New(nano.Config{Loops: 1, Logger: quiet})
	app.Get("/large", func(c nano.Ctx) error { return c.Text(200, largeText) })
	c := dialSecure(t, serveTLS(t, app, nil), nil)
	c.Conn.(*tls.Conn).NetConn().(*net.TCPConn).SetReadBuffer(64 << 10)
	c.send(strings.Repeat(getOf("/large"), 2))
	time.Sleep(50 * time.Millisecond)
	for range 2 {
		c.want(200, largeText)
	}
}

// A client that says that it has sent all gets its response, and then the end.
func TestTLSHalfClose(t *testing.T) {
	t.Parallel()
	app := nano.New(nano.Config{Logger: quiet})
	app.Get("/", hello)
	app.Get("/slow", func(c nano.Ctx) error { time.Sleep(5 * time.Millisecond); return hello(c) })
	at := serveTLS(t, app, nil)
	for _, wire := range []string{get, getOf("/slow"), get + getOf("/slow")} {
		c := dialSecure(t, at, nil)
		c.send(wire)
		if err := c.Conn.(*tls.Conn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		for range strings.Count(wire, "GET") {
			c.want(200, "hello")
		}
		c.end()
	}
}

// A handler that reads its body and responds at the same time does so over TLS.
func TestTLSFullDuplex(t *testing.T) {
	t.Parallel()
	app := nano.New(nano.Config{Logger: quiet})
	app.Post("/", nano.FromHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		read := make(chan int64)
		go func() {
			n, _ := io.Copy(io.Discard, r.Body)
			read <- n
		}()
		for range 100 {
			io.WriteString(w, largeText[:10000])
			http.NewResponseController(w).Flush()
		}
		fmt.Fprint(w, <-read)
	})))
	c := dialSecure(t, serveTLS(t, app, nil), nil)
	go io.WriteString(c.Conn, post("/", largeText[:3<<20]))
	resp, body := c.respond("POST")
	if resp.StatusCode != 200 || len(body) != 100*10000+len("3145728") || !strings.HasSuffix(body, "3145728") {
		t.Errorf("%d, %d bytes, %.20q at the end", resp.StatusCode, len(body), body[max(0, len(body)-20):])
	}
}

// A request's context ends when the client goes away, though nobody reads.
func TestTLSClientGone(t *testing.T) {
	t.Parallel()
	begun, gone := make(chan struct{}), make(chan error, 1)
	app := nano.New(nano.Config{Logger: quiet})
	app.Get("/", func(c nano.Ctx) error {
		close(begun)
		<-c.Done()
		gone <- c.Err()
		return c.Err()
	})
	c := dialSecure(t, serveTLS(t, app, nil), nil)
	c.send(get)
	<-begun
	c.Close()
	if err := <-gone; err == nil {
		t.Error("the context has not ended")
	}
}

// Another protocol goes on over the same TLS, with what was sent early.
func TestTLSHijack(t *testing.T) {
	t.Parallel()
	app := nano.New(nano.Config{Logger: quiet, Limits: nano.Limits{Connections: 1}})
	app.Get("/", hello)
	upgrade := func(c nano.Ctx) error {
		conn, early, err := c.Hijack()
		if err != nil {
			return err
		}
		go func() { // outlives the handler
			defer conn.Close()
			line, err := bufio.NewReader(io.MultiReader(bytes.NewReader(early), conn)).ReadString('\n')
			if err != nil {
				t.Error(err)
			}
			io.WriteString(conn, line+largeText)
		}()
		return nil
	}
	app.Get("/inline", upgrade)
	app.Get("/spawned", upgrade, nano.OnGoroutine)
	app.Get("/mounted", nano.FromHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		line, err := rw.ReadString('\n')
		if err != nil {
			t.Error(err)
		}
		io.WriteString(conn, line+largeText)
	})))
	at := serveTLS(t, app, nil)
	for _, path := range []string{"/inline", "/spawned", "/mounted"} {
		c := dialSecure(t, at, nil) // the one before has left, or the limit lets nobody in
		c.send(get + getOf(path) + "early ")
		c.want(200, "hello")
		c.send("late\n")
		b, err := io.ReadAll(c.r)
		if at := differ(string(b), "early late\n"+largeText); at >= 0 || err != nil {
			t.Errorf("%s: %d bytes, wrong from %d on, %v", path, len(b), at, err)
		}
		c.Close()
	}
}
