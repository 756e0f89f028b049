package nano_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
)

// brokenFilter is a coding that can't be made.
type brokenFilter struct{}

func (brokenFilter) Reset(io.Writer)           {}
func (brokenFilter) Write([]byte) (int, error) { return 0, errors.New("broken filter") }
func (brokenFilter) Flush() error              { return nil }
func (brokenFilter) Close() error              { return errors.New("broken filter") }

// TestAnErrorIsNeverASuccess: whatever goes wrong while an error is turned into a response, the
// client gets a status that says so.
func TestAnErrorIsNeverASuccess(t *testing.T) {
	unauthorized := nano.NewProblem(401, "no token")
	nan := func() error {
		p := nano.NewProblem(401, "no token")
		p.More = map[string]any{"score": math.NaN()}
		return p
	}
	for _, tt := range []struct {
		name    string
		handler nano.Handler
		errors  nano.ErrorHandler // nil: the default
		status  int               // 0: the connection is cut
		late    int               // of a detached handler, which nobody has seen any of, where that differs
	}{
		{"the error handler fails with the error", func(nano.Ctx) error { return unauthorized }, func(_ nano.Ctx, err error) error { return err }, 401, 0},
		{"with another", func(nano.Ctx) error { return unauthorized }, func(nano.Ctx, error) error { return errors.New("x") }, 401, 0},
		{"it returns nil without a response", func(nano.Ctx) error { return unauthorized }, func(nano.Ctx, error) error { return nil }, 401, 0},
		{"of an error without a status", func(nano.Ctx) error { return errors.New("x") }, func(nano.Ctx, error) error { return nil }, 500, 0},
		{"the status that the handler had set is void", func(c nano.Ctx) error { c.Status(201); return errors.New("x") }, func(nano.Ctx, error) error { return nil }, 500, 0},
		{"that of a Problem that is none", func(c nano.Ctx) error { return nano.NewProblem(200, "") }, func(nano.Ctx, error) error { return nil }, 500, 0},
		{"a Problem without a status", func(c nano.Ctx) error { return &nano.Problem{Title: "x"} }, nil, 500, 0},
		{"a status of the error handler's own", func(nano.Ctx) error { return unauthorized }, func(c nano.Ctx, _ error) error { c.Status(404); return nil }, 404, 0},
		{"what it says can't be encoded, and that is passed on", func(nano.Ctx) error { return unauthorized },
			func(c nano.Ctx, _ error) error { return c.JSON(401, math.NaN()) }, 401, 0},
		{"or forgotten", func(nano.Ctx) error { return unauthorized },
			func(c nano.Ctx, _ error) error { _ = c.JSON(200, math.NaN()); return nil }, 401, 0},
		{"the default can't encode the Problem", func(nano.Ctx) error { return nan() }, nil, 401, 0},
		{"the error handler panics", func(nano.Ctx) error { return unauthorized }, func(nano.Ctx, error) error { panic("x") }, 500, 0},
		{"it breaks a stream off", func(nano.Ctx) error { return unauthorized }, func(c nano.Ctx, _ error) error {
			return c.Stream(401, "text/plain", func(s *nano.Stream) error { s.WriteString("a"); return errors.New("x") })
		}, 0, 0},
		{"the handler breaks a stream off", func(c nano.Ctx) error {
			return c.Stream(200, "text/plain", func(s *nano.Stream) error { s.WriteString("a"); return unauthorized })
		}, nil, 0, 401},
		{"the response can't be coded, nor that of the error", func(c nano.Ctx) error {
			c.BeforeResponse(func(_ nano.Ctx, a *nano.Response) { a.Filter(brokenFilter{}) })
			return unauthorized
		}, nil, 401, 0},
		{"nor one that is empty", func(c nano.Ctx) error {
			c.BeforeResponse(func(_ nano.Ctx, a *nano.Response) { a.Filter(brokenFilter{}) })
			return nil
		}, nil, 500, 200},
		{"a hook panics each time", func(c nano.Ctx) error {
			c.BeforeResponse(func(nano.Ctx, *nano.Response) { panic("x") })
			return unauthorized
		}, nil, 500, 401},
		{"aborted", func(nano.Ctx) error { return nano.ErrAborted }, func(c nano.Ctx, err error) error { return c.Text(500, "own") }, 0, 0},
		{"aborted by the error handler", func(nano.Ctx) error { return unauthorized }, func(c nano.Ctx, err error) error { return nano.ErrAborted }, 0, 0},
		{"the error handler falls back", func(nano.Ctx) error { return unauthorized }, nano.DefaultErrorHandler, 401, 0},
	} {
		routes := func(app *nano.App) {
			app.Get("/x", tt.handler)
			app.Get("/away", tt.handler, nano.OnGoroutine)
			app.Get("/inside", tt.handler, nano.With(nano.FromHTTPMiddleware(func(h http.Handler) http.Handler { return h })))
			app.Get("/late", tt.handler, nano.With(func(next nano.Handler) nano.Handler {
				return func(c nano.Ctx) error { return c.Detached(c.Context(), 0, next) }
			}))
		}
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel() // shutting down takes a while
			wires, _ := onWires(t, nano.Config{ErrorHandler: tt.errors, Loops: 1}, routes)
			for _, path := range []string{"/x", "/away", "/inside", "/late"} {
				want := tt.status
				if path == "/late" && tt.late != 0 {
					want = tt.late
				}
				for _, wire := range wires {
					if status, _, err := wire.get(path); status != want {
						t.Errorf("%s on %s: %d (%v), want %d", path, wire.name, status, err, want)
					}
				}
			}
		})
	}
}

// TestBecauseIsLogged: the cause of a 5xx is for the log, that of a 4xx for who asks.
func TestBecauseIsLogged(t *testing.T) {
	for _, tt := range []struct {
		status int
		level  slog.Level
		logged bool
	}{{502, slog.LevelInfo, true}, {400, slog.LevelInfo, false}, {400, slog.LevelDebug, true}} {
		log := &logLines{}
		at, _ := serve(t, nano.Config{Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: tt.level}))}, func(app *nano.App) {
			app.Get("/x", func(nano.Ctx) error { return nano.NewProblem(tt.status, "").Because(errors.New("the backend burns")) })
		})
		c := dial(t, at)
		c.send(request("/x"))
		c.respond("GET")
		if got := strings.Contains(log.String(), "the backend burns"); got != tt.logged {
			t.Errorf("%d at %v: logged %v: %s", tt.status, tt.level, got, log)
		}
	}
}

// TestAbortedBodies: a body that its client doesn't send to the end is no failure
// of the service, however it is read.
func TestAbortedBodies(t *testing.T) {
	type form struct {
		A string `form:"a"`
	}
	for name, read := range map[string]nano.Handler{
		"Body":       func(c nano.Ctx) error { _, err := c.Body(); return err },
		"BodyReader": func(c nano.Ctx) error { _, err := io.Copy(io.Discard, c.BodyReader()); return err },
		"Bind":       func(c nano.Ctx) error { _, err := nano.Bind[struct{ A string }](c); return err },
		"Form":       func(c nano.Ctx) error { _, err := c.Form(); return err },
		"bound form": func(c nano.Ctx) error { _, err := nano.Bind[form](c); return err },
		"mounted": nano.FromHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.ReadAll(r.Body); err != io.ErrUnexpectedEOF {
				w.WriteHeader(500)
				return
			}
			w.WriteHeader(400)
		})),
	} {
		log := &logLines{}
		begun, ended := make(chan struct{}, 1), make(chan nano.Outcome, 8)
		wires, app := onWires(t, nano.Config{Limits: nano.Limits{BufferBody: 1, Body: 1 << 30}, Logger: slog.New(slog.NewTextHandler(log, nil))}, func(app *nano.App) {
			app.Post("/x", func(c nano.Ctx) error {
				begun <- struct{}{}
				c.AfterResponse(func(_ nano.Ctx, o nano.Outcome) { ended <- o })
				return read(c)
			})
		})
		std := httptest.NewServer(app)
		kind := "application/json"
		if strings.Contains(strings.ToLower(name), "form") {
			kind = "application/x-www-form-urlencoded"
		}
		for _, framing := range []string{"Content-Length: 100000\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\nffff\r\nabc"} {
			for _, to := range []string{wires[0].address, std.Listener.Addr().String()} {
				c := dial(t, to)
				c.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: " + kind + "\r\n" + framing)
				c.Conn.(*net.TCPConn).CloseWrite()
				<-begun
				o := <-ended
				if o.Status != 400 && o.Status != 0 || o.Status == 400 && name != "mounted" && !errors.Is(o.Err, context.Canceled) {
					t.Errorf("%s, %.20q: %+v", name, framing, o)
				}
			}
		}
		for _, wire := range wires {
			if !wire.http2 { // as above: the client sends nothing before its buffer is full
				continue
			}
			for _, length := range []int64{-1, 100_000} { // without one the handler starts at once
				body, w := io.Pipe()
				ctx, cancel := context.WithCancel(context.Background())
				r, _ := http.NewRequestWithContext(ctx, "POST", wire.url+"/x", body)
				r.Header.Set("Content-Type", kind)
				r.ContentLength = length
				go func() {
					io.WriteString(w, "abc")
					<-begun                           // there is nobody to be told before
					time.Sleep(10 * time.Millisecond) // in most cases the handler waits for more then
					cancel()
				}()
				if resp, err := wire.client.Do(r); err == nil {
					resp.Body.Close()
				}
				if o := <-ended; o.Status != 400 && o.Status != 0 && !(name == "mounted" && o.Gone) {
					t.Errorf("%s, %s, length %d: %+v", name, wire.name, length, o)
				}
				w.Close()
			}
		}
		std.Close()
		if strings.Contains(log.String(), "ERROR") {
			t.Errorf("%s: %s", name, log)
		}
	}
}

// TestResetDownloadsAreNoErrors: a client that resets its connection while it gets
// a response makes no line in the log.
func TestResetDownloadsAreNoErrors(t *testing.T) {
	log := &logLines{}
	ended := make(chan nano.Outcome, 8)
	wires, app := onWires(t, nano.Config{Logger: slog.New(slog.NewTextHandler(log, nil))}, func(app *nano.App) {
		app.Get("/x", func(c nano.Ctx) error {
			c.AfterResponse(func(_ nano.Ctx, o nano.Outcome) { ended <- o })
			return c.Stream(200, "text/plain", func(s *nano.Stream) error {
				for {
					if _, err := s.Write(make([]byte, 1<<16)); err != nil {
						return err
					}
				}
			})
		})
		app.Get("/sized", func(c nano.Ctx) error {
			c.AfterResponse(func(_ nano.Ctx, o nano.Outcome) { ended <- o })
			_ = c.StreamSized(200, "text/plain", 1<<30, func(s *nano.Stream) error {
				for {
					if _, err := s.Write(make([]byte, 1<<16)); err != nil {
						return err
					}
				}
			})
			return nil
		})
	})
	std := httptest.NewServer(app)
	defer std.Close()
	for _, to := range []string{wires[0].address, std.Listener.Addr().String()} {
		for _, path := range []string{"/x", "/sized"} {
			c := dial(t, to)
			c.send(request(path))
			if _, err := io.ReadFull(c.r, make([]byte, 1000)); err != nil {
				t.Fatal(err)
			}
			c.Conn.(*net.TCPConn).SetLinger(0)
			c.Close()
			if o := <-ended; !o.Gone {
				t.Errorf("%+v", o)
			}
		}
	}
	for _, wire := range wires {
		for _, path := range []string{"/x", "/sized"} {
			resp, err := wire.client.Get(wire.url + path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(resp.Body, make([]byte, 1000)); err != nil {
				t.Fatal(err)
			}
			resp.Body.Close() // HTTP/2: RST_STREAM; else the connection ends
			if o := <-ended; !o.Gone {
				t.Errorf("%s %s: %+v", wire.name, path, o)
			}
		}
	}
	if log.String() != "" {
		t.Error(log)
	}
}
