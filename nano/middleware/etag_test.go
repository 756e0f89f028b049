package middleware

import (
	"bytes"
	"strings"
	"testing"

	"dyno.example/nano"
)

func TestETag(t *testing.T) {
	// base64url of the first 16 bytes of SHA-256("hello").
	const tag = `"LPJNul-wow4m6Dsqxbning"`
	a := app(ETag(ETagConfig{MaxBody: 100}))
	weak := app(ETag(ETagConfig{Weak: true}))
	a.Get("/own", func(c nano.Ctx) error { c.SetHeader("ETag", `"v1"`); return c.Text(200, "hello") })
	a.Get("/coded", func(c nano.Ctx) error { c.SetHeader("Content-Encoding", "x"); return c.Text(200, "hello") })
	a.Get("/private", func(c nano.Ctx) error { c.SetHeader("Cache-Control", "private, no-store"); return c.Text(200, "hello") })
	a.Get("/cached", func(c nano.Ctx) error { c.SetHeader("Cache-Control", "max-age=1"); return c.Text(200, "hello") })
	a.Get("/empty", func(c nano.Ctx) error { return nil })
	a.Get("/created", func(c nano.Ctx) error { return c.Text(201, "hello") })
	a.Get("/large", func(c nano.Ctx) error { return c.Text(200, strings.Repeat("a", 101)) })
	a.Get("/stream", func(c nano.Ctx) error {
		return c.Stream(200, "", func(s *nano.Stream) error { _, err := s.WriteString("hello"); return err })
	})
	for _, tt := range []struct {
		name, method, target, match string
		app                         *nano.App
		status                      int
		tag                         string
	}{
		{"first", "GET", "/", "", a, 200, tag},
		{"head", "HEAD", "/", "", a, 200, tag},
		{"same", "GET", "/", tag, a, 304, tag},
		{"same, head", "HEAD", "/", tag, a, 304, tag},
		{"weakly the same", "GET", "/", "W/" + tag, a, 304, tag},
		{"in a list", "GET", "/", `"a,b", W/"c" ,` + tag, a, 304, tag},
		{"any", "GET", "/", "*", a, 304, tag},
		{"other", "GET", "/", `"a"`, a, 200, tag},
		{"not a list", "GET", "/", `x` + tag, a, 200, tag},
		{"not ended", "GET", "/", `"a`, a, 200, tag},
		{"post", "POST", "/", tag, a, 200, ""},
		{"weak", "GET", "/", "", weak, 200, "W/" + tag},
		{"weak, same", "GET", "/", tag, weak, 304, "W/" + tag},
		{"own", "GET", "/own", "", a, 200, `"v1"`},
		{"own, same", "GET", "/own", `"v1"`, a, 304, `"v1"`},
		{"coded", "GET", "/coded", "", a, 200, "W/" + tag},
		{"no-store", "GET", "/private", "", a, 200, ""},
		{"cached", "GET", "/cached", tag, a, 304, tag},
		{"empty", "GET", "/empty", "", a, 200, ""},
		{"created", "GET", "/created", tag, a, 201, ""},
		{"large", "GET", "/large", "", a, 200, ""},
		{"stream", "GET", "/stream", tag, a, 200, ""},
	} {
		var fields []string
		if tt.match != "" {
			fields = []string{"If-None-Match", tt.match}
		}
		got := ask(tt.app, tt.method, tt.target, fields...)
		if got.Status != tt.status || got.Header.Get("ETag") != tt.tag {
			t.Errorf("%s: %d %s, want %d %s", tt.name, got.Status, got.Header.Get("ETag"), tt.status, tt.tag)
		}
		if got.Status == 304 && (len(got.Body) > 0 || got.Header.Get("Content-Type") != "") {
			t.Errorf("%s: a 304 with %q %v", tt.name, got.Body, got.Header)
		}
	}
}

func FuzzMatches(f *testing.F) {
	for _, s := range []string{`"a"`, `W/"a"`, `*`, `"a`, `"b", "a"`, `,, "a"`, ``} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, list []byte) {
		if matches(list, []byte(`"a"`)) && string(list) != "*" && !bytes.Contains(list, []byte(`"a"`)) {
			t.Errorf("%q matches", list)
		}
	})
}
