package nano_test

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"dyno.example/nano"
)

// do asks the app through net/http and returns status, Content-Type and body.
func do(t *testing.T, app *nano.App, method, target, body string) (int, string, string) {
	t.Helper()
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest(method, target, strings.NewReader(body)))
	b, _ := io.ReadAll(w.Result().Body)
	return w.Code, w.Header().Get("Content-Type"), string(b)
}

func TestResponses(t *testing.T) {
	app := nano.New(nano.Config{})
	app.Get("/text", func(c nano.Ctx) error { return c.Text(200, "hello") })
	app.Get("/json", func(c nano.Ctx) error { return c.JSON(201, map[string]int{"a": 1}) })
	app.Get("/nothing", func(c nano.Ctx) error { return nil })
	app.Post("/echo", func(c nano.Ctx) error {
		b, err := c.Body()
		if err != nil {
			return err
		}
		return c.Bytes(200, "application/octet-stream", b)
	})
	app.Get("/fails", func(c nano.Ctx) error { return errors.New("secret") })
	app.Get("/panics", func(c nano.Ctx) error { panic("secret") })
	for _, tt := range []struct {
		method, path, body string
		status             int
		contentType, want  string
	}{
		{"GET", "/text", "", 200, "text/plain; charset=utf-8", "hello"},
		{"GET", "/json", "", 201, "application/json", `{"a":1}`},
		{"GET", "/nothing", "", 200, "", ""},
		{"POST", "/echo", "ping", 200, "application/octet-stream", "ping"},
		{"GET", "/fails", "", 500, "application/problem+json", `{"title":"Internal Server Error","status":500}`},
		{"GET", "/panics", "", 500, "", ""},
		{"GET", "/missing", "", 404, "application/problem+json", `{"title":"Not Found","status":404}`},
	} {
		status, contentType, body := do(t, app, tt.method, tt.path, tt.body)
		if status != tt.status || contentType != tt.contentType || body != tt.want {
			t.Errorf("%s %s: got %d %q %q, want %d %q %q", tt.method, tt.path, status, contentType, body, tt.status, tt.contentType, tt.want)
		}
	}
}

func TestCtxAfterReturnPanics(t *testing.T) {
	app := nano.New(nano.Config{})
	var kept nano.Ctx
	app.Get("/keep", func(c nano.Ctx) error { kept = c; return nil })
	do(t, app, "GET", "/keep", "")
	defer func() {
		if p, ok := recover().(string); !ok || !strings.Contains(p, "GET /keep") {
			t.Fatalf("recovered %v, want a message that names the route", p)
		} else if strings.Contains(p, "start the work with") || !strings.Contains(p, "a context of its own") {
			t.Errorf("%q advises to use a context that has ended", p)
		}
		if kept.Err() == nil {
			t.Error("a kept Ctx must be a cancelled context")
		}
	}()
	kept.Path()
}

// TestKeptBodyShows: Config.Debug poisons all that views pointed to, on every wire.
func TestKeptBodyShows(t *testing.T) {
	app := nano.New(nano.Config{Debug: true})
	var body []byte
	var field nano.View
	app.Post("/keep", func(c nano.Ctx) (err error) {
		field = c.Header("Content-Type")
		body, err = c.Body()
		return err
	})
	for wire, ask := range map[string]func(){
		"net/http": func() { do(t, app, "POST", "/keep", "the body") },
		"memory": func() {
			request := "POST /keep HTTP/1.1\r\nHost: a\r\nContent-Type: a/b\r\nContent-Length: 8\r\n\r\nthe body"
			if err := app.ServeBytes(context.Background(), netip.AddrPort{}, []byte(request), io.Discard); err != nil {
				t.Error(err)
			}
		},
	} {
		ask()
		if len(body) != 8 || string(body) == "the body" || string(field) == "a/b" {
			t.Errorf("%s: body %q and field %q are as they were", wire, body, field)
		}
	}
}

func TestKeyOfAnInterface(t *testing.T) {
	app := nano.New(nano.Config{})
	failure := nano.NewKey[error]("failure")
	app.Get("/", func(c nano.Ctx) error {
		_, before := failure.Get(c)
		failure.Set(c, nil)
		err, after := failure.Get(c)
		if before || err != nil || !after {
			t.Errorf("%v, then %v %v", before, err, after)
		}
		return nil
	})
	if status, _, _ := do(t, app, "GET", "/", ""); status != 200 {
		t.Errorf("status %d", status)
	}
}
