package nano_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"dyno.example/nano"
)

// start serves without shutting down at the end of the test.
func start(t *testing.T, config nano.Config, routes func(*nano.App)) (at string, app *nano.App, ended chan error) {
	t.Helper()
	ln, err := net.Listen("tcp", loopback()) // tests see it closed
	if err != nil {
		t.Fatal(err)
	}
	config.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	app = nano.New(config)
	app.Get("/", func(c nano.Ctx) error { return c.Text(200, "hello") })
	if routes != nil {
		routes(app)
	}
	ended = make(chan error, 1)
	go func() { ended <- app.Serve(ln) }()
	return ln.Addr().String(), app, ended
}

// TestShutdownUnderLoad shuts down while clients send as fast as they can: each
// request that was sent gets its response.
func TestShutdownUnderLoad(t *testing.T) {
	at, app, ended := start(t, nano.Config{}, func(app *nano.App) {
		app.Get("/slow", func(c nano.Ctx) error { time.Sleep(2 * time.Millisecond); return c.Text(200, "slow") })
	})
	shutDownUnderLoad(t, app, 20, func() *client { return dial(t, at) })
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", at); err == nil {
		t.Error("the address still responds")
	}
	if err := app.Listen(at); !errors.Is(err, nano.ErrServerClosed) {
		t.Errorf("Listen after Shutdown: %v", err)
	}
}

// shutDownUnderLoad shuts the app down while so many clients ask as fast as they
// can, half of them for what takes a while: each request that was sent gets its response.
func shutDownUnderLoad(t *testing.T, app *nano.App, n int, connect func() *client) {
	t.Helper()
	// A client that says nothing for so long is taken for an idle one, and a busy machine
	// may make it one.
	const idleGrace = 500 * time.Millisecond
	var clients, begun sync.WaitGroup
	var responded, lost atomic.Int64
	for i := range n {
		c, last := connect(), time.Now()
		wire := get
		if i%2 == 0 {
			wire = request("/slow")
		}
		begun.Add(1)
		clients.Go(func() {
			for n := 0; ; n++ {
				before := time.Now()
				_, err := io.WriteString(c.Conn, wire)
				late := time.Since(last) > idleGrace/2
				last = before
				var resp *http.Response
				if err == nil {
					resp, err = http.ReadResponse(c.r, nil)
				}
				if n == 0 {
					begun.Done()
				}
				if err != nil {
					if !late || n == 0 {
						lost.Add(1)
					}
					return
				}
				io.Copy(io.Discard, resp.Body)
				if responded.Add(1); resp.Close {
					return
				}
			}
		})
	}
	begun.Wait()
	time.Sleep(20 * time.Millisecond)
	if err := app.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	clients.Wait()
	if lost.Load() != 0 || responded.Load() == 0 {
		t.Errorf("%d requests lost, %d served", lost.Load(), responded.Load())
	}
}

// TestShutdownQueue: who waits in the listen queue is served, not reset.
func TestShutdownQueue(t *testing.T) {
	at, app, _ := start(t, nano.Config{Loops: 1, Limits: nano.Limits{Connections: 1}}, nil)
	first := dial(t, at)
	first.send(get)
	first.want(200, "hello")
	second := dial(t, at)
	second.send(get)
	done := make(chan error, 1)
	go func() { done <- app.Shutdown(context.Background()) }()
	second.want(200, "hello")
	first.end()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestShutdownCutsWhatLasts: handlers that don't end are told by their context
// and then left behind.
func TestShutdownCutsWhatLasts(t *testing.T) {
	begun, causes, release := make(chan struct{}), make(chan error, 1), make(chan struct{})
	at, app, ended := start(t, nano.Config{Limits: nano.Limits{Drain: 50 * time.Millisecond}}, func(app *nano.App) {
		app.Get("/wait", func(c nano.Ctx) error {
			begun <- struct{}{}
			<-c.Done()
			causes <- context.Cause(c.Context())
			return nil
		})
		app.Get("/forever", func(c nano.Ctx) error { begun <- struct{}{}; <-release; return nil })
	})
	defer close(release)
	for _, path := range []string{"/wait", "/forever"} {
		c := dial(t, at)
		c.send(request(path))
		<-begun
	}
	if err := app.Shutdown(context.Background()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shutdown: %v", err)
	}
	if err := <-causes; !errors.Is(err, nano.ErrDrainTimeout) {
		t.Errorf("cause %v", err)
	}
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Error("Serve doesn't return")
	}
}

// TestShutdownCutsWhoWaitsForClients: a handler that waits for a client that takes
// or sends nothing, without a limit, is told when the loops have ended.
func TestShutdownCutsWhoWaitsForClients(t *testing.T) {
	began, ends := make(chan struct{}, 2), make(chan error, 2)
	limits := nano.Limits{Drain: 50 * time.Millisecond, WriteStall: -1, ReadBody: -1, BufferBody: 10}
	at, app, ended := start(t, nano.Config{Limits: limits}, func(app *nano.App) {
		app.Get("/write", func(c nano.Ctx) error {
			return c.Stream(200, "text/plain", func(s *nano.Stream) error {
				began <- struct{}{}
				for {
					if _, err := s.Write(make([]byte, 1<<20)); err != nil {
						ends <- err
						return err
					}
				}
			})
		})
		app.Post("/read", func(c nano.Ctx) error {
			began <- struct{}{}
			_, err := io.ReadAll(c.BodyReader())
			ends <- err
			return err
		})
	})
	dial(t, at).send(request("/write"))
	dial(t, at).send("POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")
	<-began
	<-began
	time.Sleep(20 * time.Millisecond) // until both wait, or else they find out at once
	if err := app.Shutdown(context.Background()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shutdown: %v", err)
	}
	for range 2 {
		select {
		case err := <-ends:
			if err == nil {
				t.Error("a handler was not told")
			}
		case <-time.After(30 * time.Second):
			t.Fatal("a handler waits for ever")
		}
	}
	<-ended
}

// TestShutdownCutIsNoEnd: a client whose response ends with the connection sees that it is cut
// off, whether its handler waits or it takes nothing.
func TestShutdownCutIsNoEnd(t *testing.T) {
	began, release := make(chan struct{}, 2), make(chan struct{})
	at, app, ended := start(t, nano.Config{Limits: nano.Limits{Drain: 50 * time.Millisecond, WriteStall: -1}}, func(app *nano.App) {
		app.Get("/part", func(c nano.Ctx) error {
			return c.Stream(200, "text/plain", func(s *nano.Stream) error {
				s.Write([]byte("a part"))
				s.Flush()
				began <- struct{}{}
				<-release
				return nil
			})
		})
		app.Get("/large", func(c nano.Ctx) error {
			began <- struct{}{}
			return c.Bytes(200, "text/plain", make([]byte, 64<<20))
		})
	})
	defer close(release)
	var clients []*client
	for _, path := range []string{"/part", "/large"} {
		c := dial(t, at)
		c.send("GET " + path + " HTTP/1.0\r\n\r\n")
		clients = append(clients, c)
		<-began
	}
	if err := app.Shutdown(context.Background()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shutdown: %v", err)
	}
	for i, c := range clients {
		if got, err := io.ReadAll(c.Conn); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("client %d: %d bytes and %v", i, len(got), err)
		}
	}
	<-ended
}

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	app := nano.New(nano.Config{})
	app.Get("/", func(c nano.Ctx) error { return c.Text(200, "hello "+c.RemoteAddr().String()) })
	ended := make(chan error, 1)
	go func() { ended <- app.Listen("unix:" + path) }()
	for {
		if c, err := net.Dial("unix", path); err == nil {
			c.Close()
			break
		}
		time.Sleep(time.Millisecond)
	}
	c := dial(t, path)
	c.send(get)
	c.want(200, "hello invalid AddrPort")
	if err := errors.Join(app.Shutdown(context.Background()), <-ended); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the socket's file is left behind")
	}
}

// TestAbstractSocket: a socket without a file takes no file of its name away.
func TestAbstractSocket(t *testing.T) {
	t.Chdir(t.TempDir())
	name := "@nano-test-" + strconv.Itoa(os.Getpid())
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	app := nano.New(nano.Config{})
	ended := make(chan error, 1)
	go func() { ended <- app.Listen("unix:" + name) }()
	for {
		c, err := net.Dial("unix", name)
		if err == nil {
			io.WriteString(c, get)
			_, err = c.Read(make([]byte, 1)) // it serves now, and ends as one that has
			c.Close()
		}
		if err == nil {
			break
		}
		select {
		case err := <-ended:
			t.Fatal(err)
		case <-time.After(time.Millisecond):
		}
	}
	if err := errors.Join(app.Shutdown(context.Background()), <-ended); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(name); err != nil {
		t.Error("a file that is no socket was removed:", err)
	}
}

// loopback is an address of this machine that nobody else listens on. Connections begin at
// 127.0.0.1, so that none of them takes a port of it.
func loopback() string {
	return fmt.Sprintf("127.%d.%d.%d:0", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254))
}

// free is an address on which nobody listens.
func free(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", loopback())
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// TestListenOnAddress: each loop has a socket of its own on the same port.
func TestListenOnAddress(t *testing.T) {
	app := nano.New(nano.Config{Loops: 3})
	app.Get("/", func(c nano.Ctx) error { return c.Text(200, "hello") })
	at := free(t)
	ended := make(chan error, 1)
	go func() { ended <- app.Listen(at) }()
	for range 30 {
		var c net.Conn
		for {
			var err error
			if c, err = net.Dial("tcp", at); err == nil {
				break
			}
			select {
			case err := <-ended:
				t.Fatal(err)
			case <-time.After(time.Millisecond):
			}
		}
		io.WriteString(c, get)
		if resp, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || resp.StatusCode != 200 {
			t.Fatal(resp, err)
		}
		c.Close()
	}
	if err := errors.Join(app.Shutdown(context.Background()), <-ended); err != nil {
		t.Error(err)
	}
}
