package nano_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"dyno.example/nano"
)

// TestRegisteringTooLate: a route that is registered while the app serves is
// refused with its place, whatever began the serving, and whatever is registered.
func TestRegisteringTooLate(t *testing.T) {
	begun := map[string]func(*nano.App){
		"request": func(app *nano.App) { asked(app, "/") },
		"Listen":  func(app *nano.App) { _ = app.Listen("no such address") },
		"Serve": func(app *nano.App) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			ln.Close()
			_ = app.Serve(ln)
		},
	}
	late := map[string]func(*nano.App){
		"Get":       func(app *nano.App) { app.Get("/late", tell) },
		"below":     func(app *nano.App) { app.Group("/late").Any("/", tell) },
		"Use":       func(app *nano.App) { app.Group("/late").Use(nano.FromHTTPMiddleware(nil)) },
		"Default":   func(app *nano.App) { app.Group("/late").Default(nano.OnGoroutine) },
		"NotFound":  func(app *nano.App) { app.Group("/late").NotFound(tell) },
		"MountHTTP": func(app *nano.App) { app.MountHTTP("/late", http.NotFoundHandler()) },
		"Static":    func(app *nano.App) { app.MountApp("/late", mountable()) },
	}
	for how, begin := range begun {
		for what, register := range late {
			app := nano.New(nano.Config{})
			app.Get("/", tell)
			begin(app)
			if got := refusal(func() { register(app) }); !strings.Contains(got, "too late") || !strings.Contains(got, "_test.go:") {
				t.Errorf("%s after %s: %q", what, how, got)
			}
		}
	}
}

func mountable() *nano.App {
	app := nano.New(nano.Config{})
	app.Get("/x", tell)
	return app
}

// TestRegisteringBesideRequests is for the race detector: a registration is either
// before the first request or refused.
func TestRegisteringBesideRequests(t *testing.T) {
	for range 50 {
		app := nano.New(nano.Config{})
		var both sync.WaitGroup
		both.Go(func() { _ = refusal(func() { app.Get("/{a:int}/b", tell) }) })
		both.Go(func() { asked(app, "/1/b") })
		both.Wait()
	}
}

// TestMountServeMux: a mux whose patterns have the prefix sees whole paths, one
// whose patterns haven't sees what is left of them, and KeepPrefix decides.
func TestMountServeMux(t *testing.T) {
	seen := func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.Pattern + " " + r.URL.Path)) }
	whole, below, both := http.NewServeMux(), http.NewServeMux(), http.NewServeMux()
	whole.HandleFunc("/debug/pprof/", seen)
	whole.HandleFunc("GET /debug/pprof/cmdline", seen)
	whole.HandleFunc("/secret", seen)
	below.HandleFunc("/{$}", seen)
	below.HandleFunc("/cmdline", seen)
	both.HandleFunc("POST /debug/pprof/symbol", seen)
	both.HandleFunc("/symbol", seen)
	for _, c := range []struct {
		name    string
		h       http.Handler
		options []nano.Option
		path    string
		want    string
	}{
		{"whole", whole, nil, "/debug/pprof/", "/debug/pprof/ /debug/pprof/"},
		{"whole", whole, nil, "/debug/pprof/cmdline", "GET /debug/pprof/cmdline /debug/pprof/cmdline"},
		{"whole", whole, nil, "/debug/pprof/secret", "/debug/pprof/ /debug/pprof/secret"},
		{"below", below, nil, "/debug/pprof/cmdline", "/cmdline /cmdline"},
		{"below", below, nil, "/debug/pprof/", "/{$} /"},
		{"not seen", both, nil, "/debug/pprof/symbol", "/symbol /symbol"},
		{"kept", both, []nano.Option{nano.OnGoroutine, nano.KeepPrefix()}, "/debug/pprof/symbol", "405"},
		{"kept", http.HandlerFunc(seen), []nano.Option{nano.KeepPrefix()}, "/debug/pprof/x", " /debug/pprof/x"},
	} {
		app := nano.New(nano.Config{})
		app.Group("/debug").MountHTTP("/pprof/", c.h, c.options...)
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", c.path, nil))
		got := w.Body.String()
		if w.Code != 200 {
			got = strconv.Itoa(w.Code)
		}
		if got != c.want {
			t.Errorf("%s %s: %q, want %q", c.name, c.path, got, c.want)
		}
	}
}
