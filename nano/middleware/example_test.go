package middleware_test

import (
	"fmt"
	"log/slog"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/middleware"
	"dyno.example/nano/nanotest"
)

func Example() {
	app := nano.New(nano.Config{})
	app.Use(
		middleware.RequestID(middleware.RequestIDConfig{}),
		middleware.AccessLog(middleware.AccessLogConfig{Logger: slog.New(slog.DiscardHandler)}),
		middleware.Recover(middleware.RecoverConfig{}),
		middleware.Secure(middleware.SecureConfig{}),
		middleware.CORS(middleware.CORSConfig{Origins: []string{"https://app.example.com"}}),
		middleware.Timeout(middleware.TimeoutConfig{After: 5 * time.Second}),
	)
	app.Get("/hello", func(c nano.Ctx) error { return c.Text(200, "hello") },
		nano.With(middleware.ETag(middleware.ETagConfig{})))

	got := nanotest.New(app).Get("/hello").Header("Origin", "https://app.example.com").Do()
	fmt.Println(got.Status, got.Text(), got.Header.Get("Access-Control-Allow-Origin"))
	got = nanotest.New(app).Get("/hello").Header("If-None-Match", got.Header.Get("ETag")).Do()
	fmt.Println(got.Status)
	// Output:
	// 200 hello https://app.example.com
	// 304
}

func ExampleBasicAuth() {
	app := nano.New(nano.Config{})
	admin := app.Group("/admin", middleware.BasicAuth(middleware.BasicAuthConfig{Users: map[string]string{"ann": "secret"}}))
	admin.Get("/", func(c nano.Ctx) error {
		user, _ := middleware.User.Get(c)
		return c.Text(200, "hello "+user)
	})
	client := nanotest.New(app)
	fmt.Println(client.Get("/admin/").Do().Status)
	fmt.Println(client.Get("/admin/").Header("Authorization", "Basic YW5uOnNlY3JldA==").Do().Text())
	// Output:
	// 401
	// hello ann
}

func ExampleRateLimit() {
	app := nano.New(nano.Config{})
	app.Post("/login", func(c nano.Ctx) error { return c.NoContent(204) },
		nano.With(middleware.RateLimit(middleware.RateLimitConfig{Rate: 2, Per: time.Hour})))
	for range 3 {
		fmt.Println(nanotest.New(app).Post("/login").Do().Status)
	}
	// Output:
	// 204
	// 204
	// 429
}

func ExampleTimeout() {
	app := nano.New(nano.Config{})
	app.Get("/report", func(c nano.Ctx) error {
		select { // anything that takes a context
		case <-time.After(time.Hour):
			return c.Text(200, "done")
		case <-c.Done():
			return c.Err()
		}
	}, nano.With(middleware.Timeout(middleware.TimeoutConfig{After: time.Millisecond})))
	fmt.Println(nanotest.New(app).Get("/report").Do().Text())
	// Output: {"title":"Service Unavailable","status":503,"detail":"the request took too long"}
}
