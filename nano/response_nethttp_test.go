package nano_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/nano"
)

// TestResponsesThroughNetHTTP: TLS and HTTP/2 come through net/http, and get the
// same responses.
func TestResponsesThroughNetHTTP(t *testing.T) {
	large := strings.Repeat("0123456789abcdef", 1<<14)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "large.txt"), []byte(large), 0o600); err != nil {
		t.Fatal(err)
	}
	app := nano.New(nano.Config{})
	app.Static("/s/", os.DirFS(dir), nano.StaticOptions{})
	app.Get("/events", func(c nano.Ctx) error { return c.SSE(func(e *nano.Events) error { return e.Data("x") }) })
	app.Get("/stream", func(c nano.Ctx) error {
		return c.Stream(200, "text/plain", func(s *nano.Stream) error {
			s.Trailer("X-Sum", "7")
			_, err := s.WriteString("abc")
			return err
		})
	})
	app.Post("/form", func(c nano.Ctx) error {
		f, err := c.Form()
		if err != nil {
			return err
		}
		return c.Text(200, f.Get("a").String()+c.Cookie("k").String()+c.Query("q").String())
	})
	server := httptest.NewUnstartedServer(app)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	for _, tt := range []struct {
		method, path, body string
		fields             []string
		status             int
		want               string
		length             int64
	}{
		{"GET", "/s/large.txt", "", nil, 200, large, 1 << 18},
		{"HEAD", "/s/large.txt", "", nil, 200, "", 1 << 18},
		{"GET", "/s/large.txt", "", []string{"Range", "bytes=5-8"}, 206, "5678", 4},
		{"GET", "/s/large.txt", "", []string{"Range", "bytes=100000-199999"}, 206, large[100000:200000], 100000},
		{"GET", "/s/large.txt", "", []string{"If-None-Match", "*"}, 304, "", -1},
		{"GET", "/events", "", nil, 200, "data: x\n\n", -1},
		{"HEAD", "/events", "", nil, 200, "", -1},
		{"GET", "/stream", "", nil, 200, "abc", -1},
		{"POST", "/form?q=3", "a=1", []string{"Content-Type", "application/x-www-form-urlencoded", "Cookie", "k=2"}, 200, "123", 3},
	} {
		r, err := http.NewRequest(tt.method, server.URL+tt.path, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(tt.fields); i += 2 {
			r.Header.Set(tt.fields[i], tt.fields[i+1])
		}
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatalf("%s %s: %v", tt.method, tt.path, err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != tt.status || string(got) != tt.want || tt.length >= 0 && resp.ContentLength != tt.length || resp.ProtoMajor != 2 {
			t.Errorf("%s %s %v: %s %d %.40q (%d bytes, Content-Length %d) %v", tt.method, tt.path, tt.fields, resp.Proto, resp.StatusCode, got, len(got), resp.ContentLength, err)
		}
		if tt.path == "/stream" && resp.Trailer.Get("X-Sum") != "7" {
			t.Errorf("trailers: %v", resp.Trailer)
		}
	}
}
