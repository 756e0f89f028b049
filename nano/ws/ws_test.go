package ws_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
	"dyno.example/nano/ws"
)

func echo(ctx context.Context, conn *websocket.Conn) error {
	for {
		kind, message, err := conn.Read(ctx)
		if err != nil {
			return err
		}
		if err := conn.Write(ctx, kind, message); err != nil {
			return err
		}
	}
}

func newApp(o ws.Options) *nano.App {
	app := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler), Loops: 1})
	app.Get("/echo", ws.Handler(o, echo))
	app.Get("/fails", ws.Handler(o, func(context.Context, *websocket.Conn) error { return errors.New("on purpose") }))
	app.Get("/ends", ws.Handler(o, func(context.Context, *websocket.Conn) error { return nil }))
	return app
}

// serve runs the app on its own loops, and through net/http.
func serve(t *testing.T, app *nano.App) (urls []string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- app.Serve(ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := errors.Join(app.Shutdown(ctx), <-ended); err != nil {
			t.Error(err)
		}
	})
	std := httptest.NewServer(app)
	t.Cleanup(std.Close)
	return []string{"ws://" + ln.Addr().String(), "ws" + strings.TrimPrefix(std.URL, "http")}
}

func dial(t *testing.T, url string, o *websocket.DialOptions) (*websocket.Conn, context.Context) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	conn, _, err := websocket.Dial(ctx, url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseNow() })
	return conn, ctx
}

func TestEcho(t *testing.T) {
	for _, url := range serve(t, newApp(ws.Options{MaxMessage: 1000, Compression: true})) {
		for _, mode := range []websocket.CompressionMode{websocket.CompressionDisabled, websocket.CompressionNoContextTakeover} {
			conn, ctx := dial(t, url+"/echo", &websocket.DialOptions{CompressionMode: mode})
			for _, message := range []string{"", "hello", strings.Repeat("x", 1000)} {
				if err := conn.Write(ctx, websocket.MessageText, []byte(message)); err != nil {
					t.Fatal(err)
				}
				if _, got, err := conn.Read(ctx); err != nil || string(got) != message {
					t.Fatalf("got %q %v", got, err)
				}
			}
			if err := conn.Write(ctx, websocket.MessageText, make([]byte, 1001)); err != nil {
				t.Fatal(err)
			}
			if _, _, err := conn.Read(ctx); websocket.CloseStatus(err) != websocket.StatusMessageTooBig {
				t.Errorf("a message over the limit: %v", err)
			}
		}
		conn, ctx := dial(t, url+"/fails", nil)
		if _, _, err := conn.Read(ctx); websocket.CloseStatus(err) != websocket.StatusInternalError {
			t.Errorf("got %v", err)
		}
		conn, ctx = dial(t, url+"/ends", nil)
		if _, _, err := conn.Read(ctx); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
			t.Errorf("got %v", err)
		}
	}
}

func TestSilentClientIsLeft(t *testing.T) {
	url := serve(t, newApp(ws.Options{Ping: 5 * time.Millisecond, Pong: 20 * time.Millisecond}))[0]
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "ws://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	io.WriteString(conn, "GET /echo HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
	got, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 101 ") {
		t.Errorf("got %.60q %v, want the connection to be closed", got, err)
	}
}

// upgraded makes a WebSocket of a connection without a library.
func upgraded(t *testing.T, url, path string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "ws://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(time.Minute))
	io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
	if resp, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), nil); err != nil || resp.StatusCode != 101 {
		t.Fatalf("%v %v", resp, err)
	}
	return conn
}

// TestSilentInAMessage: a client whose message is refused and that sends no more
// of it doesn't keep the connection.
func TestSilentInAMessage(t *testing.T) {
	url := serve(t, newApp(ws.Options{MaxMessage: 10, Ping: -1, Pong: 50 * time.Millisecond}))[0]
	conn := upgraded(t, url, "/echo")
	// A masked frame of text (RFC 6455 5.2) that would have 2^32 bytes.
	conn.Write(append([]byte{0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}, "12345678901"...))
	if _, err := io.ReadAll(conn); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the connection is kept")
	}
}

// TestClientThatLeavesWithoutAWord is no failure of the handler.
func TestClientThatLeavesWithoutAWord(t *testing.T) {
	outcomes := make(chan nano.Outcome, 1)
	app := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler), Loops: 1})
	app.Use(func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			c.AfterResponse(func(_ nano.Ctx, o nano.Outcome) { outcomes <- o })
			return next(c)
		}
	})
	app.Get("/echo", ws.Handler(ws.Options{}, echo))
	upgraded(t, serve(t, app)[0], "/echo").Close()
	if o := <-outcomes; o.Status != 101 || o.Err != nil {
		t.Errorf("status %d, %v", o.Status, o.Err)
	}
}

func TestShutdownTellsClients(t *testing.T) {
	app := newApp(ws.Options{})
	conn, ctx := dial(t, serve(t, app)[0]+"/echo", nil)
	stopped := make(chan error, 1)
	go func() { stopped <- app.Shutdown(ctx) }()
	if _, _, err := conn.Read(ctx); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("got %v", err)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

func TestRefused(t *testing.T) {
	app := newApp(ws.Options{Origins: []string{"*.friends.example"}})
	const key = "AAAAAAAAAAAAAAAAAAAAAA=="
	shake := func(fields ...string) *nanotest.Response {
		r := nanotest.New(app).Get("/echo")
		for i := 0; i < len(fields); i += 2 {
			r.Header(fields[i], fields[i+1])
		}
		return r.Do()
	}
	upgrade := []string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", key}
	for _, tt := range []struct {
		name   string
		fields []string
		status int
	}{
		{"no upgrade", nil, 426},
		{"no key", upgrade[:6], 400},
		{"origin", append([]string{"Origin", "https://evil.example"}, upgrade...), 403},
		{"no connection to take", append([]string{"Origin", "https://a.friends.example"}, upgrade...), 500},
	} {
		if got := shake(tt.fields...); got.Status != tt.status || got.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s", tt.name, got.Status, got.Body)
		}
	}
	url := "http" + strings.TrimPrefix(serve(t, app)[0], "ws")
	resp, err := http.Get(url + "/echo")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 426 || resp.Header.Get("Upgrade") != "websocket" {
		t.Errorf("got %d %v", resp.StatusCode, resp.Header)
	}
}
