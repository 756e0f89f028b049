package nano_test

import (
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"dyno.example/nano"
)

// note returns middleware that adds a word to the field Way.
func note(word string) nano.Middleware {
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			c.AddHeader("Way", word)
			return next(c)
		}
	}
}

func way(w *httptest.ResponseRecorder) string { return strings.Join(w.Header()["Way"], " ") }

func TestGroupsNestPrefixesMiddlewareAndOptions(t *testing.T) {
	app := nano.New(nano.Config{})
	app.Use(note("app"))
	api := app.Group("/api/", note("api")).Default(nano.OnGoroutine, nano.With(note("default")))
	api.Get("", tell)
	api.Get("/{$}", tell, nano.OnLoop)
	api.Route("/users/{id}", func(g *nano.Group) {
		g.Use(note("users"))
		g.Get("/profile", tell, nano.With(note("route")))
		g.With(note("inline")).Delete("", tell)
	})
	api.Host("api.example.com").Get("/host", tell)
	for _, tt := range []struct{ method, target, want, way string }{
		{"GET", "/api", "GET /api", "app api default"},
		{"GET", "/api/", "GET /api/{$}", "app api default"},
		{"GET", "/api/users/7/profile", "GET /api/users/{id}/profile id=7", "app api users default route"},
		{"DELETE", "/api/users/7", "DELETE /api/users/{id} id=7", "app api users inline default"},
		{"GET", "http://api.example.com/api/host", "GET api.example.com/api/host", "app api default"},
	} {
		w := ask(app, tt.method, tt.target)
		if w.Body.String() != tt.want || way(w) != tt.way {
			t.Errorf("%s %s: %q by %q, want %q by %q", tt.method, tt.target, w.Body, way(w), tt.want, tt.way)
		}
	}
	want := []nano.Placement{nano.OnGoroutine, nano.OnLoop, nano.OnGoroutine, nano.OnGoroutine, nano.OnGoroutine}
	for i, r := range app.Routes() {
		if r.Placement() != want[i] {
			t.Errorf("%s: placement %d, want %d", r, r.Placement(), want[i])
		}
	}
}

func TestRequestsWithoutRouteRunTheAppsMiddleware(t *testing.T) {
	app := nano.New(nano.Config{})
	app.Use(note("app"))
	app.Group("/a", note("a")).Get("/b", tell)
	for _, tt := range []struct {
		method, target string
		status         int
	}{{"GET", "/none", 404}, {"POST", "/a/b", 405}, {"OPTIONS", "/a/b", 204}, {"GET", "/a/b/", 301}, {"GET", "/a/../x", 301}} {
		if w := ask(app, tt.method, tt.target); w.Code != tt.status || way(w) != "app" {
			t.Errorf("%s %s: %d by %q, want %d by app", tt.method, tt.target, w.Code, way(w), tt.status)
		}
	}
}

func TestNotFoundOfGroups(t *testing.T) {
	app := nano.New(nano.Config{NotFound: func(c nano.Ctx) error { return c.Text(404, "app's") }})
	app.Use(note("app"))
	g := app.Group("/a/{id}", note("a"))
	g.NotFound(func(c nano.Ctx) error { return c.Text(404, "group's") })
	g.Get("/b", tell)
	for target, want := range map[string]string{"/a/1/c": "group's app a", "/a/1/": "group's app a", "/c": "app's app", "/a": "app's app"} {
		if w := ask(app, "GET", target); w.Body.String()+" "+way(w) != want {
			t.Errorf("%s: %d %q by %q, want %q", target, w.Code, w.Body, way(w), want)
		}
	}
	if w := ask(app, "POST", "/a/1/b"); w.Code != 405 {
		t.Errorf("wrong method: %d", w.Code)
	}
	if m := panicOf(func() { g.NotFound(tell) }); !strings.Contains(m, "group_test.go") {
		t.Errorf("a second NotFound: %q", m)
	}
}

func TestLateUsePanics(t *testing.T) {
	app := nano.New(nano.Config{})
	g := app.Group("/g")
	g.Group("/h").Get("/x", tell)
	for name, f := range map[string]func(){
		"app.Use": func() { app.Use(note("late")) }, "g.Use": func() { g.Use(note("late")) },
		"Default": func() { g.Default(nano.OnLoop) },
	} {
		if m := panicOf(f); !strings.Contains(m, "too late for route GET /g/h/x (registered at") || strings.Count(m, "group_test.go:") != 2 {
			t.Errorf("%s: %q", name, m)
		}
	}
	app.Group("/other").Use(note("in time"))
}

func TestGroupMistakesPanic(t *testing.T) {
	app := nano.New(nano.Config{})
	for name, tt := range map[string]struct {
		f    func()
		want string
	}{
		"prefix":       {func() { app.Group("a") }, "must begin with a slash"},
		"two hosts":    {func() { app.Host("a").Host("b") }, "another host"},
		"host in host": {func() { app.Host("a").Get("b/x", tell) }, "another host"},
		"no handler":   {func() { app.Get("/x", nil) }, "no handler"},
		"two names":    {func() { app.Get("/1", tell, nano.Name("n")); app.Get("/2", tell, nano.Name("n")) }, "has the name of route GET /1"},
		"itself":       {func() { app.MountApp("/x", app) }, "itself"},
	} {
		if m := panicOf(tt.f); !strings.Contains(m, tt.want) || !strings.Contains(m, "group_test.go:") {
			t.Errorf("%s: %q, want %q", name, m, tt.want)
		}
	}
}

func TestMount(t *testing.T) {
	app := nano.New(nano.Config{})
	app.Group("/t/{id}", note("t")).Mount("/m", tell)
	app.Mount("/", tell)
	for target, want := range map[string]string{
		"/t/7/m": "/t/{id}/m id=7", "/t/7/m/": "/t/{id}/m/ id=7 rest=", "/t/7/m/a/b": "/t/{id}/m/ id=7 rest=a/b", "/x": "/ rest=x",
	} {
		if w := ask(app, "PUT", target); w.Body.String() != want {
			t.Errorf("%s: %d %q, want %q", target, w.Code, w.Body, want)
		}
	}
}

func TestMountApp(t *testing.T) {
	sub := nano.New(nano.Config{
		ErrorHandler: func(c nano.Ctx, err error) error { return c.Text(418, "sub: "+err.Error()) },
		NotFound:     func(c nano.Ctx) error { return c.Text(404, "sub's") },
	})
	sub.UseNamed("sub", note("sub"))
	sub.Get("/", tell, nano.Name("home"), nano.OnGoroutine)
	sub.Get("/fails/{id}", func(nano.Ctx) error { return errors.New("oh") })
	plain := nano.New(nano.Config{})
	plain.Get("/fails", func(nano.Ctx) error { return nano.NewProblem(409, "") })
	plain.Host("h.example").Get("/x", tell)

	app := nano.New(nano.Config{})
	app.UseNamed("app", note("app"))
	v1 := app.Group("/v1")
	v1.UseNamed("v1", note("v1"))
	v1.MountApp("/sub", sub)
	app.MountApp("/plain", plain)
	for _, tt := range []struct {
		target string
		status int
		want   string
		way    string
	}{
		{"/v1/sub/a", 200, "GET /v1/sub/ rest=a", "app v1 sub"},
		{"/v1/sub/fails/7", 418, "sub: oh", "app v1 sub"},
		{"/plain/fails", 409, `{"title":"Conflict","status":409}`, "app"},
		{"/plain/none", 404, `{"title":"Not Found","status":404}`, "app"},
		{"http://h.example/plain/x", 200, "GET h.example/plain/x", "app"},
	} {
		if w := ask(app, "GET", tt.target); w.Code != tt.status || w.Body.String() != tt.want || way(w) != tt.way {
			t.Errorf("%s: %d %q by %q, want %d %q by %q", tt.target, w.Code, w.Body, way(w), tt.status, tt.want, tt.way)
		}
	}
	if to, err := app.URL("home"); to != "/v1/sub/" || err != nil {
		t.Errorf("URL of a mounted route: %q, %v", to, err)
	}
	if r := app.Routes()[0]; r.Placement() != nano.OnGoroutine || !slices.Equal(r.Middleware(), []string{"app", "v1", "errors", "sub"}) {
		t.Errorf("mounted route: placement %d, middleware %v", r.Placement(), r.Middleware())
	}
}

func TestNotFoundOfMountedApp(t *testing.T) {
	sub := nano.New(nano.Config{NotFound: func(c nano.Ctx) error { return c.Text(404, "sub's") }})
	sub.Use(note("sub"))
	sub.Get("/x", tell)
	sub.Group("/g", note("g")).NotFound(func(c nano.Ctx) error { return c.Text(404, "group's") })
	whole := nano.New(nano.Config{NotFound: func(c nano.Ctx) error { return c.Text(404, "hidden") }})
	whole.NotFound(func(c nano.Ctx) error { return c.Text(404, "whole's") })
	app := nano.New(nano.Config{})
	app.With(note("app")).MountApp("/sub", sub)
	app.MountApp("/whole", whole)
	for target, want := range map[string]string{"/sub/none": "sub's app sub", "/sub/g/none": "group's app sub g", "/whole/x": "whole's "} {
		if w := ask(app, "GET", target); w.Body.String()+" "+way(w) != want {
			t.Errorf("%s: %d %q by %q, want %q", target, w.Code, w.Body, way(w), want)
		}
	}
}

func plain(next nano.Handler) nano.Handler { return next }

func made(int) nano.Middleware { return func(next nano.Handler) nano.Handler { return next } }

func TestMiddlewareNames(t *testing.T) {
	app := nano.New(nano.Config{})
	app.Use(plain, made(1))
	app.UseNamed("auth", plain)
	r := app.Get("/", tell, nano.WithNamed("two", plain))
	if got, want := strings.Join(r.Middleware(), " "), "nano_test.plain nano_test.made auth two"; got != want {
		// An inlined function's closure is named after the function it is in.
		if got != strings.Replace(want, "nano_test.made", "nano_test.TestMiddlewareNames.made", 1) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestURL(t *testing.T) {
	app := nano.New(nano.Config{})
	app.Get("/users/{id}", tell, nano.Name("user"))
	app.Get("/files/{path...}", tell, nano.Name("file"))
	app.Get("/exact/{$}", tell, nano.Name("exact"))
	app.Get("/café/a%2Fb/", tell, nano.Name("literal"))
	app.Get("{tenant}.example.com/x", tell, nano.Name("tenant"))
	for _, tt := range []struct {
		name   string
		values []string
		want   string // or part of the error
		fails  bool
	}{
		{"user", []string{"id", "7"}, "/users/7", false},
		{"user", []string{"id", "a/b c?%#"}, "/users/a%2Fb%20c%3F%25%23", false},
		{"file", []string{"path", "a/b c/"}, "/files/a/b%20c/", false},
		{"file", []string{"path", ""}, "/files/", false},
		{"exact", nil, "/exact/", false},
		{"literal", nil, "/caf%C3%A9/a%2Fb/", false},
		{"tenant", []string{"tenant", "acme"}, "//acme.example.com/x", false},
		{"none", nil, `no route has the name "none"`, true},
		{"user", nil, "{id} has no value", true},
		{"user", []string{"id"}, "has no value", true},
		{"user", []string{"id", "1", "more", "2"}, "no {more}", true},
		{"user", []string{"id", ""}, "can't be", true},
		{"user", []string{"id", ".."}, "can't be", true},
		{"file", []string{"path", "a/../b"}, "can't be", true},
		{"file", []string{"path", "a//b"}, "can't be", true},
		{"tenant", []string{"tenant", "evil.org/"}, "one label", true},
		{"tenant", []string{"tenant", ""}, "one label", true},
	} {
		got, err := app.URL(tt.name, tt.values...)
		if tt.fails && (err == nil || !strings.Contains(err.Error(), tt.want)) || !tt.fails && (err != nil || got != tt.want) {
			t.Errorf("%s %q: %q, %v; want %q", tt.name, tt.values, got, err, tt.want)
		}
	}
}

func TestWriteRoutes(t *testing.T) {
	app := nano.New(nano.Config{})
	app.UseNamed("log", note("log"))
	app.Get("/users/{id}", tell, nano.Name("user"))
	app.Any("h.example/x", tell)
	var b strings.Builder
	if err := app.WriteRoutes(&b); err != nil {
		t.Fatal(err)
	}
	want := "GET  /users/{id}  user  log\nany  h.example/x        log\n"
	if b.String() != want {
		t.Errorf("got\n%s, want\n%s", b.String(), want)
	}
}
