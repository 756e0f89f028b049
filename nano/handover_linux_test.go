package nano_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/nano"
)

func request(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n" }

// TestHandlersThatBlock has handlers blocked in every way at once, while another
// connection of the same loop is served; all get their responses in the end.
func TestHandlersThatBlock(t *testing.T) {
	var (
		release = make(chan struct{})
		lock    sync.Mutex
		spin    atomic.Bool
	)
	spin.Store(true)
	ways := map[string]func(){
		"/channel": func() { <-release },
		"/mutex":   func() { lock.Lock(); defer lock.Unlock() },
		"/cpu": func() {
			for spin.Load() {
			}
		},
		"/sleep": func() {
			for spin.Load() {
				time.Sleep(time.Millisecond)
			}
		},
		"/yield": func() {
			for spin.Load() {
				runtime.Gosched()
			}
		},
	}
	for name, option := range map[string]nano.Option{
		"inline": nano.OnLoop, "spawn": nano.OnGoroutine, "auto": nano.With(),
	} {
		t.Run(name, func(t *testing.T) {
			release, spin = make(chan struct{}), atomic.Bool{}
			spin.Store(true)
			lock.Lock()
			at, _ := serve(t, nano.Config{Loops: 1}, func(app *nano.App) {
				for path, block := range ways {
					app.Get(path, func(c nano.Ctx) error { block(); return c.Text(200, string(c.Path())) }, option)
				}
			})
			blocked := make(map[string]*client)
			for path := range ways {
				c := dial(t, at)
				c.send(get + request(path) + get)
				c.want(200, "hello") // a complete response doesn't wait for the blocked one
				blocked[path] = c
			}
			other := dial(t, at)
			for range 5 {
				other.send(get)
				other.want(200, "hello")
			}
			spin.Store(false)
			lock.Unlock()
			close(release)
			for path, c := range blocked {
				c.want(200, path)
				c.want(200, "hello")
			}
		})
	}
}

// TestOneProcessor runs the tests of blocking handlers with GOMAXPROCS=1.
func TestOneProcessor(t *testing.T) {
	if os.Getenv("GOMAXPROCS") == "1" {
		t.Skip("is running with one")
	}
	t.Parallel() // it waits for processes, most of its time
	cmd := exec.Command(os.Args[0], "-test.run=^(TestHandlersThatBlock|TestServe|TestPipelining|TestShutdown.*|TestStream.*)$")
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// A route whose handlers blocked starts on goroutines of its own: further
// requests don't cost the loop anything.
func TestBlockingRouteIsMoved(t *testing.T) {
	var onLoop atomic.Int64
	at, _ := serve(t, nano.Config{Loops: 1}, func(app *nano.App) {
		app.Get("/sleep", func(c nano.Ctx) error {
			if onStack(".serveInline") {
				onLoop.Add(1)
			}
			time.Sleep(5 * time.Millisecond)
			return c.Text(200, "slept")
		})
	})
	c := dial(t, at)
	began := func() int64 { // of so many requests on the loop
		before := onLoop.Load()
		c.send(request("/sleep"))
		c.want(200, "slept")
		return onLoop.Load() - before
	}
	// It is moved when two have blocked. Those don't count of which the watchdog sees
	// nothing, as a busy machine has it come late.
	for end := time.Now().Add(30 * time.Second); began() > 0; {
		if time.Now().After(end) {
			t.Fatalf("%d requests began on the loop", onLoop.Load())
		}
	}
	if n := onLoop.Load(); n < 2 {
		t.Errorf("%d requests began on the loop, want 2", n)
	}
	for range 10 {
		if began() > 0 {
			t.Error("a request begins on the loop again")
		}
	}
}

func onStack(name string) bool {
	b := make([]byte, 8<<10)
	return strings.Contains(string(b[:runtime.Stack(b, false)]), name)
}

func TestContextEndsWhenTheClientGoes(t *testing.T) {
	begun, causes := make(chan struct{}), make(chan error, 1)
	for name, option := range map[string]nano.Option{"auto": nano.With(), "spawn": nano.OnGoroutine} {
		at, _ := serve(t, nano.Config{}, func(app *nano.App) {
			app.Get("/wait", func(c nano.Ctx) error {
				begun <- struct{}{}
				<-c.Done()
				causes <- context.Cause(c.Context())
				return nano.ErrAborted
			}, option)
		})
		c := dial(t, at)
		c.send(request("/wait"))
		<-begun
		c.Close()
		if err := <-causes; !errors.Is(err, nano.ErrClientGone) {
			t.Errorf("%s: cause %v", name, err)
		}
	}
}

// A handler that ends its goroutine ends its connection, nothing else.
func TestGoexit(t *testing.T) {
	at, _ := serve(t, nano.Config{Loops: 1}, func(app *nano.App) {
		app.Get("/exit", func(nano.Ctx) error { runtime.Goexit(); return nil })
		app.Get("/exit/spawned", func(nano.Ctx) error { runtime.Goexit(); return nil }, nano.OnGoroutine)
	})
	for _, path := range []string{"/exit", "/exit/spawned"} {
		c := dial(t, at)
		c.send(request(path))
		c.end()
		c = dial(t, at)
		c.send(get)
		c.want(200, "hello")
	}
}

// TestStreamedBody: a body larger than what is collected is read by the handler,
// with back-pressure, whether the client waits for "100 Continue" or not.
func TestStreamedBody(t *testing.T) {
	var got atomic.Int64
	at, _ := serve(t, nano.Config{Limits: nano.Limits{BufferBody: 1000, Body: 1 << 30}}, func(app *nano.App) {
		app.Post("/count", func(c nano.Ctx) error {
			n, err := io.Copy(io.Discard, c.BodyReader())
			if got.Store(n); err != nil {
				return err
			}
			return c.Text(200, "counted")
		})
		app.Post("/ignore", func(c nano.Ctx) error { return c.Text(200, "ignored") })
	})
	const size = 3 << 20
	body := strings.Repeat("x", size)
	for name, wire := range map[string]string{
		"length":  "POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 3145728\r\n\r\n" + body,
		"chunked": "POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n300000\r\n" + body + "\r\n0\r\n\r\n",
	} {
		c := dial(t, at)
		go io.WriteString(c.Conn, wire+get)
		c.want(200, "counted")
		c.want(200, "hello")
		if got.Load() != size {
			t.Errorf("%s: %d bytes, want %d", name, got.Load(), size)
		}
	}
	c := dial(t, at)
	c.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\nExpect: 100-continue\r\n\r\n")
	if line, _ := c.r.ReadString('\n'); line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("got %q", line)
	}
	c.r.ReadString('\n')
	c.send(body[:2000])
	c.want(200, "counted")

	c = dial(t, at)
	c.send("POST /ignore HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n")
	if !c.want(200, "ignored").Close {
		t.Error("a connection with an unread body must be closed")
	}
}

// TestContextMayBeAskedLater: what was given a Ctx as its context may ask it from
// other goroutines while the request ends, and after that.
func TestContextMayBeAskedLater(t *testing.T) {
	const requests = 300
	asked := make(chan struct{}, requests)
	at, _ := serve(t, nano.Config{}, func(app *nano.App) {
		app.Get("/ctx", func(c nano.Ctx) error {
			ctx, cancel := context.WithCancel(c)
			go func() {
				for c.Err() == nil {
					<-time.After(time.Microsecond)
					c.Value("key")
				}
				<-c.Done()
				<-ctx.Done()
				c.Deadline()
				cancel()
				asked <- struct{}{}
			}()
			return c.Text(200, "asked")
		})
	})
	c := dial(t, at)
	for range requests {
		c.send(request("/ctx"))
		c.want(200, "asked")
	}
	for range requests {
		<-asked
	}
}

// TestRequestBehindALateBody: what follows a body that came in by itself, to a
// handler that starts on a goroutine, waits for its response and is served once.
func TestRequestBehindALateBody(t *testing.T) {
	release := make(chan struct{})
	var served atomic.Int64
	at, _ := serve(t, nano.Config{Loops: 1}, func(app *nano.App) {
		app.Post("/first", func(c nano.Ctx) error { <-release; return c.Text(200, "first") }, nano.OnGoroutine)
		app.Get("/second", func(c nano.Ctx) error { served.Add(1); return c.Text(200, "second") })
	})
	c, other := dial(t, at), dial(t, at)
	c.send("POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
	if line, _ := c.r.ReadString('\n'); line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("got %q", line)
	}
	c.r.ReadString('\n')
	c.send("body" + request("/second"))
	for range 2 { // when the loop responds to another client it has seen both
		other.send(get)
		other.want(200, "hello")
	}
	close(release)
	c.want(200, "first")
	c.want(200, "second")
	c.send(get)
	c.want(200, "hello")
	if n := served.Load(); n != 1 {
		t.Errorf("the second request was served %d times", n)
	}
}

// TestBodyTooLargeStays: who reads on after the error gets no more of the body.
func TestBodyTooLargeStays(t *testing.T) {
	type end struct {
		n   int
		err error
	}
	ends := make(chan end, 8)
	at, _ := serve(t, nano.Config{Limits: nano.Limits{BufferBody: 10, Body: 1000}}, func(app *nano.App) {
		app.Post("/read", func(c nano.Ctx) error {
			from, p := c.BodyReader(), make([]byte, 4096)
			for range 4 {
				n, err := from.Read(p)
				ends <- end{n, err}
			}
			return c.NoContent(204)
		})
	})
	c := dial(t, at)
	c.send("POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + "14\r\n" + strings.Repeat("a", 20) + "\r\n")
	if first := <-ends; first.n != 20 || first.err != nil {
		t.Fatalf("got %d bytes, %v", first.n, first.err)
	}
	c.send("1000\r\n" + strings.Repeat("b", 0x1000) + "\r\n0\r\n\r\n")
	total := 20
	var last error
	for range 3 {
		e := <-ends
		total, last = total+e.n, e.err
	}
	if total > 1000 || !errors.Is(last, nano.ErrBodyTooLarge) {
		t.Errorf("%d bytes, then %v", total, last)
	}
}
