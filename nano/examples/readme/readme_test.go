// Package readme holds the pieces of nano/README.md and nano/docs/coming-from.md, so that they compile, run, and
// say what they say there.
package readme

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/coder/websocket"

	"dyno.example/nano"
	"dyno.example/nano/jwt"
	"dyno.example/nano/metrics"
	"dyno.example/nano/middleware"
	"dyno.example/nano/nanotest"
	"dyno.example/nano/openapi"
	"dyno.example/nano/openapi/page"
	"dyno.example/nano/session"
	"dyno.example/nano/trace"
	"dyno.example/nano/validate"
	"dyno.example/nano/ws"
)

// TestPages looks for each piece of the README, and of the page for users of other
// frameworks, in the files here. The README's first one is a whole program, which
// examples of the package build.
func TestPages(t *testing.T) {
	here := ""
	for _, name := range []string{"readme_test.go", "libraries_test.go", "grpc_test.go", "coming_test.go"} {
		here += unindented(read(t, name))
	}
	for page, atLeast := range map[string]int{"../../README.md": 15, "../../docs/coming-from.md": 3} {
		pieces := strings.Split(read(t, page), "```go\n")[1:]
		if len(pieces) < atLeast {
			t.Fatalf("%s: %d pieces", page, len(pieces))
		}
		for _, p := range pieces {
			code, _, _ := strings.Cut(p, "```")
			if strings.HasPrefix(code, "package main") {
				continue
			}
			if !strings.Contains(here, unindented(code)) {
				t.Errorf("not in the files here as it is in %s:\n%s", page, code)
			}
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func unindented(code string) string {
	var b strings.Builder
	for line := range strings.Lines(code) {
		b.WriteString(strings.TrimLeft(line, "\t"))
	}
	return b.String()
}

func ok(c nano.Ctx) error { return c.NoContent(204) }

var errSoldOut = errors.New("sold out")

type order struct {
	ID    int64    `path:"id"`
	Dry   bool     `query:"dry" default:"false"`
	Names []string `json:"names" validate:"min=1,dive,max=40"`
}

func service(secret []byte) *nano.App {
	app := nano.New(nano.Config{
		Validator: validate.New().Func(), // or Bind refuses types with validate tags
		ErrorHandler: func(_ nano.Ctx, err error) error {
			if errors.Is(err, errSoldOut) {
				return nano.NewProblem(409, "there are no more")
			}
			return err // as without an ErrorHandler
		},
	})
	news := make(chan nano.Event, 1)
	news <- nano.Event{ID: "1", Data: "hello"}
	close(news)
	pages := fstest.MapFS{"index.html": {Data: []byte("a page")}}

	measured := metrics.New(metrics.Config{})
	app.Use(
		middleware.RequestID(middleware.RequestIDConfig{}),
		middleware.AccessLog(middleware.AccessLogConfig{}),
		measured.Middleware(),
		trace.New(trace.Config{}),
		middleware.CORS(middleware.CORSConfig{Origins: []string{"https://app.example.com"}}),
		middleware.RateLimit(middleware.RateLimitConfig{Rate: 50, Burst: 100}), // for each client
		session.New(session.Config{}),                                          // session.Of(c) in handlers
	)
	app.Get("/metrics", measured.Handler())

	app.Get("/sold-out", func(nano.Ctx) error { return errSoldOut })

	v1 := app.Group("/v1")
	v1.Get("/items/{id:int}", ok)                 // 7, not seven
	v1.Get("/reports/{year:[0-9]{4}}-{name}", ok) // 2026-sales
	v1.Get("/pages/{page?:uint}", ok)             // /pages too
	v1.Get("/files/{path...}", ok)                // the rest, with slashes
	app.Host("{tenant}.example.com").Get("/", ok)

	v1.Put("/orders/{id}", func(c nano.Ctx) error {
		o, err := nano.Bind[order](c) // 400, 413, 415 or 422 say what is wrong
		if err != nil {
			return err
		}
		return c.JSON(200, o.Names)
	}, nano.WithLimits(nano.RouteLimits{Body: 1 << 20, Handler: 2 * time.Second}), nano.Binds[order]()) // tags are looked at now

	v1.Post("/upload", func(c nano.Ctx) error {
		form, err := c.Form()
		if err != nil {
			return err
		}
		file := form.File("file")
		if file == nil {
			return nano.NewProblem(400, "the form has no file")
		}
		return c.Text(200, fmt.Sprint(file.Size, " bytes")) // file.Save(root, name) keeps it
	}, nano.WithLimits(nano.RouteLimits{Body: 20 << 20}))

	app.Static("/assets/", fstest.MapFS{"app.js": {Data: []byte("1")}}, nano.StaticOptions{MaxAge: time.Hour})
	// An application that routes in the browser, but not for what isn't below /v1.
	app.Static("/", pages, nano.StaticOptions{Fallback: "index.html"})
	v1.Get("/{rest...}", func(nano.Ctx) error { return nano.NewProblem(404, "") })

	v1.Get("/events", func(c nano.Ctx) error {
		return c.SSE(func(e *nano.Events) error {
			return e.From(news) // a channel; ends with it, with the client, and when the app shuts down
		})
	})

	v1.Get("/echo", ws.Handler(ws.Options{}, func(ctx context.Context, conn *websocket.Conn) error {
		for {
			kind, data, err := conn.Read(ctx)
			if err != nil {
				return err // the client's close too: it is no failure
			}
			if err := conn.Write(ctx, kind, data); err != nil {
				return err
			}
		}
	}))

	v1.Get("/missing", func(c nano.Ctx) error {
		return nano.NewProblem(404, "no such order").Because(os.ErrNotExist) // the log sees the cause
	})

	members := v1.Group("", jwt.New(jwt.Config{Keys: jwt.Keys{"2026": {Algorithm: "HS256", Key: secret}}, Audience: "orders"}))
	members.Get("/me", func(c nano.Ctx) error { return c.Text(200, jwt.Subject(c)) })

	app.Timing(true) // app.Timings() tells what each middleware takes

	app.Get("/openapi.json", openapi.Handler(openapi.Config{Title: "Orders", Version: "1.0.0"}))
	app.Get("/docs", page.Handler(page.Config{Document: "/openapi.json"})) // for browsers
	v1.Get("/notes", ok, nano.Describe(openapi.Operation{Summary: "All notes", Responses: openapi.Responses{204: {}}}))

	app.MountHTTP("/debug/pprof/", http.DefaultServeMux) // with net/http/pprof imported
	app.Get("/old", nano.FromHTTP(http.RedirectHandler("/new", 301)))
	return app
}

func run(app *nano.App) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	go func() {
		<-ctx.Done()
		drain, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		_ = app.Shutdown(drain) // waits for requests under way; so does Listen
	}()
	if err := app.Listen("127.0.0.1:8080"); err != nil {
		log.Fatal(err)
	}
}

var _ = run

// TestPieces asks each piece.
func TestPieces(t *testing.T) {
	client := nanotest.New(service([]byte(strings.Repeat("s", 32))))
	for _, c := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"GET", "/v1/items/7", "", 204, ""}, {"GET", "/v1/items/seven", "", 404, ""},
		{"GET", "/v1/reports/2026-sales", "", 204, ""}, {"GET", "/v1/pages", "", 204, ""}, {"GET", "/v1/files/a/b", "", 204, ""},
		{"PUT", "/v1/orders/7", `{"names":["a"]}`, 200, `["a"]`}, {"PUT", "/v1/orders/7", `{"names":[]}`, 422, "names"}, {"PUT", "/v1/orders/7", "", 400, "no body"},
		{"GET", "/assets/app.js", "", 200, "1"}, {"GET", "/v1/events", "", 200, "data: hello"}, {"GET", "/v1/missing", "", 404, "no such order"},
		{"GET", "/v1/me", "", 401, ""}, {"GET", "/openapi.json", "", 200, "All notes"}, {"GET", "/docs", "", 200, "openapi.json"}, {"GET", "/metrics", "", 200, "http_"}, {"GET", "/old", "", 301, ""},
		{"GET", "/sold-out", "", 409, "no more"}, {"GET", "/shelf", "", 200, "a page"}, {"GET", "/v1/none", "", 404, "Not Found"},
	} {
		r := client.Request(c.method, c.path)
		if c.body != "" {
			r = r.Body("application/json", []byte(c.body))
		}
		if resp := r.Do(); resp.Status != c.status || !strings.Contains(resp.Text(), c.says) {
			t.Errorf("%s %s: %d %.200s, want %d %s", c.method, c.path, resp.Status, resp.Text(), c.status, c.says)
		}
	}
}

func TestHello(t *testing.T) {
	app := nano.New(nano.Config{})
	app.Get("/hello", func(c nano.Ctx) error { return c.Text(200, "hello") })

	resp := nanotest.New(app).Get("/hello").Do()
	if resp.Status != 200 || resp.Text() != "hello" {
		t.Errorf("%d %s", resp.Status, resp.Text())
	}
}
