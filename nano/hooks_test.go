package nano

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// doubler is a filter that writes everything twice and keeps it until flushed.
type doubler struct {
	next io.Writer
	kept []byte
}

func (d *doubler) Reset(next io.Writer) { d.next, d.kept = next, nil }
func (d *doubler) Write(p []byte) (int, error) {
	d.kept = append(append(d.kept, p...), p...)
	return len(p), nil
}
func (d *doubler) Flush() error {
	_, err := d.next.Write(d.kept)
	d.kept = nil
	return err
}
func (d *doubler) Close() error {
	d.kept = append(d.kept, '.')
	return d.Flush()
}

// streamed responds with parts.
func streamed(length int64, parts ...string) Handler {
	return func(c Ctx) error {
		x := c.live()
		x.Status, x.begun = 200, true
		if err := x.Wire.Begin(&x.Exchange, length); err != nil {
			return err
		}
		for _, p := range parts {
			if _, err := x.Wire.Write(&x.Exchange, []byte(p)); err != nil {
				return err
			}
			if err := x.Wire.Flush(&x.Exchange); err != nil {
				return err
			}
		}
		return nil
	}
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// asker sends a request and returns the response and its body.
type asker func(method, path string) (*http.Response, string, error)

// wires serves an app both through net/http and by its own loop.
func wires(t *testing.T, app *App) map[string]asker {
	std := httptest.NewUnstartedServer(app)
	std.Config.ErrorLog = slog.NewLogLogger(quiet().Handler(), slog.LevelError)
	std.Start()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- app.Serve(ln) }()
	t.Cleanup(func() {
		std.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := app.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		<-ended
	})
	return map[string]asker{"net/http": askAt(t, std.URL), "loop": askAt(t, "http://"+ln.Addr().String())}
}

func askAt(t *testing.T, base string) asker {
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return func(method, path string) (*http.Response, string, error) {
		r, err := http.NewRequest(method, base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(r)
		if err != nil {
			return nil, "", err
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		return resp, string(b), err
	}
}

func TestHooks(t *testing.T) {
	outcomes := make(chan Outcome, 1)
	app := New(Config{Logger: quiet()})
	app.Use(func(next Handler) Handler {
		after := func(c Ctx, o Outcome) { o.Took = 0; outcomes <- o }
		before := func(c Ctx, a *Response) { c.SetHeader("Before", fmt.Sprint(a.Status(), " ", a.Length())) }
		return func(c Ctx) error { c.AfterResponse(after); c.BeforeResponse(before); return next(c) }
	})
	double := With(func(next Handler) Handler {
		return func(c Ctx) error {
			c.BeforeResponse(func(_ Ctx, a *Response) { a.Filter(&doubler{}); a.Filter(&doubler{}) })
			return next(c)
		}
	})
	failed := errors.New("failed")
	app.Get("/whole", func(c Ctx) error { return c.Text(200, "ab") })
	app.Get("/doubled", func(c Ctx) error { return c.Text(200, "ab") }, double)
	app.Get("/stream", streamed(-1, "ab", "c"))
	app.Get("/sized", streamed(3, "ab", "c"))
	app.Get("/doubled-stream", streamed(3, "ab", "c"), double)
	app.Get("/nothing", func(c Ctx) error { return nil })
	app.Get("/fails", func(c Ctx) error { return failed }, double)
	app.Get("/panics", func(c Ctx) error { panic("p") }, double)
	app.Get("/before-panics", func(c Ctx) error {
		c.BeforeResponse(func(Ctx, *Response) { panic("p") })
		return c.Text(200, "ab")
	})
	app.Get("/after-panics", func(c Ctx) error {
		c.AfterResponse(func(Ctx, Outcome) { panic("p") })
		return c.Text(200, "ab")
	})
	app.Get("/replaced", func(c Ctx) error {
		c.BeforeResponse(func(_ Ctx, a *Response) { a.SetStatus(203); a.Replace([]byte("xyz")) })
		return c.Text(200, "ab")
	})
	const sorry = `{"title":"Internal Server Error","status":500}`
	twice := func(s string) string { return s + s + "." }
	servers := wires(t, app)
	for _, tt := range []struct {
		method, path, before, body string
		o                          Outcome
		err                        string
	}{
		{"GET", "/whole", "200 2", "ab", Outcome{Status: 200, Size: 2}, ""},
		{"HEAD", "/whole", "200 2", "", Outcome{Status: 200}, ""},
		{"GET", "/doubled", "200 2", twice(twice("ab")), Outcome{Status: 200, Size: 11}, ""},
		{"GET", "/stream", "200 -1", "abc", Outcome{Status: 200, Size: 3}, ""},
		{"GET", "/sized", "200 3", "abc", Outcome{Status: 200, Size: 3}, ""},
		{"GET", "/doubled-stream", "200 3", "ababababcccc...", Outcome{Status: 200, Size: 15}, ""},
		{"GET", "/nothing", "200 0", "", Outcome{Status: 200}, ""},
		{"GET", "/fails", "500 46", twice(twice(sorry)), Outcome{Status: 500, Size: 187}, "failed"},
		{"GET", "/panics", "", "", Outcome{Status: 500}, "panic: p"},
		{"GET", "/before-panics", "", "", Outcome{Status: 500}, "panic: p"},
		{"GET", "/after-panics", "200 2", "ab", Outcome{Status: 200, Size: 2}, ""},
		{"GET", "/replaced", "203 3", "xyz", Outcome{Status: 203, Size: 3}, ""},
		{"GET", "/missing", "404 34", `{"title":"Not Found","status":404}`, Outcome{Status: 404, Size: 34}, "Not Found"},
	} {
		for wire, ask := range servers {
			for range 2 { // the exchange is reused
				resp, body, err := ask(tt.method, tt.path)
				if err != nil {
					t.Fatalf("%s %s over %s: %v", tt.method, tt.path, wire, err)
				}
				if got := resp.Header.Get("Before"); got != tt.before || body != tt.body {
					t.Errorf("%s %s over %s: %q %q, want %q %q", tt.method, tt.path, wire, got, body, tt.before, tt.body)
				}
				o, failed := <-outcomes, ""
				if o.Err != nil {
					failed, o.Err = o.Err.Error(), nil
				}
				if o != tt.o || failed != tt.err {
					t.Errorf("%s %s over %s: %+v %s, want %+v %s", tt.method, tt.path, wire, o, failed, tt.o, tt.err)
				}
			}
		}
	}
}

func TestHooksOfCutResponses(t *testing.T) {
	outcomes := make(chan Outcome, 1)
	app := New(Config{Logger: quiet()})
	after := func(c Ctx, o Outcome) { outcomes <- o }
	app.Use(func(next Handler) Handler {
		return func(c Ctx) error { c.AfterResponse(after); return next(c) }
	})
	app.Any("/aborted", func(c Ctx) error { return ErrAborted })
	app.Any("/late", func(c Ctx) error {
		if err := streamed(-1, "ab")(c); err != nil {
			return err
		}
		return errors.New("failed")
	})
	servers := wires(t, app)
	for path, want := range map[string]Outcome{"/aborted": {Cut: true}, "/late": {Status: 200, Size: 2, Cut: true}} {
		for wire, ask := range servers {
			if _, _, err := ask("PATCH", path); err == nil { // which the client doesn't repeat
				t.Errorf("%s over %s: a response that is whole", path, wire)
			}
			if o := <-outcomes; o.Status != want.Status || o.Size != want.Size || !o.Cut || o.Err == nil {
				t.Errorf("%s over %s: %+v, want %+v", path, wire, o, want)
			}
		}
	}
}

func TestHooksDoNotAllocate(t *testing.T) {
	app := New(Config{Logger: quiet()})
	before, after := func(Ctx, *Response) {}, func(Ctx, Outcome) {}
	x := app.take(&bufferedWire{ctx: context.Background()})
	h := func(c Ctx) error {
		c.BeforeResponse(before)
		c.AfterResponse(after)
		return c.NoContent(204)
	}
	serve := func() { app.serve(x, h); x.Recycle() }
	serve()
	if n := testing.AllocsPerRun(100, serve); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestVary(t *testing.T) {
	app := New(Config{})
	app.Get("/", func(c Ctx) error {
		c.AddHeader("Vary", "Accept, Origin")
		c.Vary("Origin")
		c.Vary("Accept-Encoding")
		c.Vary("accept-encoding")
		return nil
	})
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if got := strings.Join(w.Header()["Vary"], "; "); got != "Accept, Origin; Accept-Encoding" {
		t.Errorf("Vary: %q", got)
	}
}

func TestSetContext(t *testing.T) {
	type key struct{}
	app := New(Config{})
	var kept context.Context
	app.Get("/", func(c Ctx) error {
		c.SetContext(context.WithValue(c.Context(), key{}, "v"))
		kept = c.Context()
		return c.Text(200, fmt.Sprint(c.Value(key{})))
	})
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Body.String() != "v" || kept.Err() == nil {
		t.Errorf("got %q, context ended: %v", w.Body, kept.Err())
	}
}

// TestHooksAfterTheResponse sets hooks when the response has begun, and panics: it must
// stay the only response, cut.
func TestHooksAfterTheResponse(t *testing.T) {
	outcomes := make(chan Outcome, 1)
	app := New(Config{Logger: quiet()})
	app.Get("/", func(c Ctx) error {
		if err := c.Text(201, "responded"); err != nil {
			return err
		}
		c.AfterResponse(func(_ Ctx, o Outcome) { outcomes <- o })
		panic("on purpose")
	})
	var b strings.Builder
	err := app.ServeBytes(context.Background(), netip.AddrPort{}, []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), &b)
	if n := strings.Count(b.String(), "HTTP/1.1 "); n != 1 || !errors.Is(err, ErrAborted) {
		t.Errorf("%d responses, %v:\n%s", n, err, b.String())
	}
	if o := <-outcomes; o.Status != 201 || !o.Cut {
		t.Errorf("outcome %+v", o)
	}
}
