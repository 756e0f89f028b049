package middleware

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

func TestRecover(t *testing.T) {
	var log bytes.Buffer
	a := nano.New(nano.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	a.Use(Secure(SecureConfig{}), Recover(RecoverConfig{}))
	a.Get("/panics", func(nano.Ctx) error { panic("secret") })
	a.Get("/aborts", func(nano.Ctx) error { panic(http.ErrAbortHandler) })
	a.Get("/begun", func(c nano.Ctx) error {
		return c.Stream(200, "", func(s *nano.Stream) error { s.WriteString("a"); panic("late") })
	})
	got := ask(a, "GET", "/panics")
	if got.Status != 500 || strings.Contains(got.Text(), "secret") || got.Header.Get("X-Content-Type-Options") == "" {
		t.Errorf("got %d %s %v", got.Status, got.Text(), got.Header)
	}
	if !strings.Contains(log.String(), "secret") || !strings.Contains(log.String(), "TestRecover") {
		t.Errorf("the log has no panic or no stack: %s", &log)
	}
	if got := ask(a, "GET", "/aborts"); !errors.Is(got.Cut, nano.ErrAborted) || got.Status != 0 {
		t.Errorf("http.ErrAbortHandler: %+v", got)
	}
	response, err := nanotest.New(a).Get("/begun").Open(t.Context())
	if err == nil {
		_, err = new(bytes.Buffer).ReadFrom(response.Body)
	}
	if !errors.Is(err, nano.ErrAborted) {
		t.Errorf("a response that had begun ended with %v", err)
	}
	allocs(t, Recover(RecoverConfig{}), 0)
}

func TestRecoverOwnProblem(t *testing.T) {
	cause := errors.New("cause")
	a := nano.New(nano.Config{})
	a.Use(Recover(RecoverConfig{Problem: func(_ nano.Ctx, p *Panic) error {
		if !errors.Is(p, cause) || len(p.Stack) == 0 {
			t.Errorf("got %v", p)
		}
		return nano.NewProblem(502, "sorry")
	}}))
	a.Get("/", func(nano.Ctx) error { panic(cause) })
	if got := ask(a, "GET", "/"); got.Status != 502 {
		t.Errorf("got %d", got.Status)
	}
}
