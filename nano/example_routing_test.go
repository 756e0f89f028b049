package nano_test

import (
	"fmt"
	"net/http/httptest"
	"os"

	"dyno.example/nano"
)

// show asks the app and prints its response.
func show(app *nano.App, method, target string) {
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	fmt.Printf("%s %s: %d %s\n", method, target, w.Code, w.Body)
}

func Example_routing() {
	app := nano.New(nano.Config{})
	app.Get("/users/new", func(c nano.Ctx) error { return c.Text(200, "a form") })
	app.Get("/users/{id}", func(c nano.Ctx) error { return c.Text(200, "user "+c.Param("id").String()) })
	app.Get("/files/{path...}", func(c nano.Ctx) error { return c.Text(200, "file "+c.Param("path").String()) })

	show(app, "GET", "/users/new")
	show(app, "GET", "/users/7")
	show(app, "GET", "/users/a%2Fb")
	show(app, "GET", "/files/docs/index.html")
	show(app, "DELETE", "/users/7")
	// Output:
	// GET /users/new: 200 a form
	// GET /users/7: 200 user 7
	// GET /users/a%2Fb: 200 user a/b
	// GET /files/docs/index.html: 200 file docs/index.html
	// DELETE /users/7: 405 {"title":"Method Not Allowed","status":405}
}

func ExampleGroup() {
	log := func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			fmt.Println("log:", c.Path())
			return next(c)
		}
	}
	auth := func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			if c.Header("Authorization") == nil {
				return nano.NewProblem(401, "")
			}
			return next(c)
		}
	}
	hello := func(c nano.Ctx) error { return c.Text(200, "hello") }

	app := nano.New(nano.Config{})
	app.UseNamed("log", log)
	app.Get("/{$}", hello, nano.Name("home"))
	app.Route("/admin", func(admin *nano.Group) {
		admin.UseNamed("auth", auth)
		admin.Default(nano.OnGoroutine)
		admin.Get("/users", hello)
		admin.Get("/report", hello, nano.Name("report"))
	})

	_ = app.WriteRoutes(os.Stdout)
	show(app, "GET", "/admin/users")
	show(app, "GET", "/none/such")
	// Output:
	// GET  /{$}           home    log
	// GET  /admin/users           log auth
	// GET  /admin/report  report  log auth
	// log: /admin/users
	// GET /admin/users: 401 {"title":"Unauthorized","status":401}
	// log: /none/such
	// GET /none/such: 404 {"title":"Not Found","status":404}
}

func ExampleGroup_Host() {
	app := nano.New(nano.Config{})
	app.Host("api.example.com").Get("/", func(c nano.Ctx) error { return c.Text(200, "the API") })
	app.Host("{tenant}.example.com").Get("/", func(c nano.Ctx) error {
		return c.Text(200, "the pages of "+c.Param("tenant").String())
	})
	app.Get("/", func(c nano.Ctx) error { return c.Text(200, "welcome") })

	show(app, "GET", "http://api.example.com/")
	show(app, "GET", "http://acme.example.com/")
	show(app, "GET", "http://example.com/")
	// Output:
	// GET http://api.example.com/: 200 the API
	// GET http://acme.example.com/: 200 the pages of acme
	// GET http://example.com/: 200 welcome
}

func ExampleApp_URL() {
	app := nano.New(nano.Config{})
	app.Get("/users/{id}/files/{path...}", func(c nano.Ctx) error { return nil }, nano.Name("file"))

	to, err := app.URL("file", "id", "7", "path", "my docs/a.txt")
	fmt.Println(to, err)
	// Output: /users/7/files/my%20docs/a.txt <nil>
}
