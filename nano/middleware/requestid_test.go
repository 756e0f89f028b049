package middleware

import (
	"regexp"
	"strings"
	"testing"

	"dyno.example/nano"
)

func TestRequestID(t *testing.T) {
	uuid := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	for _, tt := range []struct {
		name, sent string
		config     RequestIDConfig
		want       string // "": a new one
	}{
		{"none", "", RequestIDConfig{}, ""},
		{"taken", "abc-123_.:+/=Z", RequestIDConfig{}, "abc-123_.:+/=Z"},
		{"unsafe", `a"b`, RequestIDConfig{}, ""},
		{"space", "a b", RequestIDConfig{}, ""},
		{"long", strings.Repeat("a", 65), RequestIDConfig{}, ""},
		{"longest", strings.Repeat("a", 64), RequestIDConfig{}, strings.Repeat("a", 64)},
		{"distrusted", "abc", RequestIDConfig{Distrust: true}, ""},
		{"own", "", RequestIDConfig{New: func() string { return "mine" }}, "mine"},
	} {
		a := nano.New(nano.Config{})
		a.Use(RequestID(tt.config))
		a.Get("/", func(c nano.Ctx) error { id, _ := ID.Get(c); return c.Text(200, id) })
		var fields []string
		if tt.sent != "" {
			fields = []string{"X-Request-ID", tt.sent}
		}
		got := ask(a, "GET", "/", fields...)
		id := got.Text()
		if got.Header.Get("X-Request-Id") != id || tt.want != "" && id != tt.want || tt.want == "" && !uuid.MatchString(id) {
			t.Errorf("%s: %q, response has %q", tt.name, id, got.Header.Get("X-Request-Id"))
		}
	}
	if newUUID() == newUUID() {
		t.Error("two ids are the same")
	}
}
