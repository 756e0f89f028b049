package middleware

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"

	"dyno.example/nano"
)

// logged asks an app with an access log and returns its line.
func logged(t *testing.T, config AccessLogConfig, target string) map[string]any {
	t.Helper()
	var b bytes.Buffer
	config.Logger = slog.New(slog.NewJSONHandler(&b, nil))
	a := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler)})
	a.Use(RequestID(RequestIDConfig{New: func() string { return "id" }}), AccessLog(config))
	a.Get("/users/{id}", func(c nano.Ctx) error { return c.Text(200, "hello") })
	a.Get("/fails", func(c nano.Ctx) error { return errors.New("failed") })
	a.Get("/panics", func(c nano.Ctx) error { panic("p") })
	ask(a, "GET", target, "Authorization", "secret", "Cookie", "secret")
	if bytes.Contains(b.Bytes(), []byte("secret")) {
		t.Errorf("a secret in %s", &b)
	}
	line := map[string]any{}
	if b.Len() > 0 {
		if err := json.Unmarshal(b.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v", &b, err)
		}
	}
	return line
}

func TestAccessLog(t *testing.T) {
	for _, tt := range []struct {
		target string
		config AccessLogConfig
		want   map[string]any
	}{
		{"/users/7?token=t", AccessLogConfig{}, map[string]any{"level": "INFO", "msg": "request", "method": "GET", "route": "/users/{id}", "path": "/users/7",
			"status": 200.0, "bytes": 5.0, "remote": "192.0.2.1", "request_id": "id"}},
		{"/users/7?q=1", AccessLogConfig{Query: true}, map[string]any{"query": "q=1"}},
		{"/missing", AccessLogConfig{}, map[string]any{"level": "WARN", "status": 404.0, "route": "", "error": "Not Found"}},
		{"/fails", AccessLogConfig{Sample: -1}, map[string]any{"level": "ERROR", "status": 500.0, "error": "failed"}},
		{"/panics", AccessLogConfig{}, map[string]any{"level": "ERROR", "status": 500.0, "error": "panic: p"}},
		{"/users/7", AccessLogConfig{Level: func(nano.Outcome) slog.Level { return slog.LevelWarn }}, map[string]any{"level": "WARN"}},
		{"/users/7", AccessLogConfig{Attrs: func(c nano.Ctx, l []slog.Attr) []slog.Attr {
			return append(l, slog.String("id", c.Param("id").String()))
		}}, map[string]any{"id": "7"}},
		{"/users/7", AccessLogConfig{Sample: -1}, map[string]any{"msg": nil}},
		{"/users/7?token=t", AccessLogConfig{}, map[string]any{"query": nil}},
	} {
		line := logged(t, tt.config, tt.target)
		for k, want := range tt.want {
			if line[k] != want {
				t.Errorf("%s: %s is %v, want %v", tt.target, k, line[k], want)
			}
		}
		if s, ok := line["seconds"].(float64); len(line) > 0 && (!ok || s < 0) {
			t.Errorf("%s: seconds are %v", tt.target, line["seconds"])
		}
	}
}
