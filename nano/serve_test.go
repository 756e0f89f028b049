package nano_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno.example/nano"
)

// logLines is a log that tests can read while it is written.
type logLines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// serve starts an app on a loopback port until the test ends. routes may be nil.
func serve(t *testing.T, config nano.Config, routes func(*nano.App)) (address string, app *nano.App) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = ln.Addr().String()
	return address, serveOn(t, ln, config, routes)
}

func serveOn(t *testing.T, ln net.Listener, config nano.Config, routes func(*nano.App)) *nano.App {
	t.Helper()
	if config.Logger == nil {
		config.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	app := nano.New(config)
	app.Get("/", func(c nano.Ctx) error { return c.Text(200, "hello") })
	if routes != nil {
		routes(app)
	}
	ended := make(chan error, 1)
	go func() { ended <- app.Serve(ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := app.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return app
}

// client is a raw connection to an app.
type client struct {
	*testing.T
	net.Conn
	r *bufio.Reader
}

func dial(t *testing.T, address string) *client {
	t.Helper()
	network := "tcp"
	if strings.HasPrefix(address, "/") {
		network = "unix"
	}
	c, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(2 * time.Minute)) // a test that hangs says where
	return &client{t, c, bufio.NewReader(c)}
}

func (c *client) send(s string) {
	c.Helper()
	if _, err := io.WriteString(c.Conn, s); err != nil {
		c.Fatal(err)
	}
}

// respond reads a response to a request of the method.
func (c *client) respond(method string) (*http.Response, string) {
	c.Helper()
	resp, err := http.ReadResponse(c.r, &http.Request{Method: method})
	if err != nil {
		c.Fatalf("no response: %v", err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		c.Fatalf("cut response: %v", err)
	}
	return resp, string(body)
}

// want reads a response and checks it.
func (c *client) want(status int, body string) *http.Response {
	c.Helper()
	resp, got := c.respond("GET")
	if resp.StatusCode != status || got != body {
		c.Fatalf("got %d %q, want %d %q", resp.StatusCode, got, status, body)
	}
	if _, err := http.ParseTime(resp.Header.Get("Date")); err != nil {
		c.Errorf("a response without a date: %v", err)
	}
	return resp
}

// end wants the connection to be closed without another byte.
func (c *client) end() {
	c.Helper()
	if b, err := c.r.ReadByte(); err != io.EOF {
		c.Fatalf("got %q %v, want the end of the connection", b, err)
	}
}

const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

func TestServe(t *testing.T) {
	at, _ := serve(t, nano.Config{}, func(app *nano.App) {
		app.Post("/echo", func(c nano.Ctx) error {
			b, err := c.Body()
			if err != nil {
				return err
			}
			return c.Bytes(200, "application/octet-stream", b)
		})
		app.Get("/panics", func(nano.Ctx) error { panic("on purpose") })
		app.Get("/empty", func(c nano.Ctx) error { return c.NoContent(204) })
	})
	const post = "POST /echo HTTP/1.1\r\nHost: a\r\n"
	large := strings.Repeat("0123456789abcdef", 1<<14) // more than is collected
	for _, tt := range []struct {
		name, wire, method string
		status             int
		body               string
		closes             bool
	}{
		{"get", get, "GET", 200, "hello", false},
		{"head", "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD", 200, "", false},
		{"no content", "GET /empty HTTP/1.1\r\nHost: a\r\n\r\n", "GET", 204, "", false},
		{"close", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "GET", 200, "hello", true},
		{"1.0", "GET / HTTP/1.0\r\n\r\n", "GET", 200, "hello", true},
		{"1.0 kept", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET", 200, "hello", false},
		{"length", post + "Content-Length: 4\r\n\r\nping", "POST", 200, "ping", false},
		{"chunked", post + "Transfer-Encoding: chunked\r\n\r\n2\r\npi\r\n2\r\nng\r\n0\r\n\r\n", "POST", 200, "ping", false},
		{"large", post + "Content-Length: 262144\r\n\r\n" + large, "POST", 200, large, false},
		{"large chunked", post + "Transfer-Encoding: chunked\r\n\r\n40000\r\n" + large + "\r\n0\r\n\r\n", "POST", 200, large, false},
		{"panic", "GET /panics HTTP/1.1\r\nHost: a\r\n\r\n", "GET", 500, "", false},
		{"bad", "GET / HTTP/1.1\r\n\r\n", "GET", 400, `{"title":"Bad Request","status":400,"detail":"HTTP/1.1 request without a Host field"}`, true},
	} {
		for _, piece := range []int{len(tt.wire), 7} {
			if piece == 7 && len(tt.wire) > 1<<16 {
				piece = 5000
			}
			c := dial(t, at)
			for rest := tt.wire; len(rest) > 0; {
				n := min(piece, len(rest))
				c.send(rest[:n])
				rest = rest[n:]
			}
			resp, body := c.respond(tt.method)
			if resp.StatusCode != tt.status || body != tt.body || resp.Header.Get("Date") == "" && !tt.closes {
				t.Errorf("%s in pieces of %d: %d %.40q %v", tt.name, piece, resp.StatusCode, body, resp.Header)
			}
			if tt.closes {
				c.end()
			} else {
				c.send(get)
				c.want(200, "hello")
			}
		}
	}
}

func TestPipelining(t *testing.T) {
	at, _ := serve(t, nano.Config{}, func(app *nano.App) {
		app.Get("/sleep", func(c nano.Ctx) error { time.Sleep(5 * time.Millisecond); return c.Text(200, "slept") })
	})
	c := dial(t, at)
	go io.WriteString(c.Conn, strings.Repeat(get, 1000))
	for range 1000 {
		c.want(200, "hello")
	}
	go io.WriteString(c.Conn, strings.Repeat(get+"GET /sleep HTTP/1.1\r\nHost: a\r\n\r\n", 10))
	for range 10 {
		c.want(200, "hello")
		c.want(200, "slept")
	}
}

func TestBlockedHandlerHoldsUpNobody(t *testing.T) {
	release := make(chan struct{})
	at, _ := serve(t, nano.Config{Loops: 1}, func(app *nano.App) {
		app.Get("/wait", func(c nano.Ctx) error { <-release; return c.Text(200, "waited") }, nano.OnLoop)
	})
	var waiting []*client
	for range 3 {
		c := dial(t, at)
		c.send(get + "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n" + get)
		c.want(200, "hello") // complete responses don't wait for the blocked one
		waiting = append(waiting, c)
	}
	other := dial(t, at)
	for range 10 {
		other.send(get)
		other.want(200, "hello")
	}
	close(release)
	for _, c := range waiting {
		c.want(200, "waited")
		c.want(200, "hello")
	}
}
