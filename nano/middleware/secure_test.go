package middleware

import (
	"net/http/httptest"
	"testing"
	"time"

	"dyno.example/nano"
)

func TestSecure(t *testing.T) {
	const csp = "default-src 'self'; object-src 'none'; base-uri 'self'; frame-ancestors 'none'"
	for _, tt := range []struct {
		name   string
		config SecureConfig
		tls    bool
		want   map[string]string
	}{
		{"defaults", SecureConfig{}, false, map[string]string{
			"X-Content-Type-Options": "nosniff", "Content-Security-Policy": csp, "X-Frame-Options": "DENY",
			"Referrer-Policy": "strict-origin-when-cross-origin", "Cross-Origin-Opener-Policy": "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin", "Permissions-Policy": "", "Strict-Transport-Security": ""}},
		{"tls", SecureConfig{}, true, map[string]string{"Strict-Transport-Security": "max-age=31536000"}},
		{"behind tls", SecureConfig{BehindTLS: true, HSTS: time.Hour, HSTSDomains: true}, false, map[string]string{"Strict-Transport-Security": "max-age=3600; includeSubDomains"}},
		{"no hsts", SecureConfig{HSTS: -1}, true, map[string]string{"Strict-Transport-Security": ""}},
		{"own", SecureConfig{CSP: "default-src 'none'", ReportCSP: true, Frame: "-", Permissions: "camera=()"}, false, map[string]string{
			"Content-Security-Policy": "", "Content-Security-Policy-Report-Only": "default-src 'none'", "X-Frame-Options": "", "Permissions-Policy": "camera=()"}},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		if tt.tls {
			r = httptest.NewRequest("GET", "https://example.com/", nil)
		}
		w := httptest.NewRecorder()
		app(Secure(tt.config)).ServeHTTP(w, r)
		for name, want := range tt.want {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s: %q, want %q", tt.name, name, got, want)
			}
		}
	}
	a := app(Secure(SecureConfig{}))
	a.Get("/own", func(c nano.Ctx) error { c.SetHeader("X-Frame-Options", "SAMEORIGIN"); return nil })
	if got := ask(a, "GET", "/own").Header.Values("X-Frame-Options"); len(got) != 1 || got[0] != "SAMEORIGIN" {
		t.Errorf("a handler's own: %q", got)
	}
}
