package nano_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"dyno.example/nano"
)

// TestLateCtxNamesItsOwnRoute, not that which its exchange has served since.
func TestLateCtxNamesItsOwnRoute(t *testing.T) {
	var kept nano.Ctx
	app := nano.New(nano.Config{})
	app.Get("/keeps", func(c nano.Ctx) error { kept = c; return nil })
	app.Get("/next", func(nano.Ctx) error { return nil })
	said := func() (text string) {
		defer func() { text = fmt.Sprint(recover()) }()
		kept.Path()
		return ""
	}
	ask := func(path string) {
		app.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
	}
	ask("/keeps")
	for i := range 40 {
		if got := said(); !strings.Contains(got, "/keeps") && i < 10 || strings.Contains(got, "/next") {
			t.Fatalf("%d requests later: %s", i, got)
		}
		ask("/next")
	}
}

// TestStreamSizedIsHeldToItsSize on every wire: more is refused, less is told.
func TestStreamSizedIsHeldToItsSize(t *testing.T) {
	log := &logLines{}
	wrote := make(chan error, 10)
	wires, _ := onWires(t, nano.Config{Logger: slog.New(slog.NewTextHandler(log, nil))}, func(app *nano.App) {
		app.Get("/more", func(c nano.Ctx) error {
			return c.StreamSized(200, "text/plain", 5, func(s *nano.Stream) error {
				_, err := s.WriteString("1234567")
				wrote <- err
				return nil
			})
		})
		app.Get("/less", func(c nano.Ctx) error {
			return c.StreamSized(200, "text/plain", 5, func(s *nano.Stream) error { s.WriteString("123"); return nil })
		})
	})
	for _, w := range wires {
		status, body, err := w.get("/more")
		if err != nil || status != 200 || body != "12345" || <-wrote == nil {
			t.Errorf("%s: %d %q %v", w.name, status, body, err)
		}
		before := strings.Count(log.String(), "shorter")
		_, body, err = w.get("/less")
		if err == nil || strings.Count(log.String(), "shorter") == before { // net/http's client may ask twice
			t.Errorf("%s: %q %v; %s", w.name, body, err, log)
		}
	}
}

// TestIgnoredFieldsAreTold under Config.Debug, and ignored on every wire.
func TestIgnoredFieldsAreTold(t *testing.T) {
	log := &logLines{}
	wires, _ := onWires(t, nano.Config{Debug: true, Logger: slog.New(slog.NewTextHandler(log, nil))}, func(app *nano.App) {
		app.Get("/x", func(c nano.Ctx) error { c.SetHeader("Content-Length", "99"); return c.Text(200, "hello") })
	})
	for i, w := range wires {
		resp, err := w.client.Get(w.url + "/x")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(body) != "hello" || resp.ContentLength != 5 || strings.Count(log.String(), "Content-Length: 99") != i+1 {
			t.Errorf("%s: %q %v; %s", w.name, body, err, log)
		}
	}
}
