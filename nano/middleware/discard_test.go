package middleware

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"dyno.example/nano"
)

// discard is an http.ResponseWriter that keeps nothing but reusable headers.
type discard struct {
	header  http.Header
	request *http.Request
}

func newDiscard(method, target string, fields ...string) *discard {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(fields); i += 2 {
		r.Header.Add(fields[i], fields[i+1])
	}
	return &discard{header: http.Header{}, request: r}
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

func (d *discard) serve(a *nano.App) {
	clear(d.header)
	a.ServeHTTP(d, d.request)
}

// BenchmarkMiddleware goes through net/http's side of nano, whose own cost
// "none" shows.
func BenchmarkMiddleware(b *testing.B) {
	for _, bb := range []struct {
		name string
		mw   []nano.Middleware
	}{
		{"none", nil},
		{"Recover", []nano.Middleware{Recover(RecoverConfig{})}},
		{"RequestID", []nano.Middleware{RequestID(RequestIDConfig{})}},
		{"BodyLimit", []nano.Middleware{BodyLimit(1 << 20)}},
		{"CORS", []nano.Middleware{CORS(CORSConfig{Origins: []string{"https://a.example"}})}},
		{"CSRF", []nano.Middleware{CSRF(CSRFConfig{})}},
		{"Secure", []nano.Middleware{Secure(SecureConfig{})}},
		{"RateLimit", []nano.Middleware{RateLimit(RateLimitConfig{Rate: 1e9, Quiet: true})}},
		{"Breaker", []nano.Middleware{Breaker(BreakerConfig{})}},
		{"Timeout", []nano.Middleware{Timeout(TimeoutConfig{After: time.Minute})}},
		{"Timeout hard", []nano.Middleware{Timeout(TimeoutConfig{After: time.Minute, Hard: true})}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			a, w := app(bb.mw...), newDiscard("GET", "/", "Origin", "https://a.example")
			b.ReportAllocs()
			for b.Loop() {
				w.serve(a)
			}
		})
	}
}
