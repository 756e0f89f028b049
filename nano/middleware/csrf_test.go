package middleware

import (
	"net/url"
	"strings"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

func TestCSRF(t *testing.T) {
	mw := CSRF(CSRFConfig{Trusted: []string{"https://admin.example"}, Skip: func(c nano.Ctx) bool { return c.Header("Webhook") != nil }})
	for _, tt := range []struct {
		name, method string
		fields       []string
		status       int
	}{
		{"safe", "GET", []string{"Sec-Fetch-Site", "cross-site"}, 200},
		{"head", "HEAD", []string{"Sec-Fetch-Site", "cross-site"}, 200},
		{"options", "OPTIONS", []string{"Sec-Fetch-Site", "cross-site"}, 200},
		{"same origin", "POST", []string{"Sec-Fetch-Site", "same-origin"}, 200},
		{"by the user", "POST", []string{"Sec-Fetch-Site", "none"}, 200},
		{"cross-site", "POST", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"same-site", "DELETE", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"unknown word", "POST", []string{"Sec-Fetch-Site", "Same-Origin"}, 403},
		{"cross-site, trusted", "POST", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://admin.example"}, 200},
		{"cross-site, claims the host", "POST", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://example.com"}, 403},
		{"no browser", "POST", nil, 200},
		{"origin is the host", "POST", []string{"Origin", "https://example.com"}, 200},
		{"origin is another", "POST", []string{"Origin", "https://evil.example"}, 403},
		{"origin of another port", "POST", []string{"Origin", "https://example.com:8443"}, 403},
		{"origin trusted", "POST", []string{"Origin", "https://admin.example"}, 200},
		{"origin null", "POST", []string{"Origin", "null"}, 403},
		{"unknown method", "FOO", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"skipped", "POST", []string{"Sec-Fetch-Site", "cross-site", "Webhook", "1"}, 200},
	} {
		if got := ask(app(mw), tt.method, "/", tt.fields...); got.Status != tt.status {
			t.Errorf("%s: %d, want %d", tt.name, got.Status, tt.status)
		}
	}
	mustPanic(t, "not an origin", func() { CSRF(CSRFConfig{Trusted: []string{"admin.example"}}) })
	allocs(t, mw, 0, "Sec-Fetch-Site", "same-origin")
}

func TestCSRFToken(t *testing.T) {
	a := app(CSRF(CSRFConfig{Token: true}))
	a.Get("/form", func(c nano.Ctx) error { token, _ := CSRFToken.Get(c); return c.Text(200, token) })
	client := nanotest.New(a).KeepCookies()
	got := client.Get("/form").Do()
	token, cookie := got.Text(), got.Header.Get("Set-Cookie")
	for _, part := range []string{"__Host-csrf=" + token, "Secure", "HttpOnly", "Path=/"} {
		if !strings.Contains(cookie, part) {
			t.Errorf("Set-Cookie: %s lacks %s", cookie, part)
		}
	}
	if again := client.Get("/form").Do(); again.Text() != token || again.Header.Get("Set-Cookie") != "" {
		t.Error("the token doesn't last")
	}
	for name, status := range map[string]int{
		"field": client.Post("/").Header("X-CSRF-Token", token).Do().Status,
		"form":  client.Post("/").Form(url.Values{"csrf_token": {token}}).Do().Status,
		"new":   client.Post("/").Header("Sec-Fetch-Site", "same-origin").Do().Status,
	} {
		if status != 200 {
			t.Errorf("%s: %d", name, status)
		}
	}
	for name, status := range map[string]int{
		"none":      client.Post("/").Do().Status,
		"wrong":     client.Post("/").Header("X-CSRF-Token", strings.Repeat("A", len(token))).Do().Status,
		"no cookie": nanotest.New(a).Post("/").Header("X-CSRF-Token", token).Do().Status,
		"nothing":   nanotest.New(a).Post("/").Header("X-CSRF-Token", "").Do().Status,
		"cross":     client.Post("/").Header("X-CSRF-Token", token).Header("Sec-Fetch-Site", "cross-site").Do().Status,
	} {
		if status != 403 {
			t.Errorf("%s: %d", name, status)
		}
	}
}
