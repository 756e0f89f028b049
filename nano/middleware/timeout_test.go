package middleware

import (
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno.example/nano"
)

func TestTimeout(t *testing.T) {
	for _, hard := range []bool{false, true} {
		a := app()
		g := a.With(Timeout(TimeoutConfig{After: 5 * time.Millisecond, Hard: hard}))
		g.Get("/late", func(c nano.Ctx) error {
			<-c.Done()
			if cause := context.Cause(c.Context()); cause != ErrTimeout && !errors.Is(cause, context.Canceled) {
				t.Errorf("cause: %v", cause)
			}
			return c.Err()
		})
		g = a.With(Timeout(TimeoutConfig{After: time.Hour, Hard: hard}))
		g.Get("/ok", func(c nano.Ctx) error {
			if _, ok := c.Deadline(); !ok {
				t.Error("no deadline")
			}
			c.SetHeader("Own", "1")
			return c.Text(201, "ok")
		})
		g.Get("/fails", func(c nano.Ctx) error { return nano.NewProblem(409, "") })
		g.Get("/panics", func(c nano.Ctx) error { panic("p") })
		for target, want := range map[string]int{"/late": 503, "/ok": 201, "/fails": 409, "/panics": 500} {
			if got := ask(a, "GET", target); got.Status != want || got.Header.Get("Own") != "" != (want == 201) {
				t.Errorf("hard %v: %s: %d", hard, target, got.Status)
			}
		}
		client, cancel := context.WithCancel(t.Context())
		cancel()
		func() {
			defer func() { recover() }() // net/http's way to close a connection
			w := httptest.NewRecorder()
			a.ServeHTTP(w, httptest.NewRequestWithContext(client, "GET", "/late", nil))
			if w.Code == 503 {
				t.Errorf("hard %v: a client that has gone timed out", hard)
			}
		}()
	}
	mustPanic(t, "no time", func() { Timeout(TimeoutConfig{}) })
}

// TestHardTimeout has handlers that know no deadline respond in many ways while
// their clients have long been told, and other requests are served.
func TestHardTimeout(t *testing.T) {
	var late sync.WaitGroup
	release := make(chan struct{})
	quiet := AccessLogConfig{Logger: slog.New(slog.DiscardHandler)}
	a := app(RequestID(RequestIDConfig{}), AccessLog(quiet))
	handler := func(respond nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			defer late.Done()
			<-release
			c.SetHeader("Late", c.Path().String())
			ID.Set(c, "late")
			c.AfterResponse(func(nano.Ctx, nano.Outcome) {})
			return respond(c)
		}
	}
	g := a.With(Timeout(TimeoutConfig{After: time.Millisecond, Hard: true, MaxRunning: 3}), ETag(ETagConfig{}), AccessLog(quiet))
	g.Get("/text", handler(func(c nano.Ctx) error { return c.Text(200, "late") }))
	g.Get("/stream", handler(func(c nano.Ctx) error {
		return c.Stream(200, "", func(s *nano.Stream) error { s.WriteString("late"); return s.Flush() })
	}))
	g.Get("/panic", handler(func(c nano.Ctx) error { panic("late") }))
	for _, target := range []string{"/text", "/stream", "/panic"} {
		late.Add(1)
		got := ask(a, "GET", target)
		if got.Status != 503 || !strings.Contains(got.Text(), "too long") || got.Header.Get("Late") != "" {
			t.Errorf("%s: %d %s %v", target, got.Status, got.Text(), got.Header)
		}
	}
	if got := ask(a, "GET", "/text"); got.Status != 503 || !strings.Contains(got.Text(), "too many") {
		t.Errorf("beyond MaxRunning: %d %s", got.Status, got.Text())
	}
	close(release)
	for range 20 {
		if got := ask(a, "GET", "/"); got.Text() != "hello" || got.Header.Get("X-Request-Id") == "late" || got.Header.Get("Late") != "" {
			t.Errorf("got %q %v", got.Text(), got.Header)
		}
	}
	late.Wait()
}

// TestHardTimeoutBadBodies: requests whose body can't be read leave no handler
// behind that MaxRunning counts.
func TestHardTimeoutBadBodies(t *testing.T) {
	a := app(BodyLimit(3), Timeout(TimeoutConfig{After: time.Hour, Hard: true, MaxRunning: 1}))
	for i := range 3 {
		r := httptest.NewRequest("POST", "/", strings.NewReader("four"))
		r.ContentLength = -1
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		if w.Code != 413 {
			t.Errorf("request %d, too large: %d", i, w.Code)
		}
	}
	if got := ask(a, "GET", "/"); got.Status != 200 {
		t.Errorf("after bodies that were too large: %d %s", got.Status, got.Text())
	}
}
