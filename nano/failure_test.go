package nano_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"testing"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

// TestErrorHandlerMayTranslate: what it returns gets the default's response, unless
// that is a failure of its own.
func TestErrorHandlerMayTranslate(t *testing.T) {
	app := nano.New(nano.Config{
		Logger: slog.New(slog.DiscardHandler),
		ErrorHandler: func(_ nano.Ctx, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nano.NewProblem(404, "no such file").Because(err)
			case errors.Is(err, fs.ErrInvalid):
				return errors.New("the error handler's own failure")
			case errors.Is(err, fs.ErrClosed):
				return fmt.Errorf("%w: %w", nano.ErrAborted, nano.NewProblem(404, ""))
			}
			return err
		},
	})
	for path, err := range map[string]error{
		"/translated": fmt.Errorf("a: %w", fs.ErrNotExist), "/problem": nano.NewProblem(409, "taken"),
		"/unknown": errors.New("x"), "/fails": fs.ErrInvalid, "/aborted": fs.ErrClosed,
	} {
		app.Get(path, func(nano.Ctx) error { return err })
	}
	client := nanotest.New(app)
	for _, tt := range []struct {
		path   string
		status int // 0: the connection is cut
		body   string
	}{
		{"/translated", 404, `{"title":"Not Found","status":404,"detail":"no such file"}`},
		{"/problem", 409, `{"title":"Conflict","status":409,"detail":"taken"}`},
		{"/none", 404, `{"title":"Not Found","status":404}`},
		{"/unknown", 500, `{"title":"Internal Server Error","status":500}`},
		{"/fails", 500, ""},
		{"/aborted", 0, ""},
	} {
		if got := client.Get(tt.path).Do(); got.Status != tt.status || got.Text() != tt.body {
			t.Errorf("%s: %d %s, want %d %s", tt.path, got.Status, got.Body, tt.status, tt.body)
		}
	}
}

// TestDeadlineIsUnavailable: the request's own deadline is 503; that of something the
// handler waited for is a failure as any other.
func TestDeadlineIsUnavailable(t *testing.T) {
	app := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler)})
	app.Get("/own", func(c nano.Ctx) error {
		<-c.Done()
		return fmt.Errorf("query: %w", c.Err())
	}, nano.WithLimits(nano.RouteLimits{Handler: time.Millisecond}))
	app.Get("/other", func(c nano.Ctx) error {
		ctx, cancel := context.WithTimeout(c.Context(), 0)
		defer cancel()
		<-ctx.Done()
		return ctx.Err()
	})
	for path, want := range map[string]int{"/own": 503, "/other": 500} {
		if got := nanotest.New(app).Get(path).Do(); got.Status != want {
			t.Errorf("%s: %d %s, want %d", path, got.Status, got.Body, want)
		}
	}
}
