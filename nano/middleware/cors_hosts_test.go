package middleware_test

import (
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/middleware"
	"dyno.example/nano/nanotest"
)

// TestCORSPatternsMatchHosts: a pattern is one of hosts, not of strings.
func TestCORSPatternsMatchHosts(t *testing.T) {
	app := nano.New(nano.Config{})
	app.Use(middleware.CORS(middleware.CORSConfig{Origins: []string{"https://*.example.com", "https://*.dev.test:8443"}}))
	app.Get("/", func(c nano.Ctx) error { return c.NoContent(204) })
	for origin, allowed := range map[string]bool{
		"https://a.example.com": true, "https://a.b-c.example.com": true, "https://xn--bcher-kva.example.com": true,
		"https://a.dev.test:8443": true, "https://a.dev.test": false,
		"https://evil.com#.example.com": false, "https://evil.com/.example.com": false, "https://evil.com?.example.com": false,
		"https://user@.example.com": false, "https://evil.com\\.example.com": false, "https://evil.com:80.example.com": false,
		"https://..example.com": false, "https://.example.com": false, "https://a..example.com": false,
		"https://example.com": false, "http://a.example.com": false, "https://evil.com%23.example.com": false,
		"https://EVIL.example.com": false, "https://a example.com": false, "https://[::1].example.com": false,
	} {
		got := nanotest.New(app).Get("/").Header("Origin", origin).Do().Header.Get("Access-Control-Allow-Origin")
		if (got == origin) != allowed || !allowed && got != "" {
			t.Errorf("%s: %q, want allowed %v", origin, got, allowed)
		}
	}
}
