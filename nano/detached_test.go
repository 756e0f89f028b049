package nano

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestDetached has handlers respond in time in all ways there are.
func TestDetached(t *testing.T) {
	var user = NewKey[string]("user")
	outcomes := make(chan string, 4)
	app := New(Config{Logger: quiet()})
	app.Use(func(next Handler) Handler {
		return func(c Ctx) error {
			c.SetHeader("Outer", "1")
			c.AfterResponse(func(c Ctx, o Outcome) {
				u, _ := user.Get(c)
				outcomes <- "outer " + u
			})
			return c.Detached(c.Context(), 10, next)
		}
	})
	app.Use(func(next Handler) Handler {
		return func(c Ctx) error {
			c.AfterResponse(func(c Ctx, o Outcome) {
				if o.Status != 200 && o.Status != 500 {
					t.Errorf("%+v", o)
				}
				outcomes <- "inner " + c.Path().String()
			})
			return next(c)
		}
	})
	app.Get("/users/{id}", func(c Ctx) error {
		user.Set(c, c.Param("id").String())
		c.SetHeader("Inner", c.Header("In").String())
		return c.Text(200, "hi "+c.Param("id").String())
	})
	app.Get("/streams", streamed(-1, "ab", "c"))
	app.Get("/nothing", func(c Ctx) error { return nil })
	app.Get("/fails", func(c Ctx) error { return errors.New("failed") })
	app.Get("/large", func(c Ctx) error { c.SetHeader("Inner", "1"); return c.Text(200, "hello world") })
	app.Get("/panics", func(c Ctx) error { panic("p") })
	const sorry = `{"title":"Internal Server Error","status":500}`
	servers := wires(t, app)
	for _, tt := range []struct {
		path   string
		status int
		body   string
		user   string
	}{
		{"/users/7", 200, "hi 7", "7"},
		{"/streams", 200, "abc", ""},
		{"/nothing", 200, "", ""},
		{"/fails", 500, sorry, ""},
		{"/large", 500, sorry, ""},
		{"/panics", 500, "", ""},
	} {
		for wire, ask := range servers {
			for range 2 {
				resp, body, err := ask("GET", tt.path)
				if err != nil {
					t.Fatal(err)
				}
				if resp.StatusCode != tt.status || body != tt.body || tt.path != "/panics" && resp.Header.Get("Outer") != "1" {
					t.Errorf("%s over %s: %d %q %v", tt.path, wire, resp.StatusCode, body, resp.Header)
				}
				if tt.path == "/large" && resp.Header.Get("Inner") != "" {
					t.Errorf("%s over %s: fields of a response that was dropped", tt.path, wire)
				}
				got := []string{<-outcomes, <-outcomes}
				if got[0] != "inner "+tt.path || got[1] != "outer "+tt.user {
					t.Errorf("%s over %s: hooks %q", tt.path, wire, got)
				}
			}
		}
	}
}

// TestDetachedTooLate has handlers use all of their Ctx after their time is up,
// while other requests use the same connection and buffers.
func TestDetachedTooLate(t *testing.T) {
	var late sync.WaitGroup
	defer late.Wait()
	responded := make(chan struct{}) // a request has its response without its handler
	defer close(responded)
	app := New(Config{Logger: quiet(), Debug: true, Loops: 1})
	errLate := NewProblem(503, "late")
	detach := func(next Handler) Handler {
		return func(c Ctx) error {
			ctx, cancel := context.WithTimeoutCause(c.Context(), time.Millisecond, errLate)
			defer cancel()
			return c.Detached(ctx, 0, next)
		}
	}
	app.Get("/late/{id}", func(c Ctx) error {
		defer late.Done()
		<-c.Done()
		<-responded
		id := c.Param("id").String()
		if want := "/late/" + id; c.Path().String() != want || c.Header("Name").String() != "" || id[0] != 'x' {
			t.Errorf("the late handler sees %q and %q", c.Path(), id)
		}
		c.SetHeader("Late", "1")
		if id == "xp" {
			panic("late")
		}
		return c.Text(200, "late")
	}, With(detach))
	app.Get("/", func(c Ctx) error { return c.Text(200, "hello") })
	for wire, ask := range wires(t, app) {
		for _, id := range []string{"x1", "x2", "xp"} {
			late.Add(1)
			resp, body, err := ask("GET", "/late/"+id)
			if err != nil || resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Late") != "" || !strings.Contains(body, "late") {
				t.Fatalf("%s: %v %q %v", wire, resp, body, err)
			}
			responded <- struct{}{}
			for range 20 {
				if resp, body, err := ask("GET", "/"); err != nil || resp.StatusCode != 200 || body != "hello" {
					t.Fatalf("%s: %v %q %v", wire, resp, body, err)
				}
			}
		}
	}
}
