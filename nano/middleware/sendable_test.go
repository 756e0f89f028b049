package middleware

import (
	"testing"
	"time"
)

// TestWhatCannotBeSentIsFoundAtOnce: a config that would make every request fail
// panics when the middleware is made.
func TestWhatCannotBeSentIsFoundAtOnce(t *testing.T) {
	for name, f := range map[string]func(){
		"CSP over two lines": func() { Secure(SecureConfig{CSP: "default-src 'self';\n object-src 'none'"}) },
		"request id header":  func() { RequestID(RequestIDConfig{Header: "X Request Id"}) },
		"CORS headers":       func() { CORS(CORSConfig{Origins: []string{"*"}, Headers: []string{"X-A\r\nX-B"}}) },
		"a burst for ever":   func() { RateLimit(RateLimitConfig{Rate: 1, Per: 24 * time.Hour, Burst: 1 << 40}) },
	} {
		mustPanic(t, name, f)
	}
}
