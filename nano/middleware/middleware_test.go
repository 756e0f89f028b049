package middleware

import (
	"io"
	"log/slog"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

// app returns an app with middleware around "/", which responds with "hello".
func app(mw ...nano.Middleware) *nano.App {
	a := nano.New(nano.Config{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	a.Use(mw...)
	a.Any("/", func(c nano.Ctx) error { return c.Text(200, "hello") })
	return a
}

// fields are header fields of a request, name and value in turn.
func ask(a *nano.App, method, target string, fields ...string) *nanotest.Response {
	r := nanotest.New(a).Request(method, target)
	for i := 0; i < len(fields); i += 2 {
		r.Header(fields[i], fields[i+1])
	}
	return r.Do()
}

// allocs measures what a middleware adds to a handler that allocates nothing.
func allocs(t *testing.T, mw nano.Middleware, most float64, fields ...string) {
	t.Helper()
	if racing {
		return
	}
	through := func(mw ...nano.Middleware) float64 {
		a := nano.New(nano.Config{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
		a.Get("/", func(c nano.Ctx) error { return c.NoContent(204) }, nano.With(mw...))
		w := newDiscard("GET", "/", fields...)
		return testing.AllocsPerRun(200, func() { w.serve(a) })
	}
	if plain, with := through(), through(mw); with-plain > most {
		t.Errorf("%v allocations a request, want at most %v", with-plain, most)
	}
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	f()
}
