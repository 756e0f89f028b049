package compress

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"dyno.example/nano"
	"dyno.example/nano/middleware"
	"dyno.example/nano/nanotest"
)

var text = strings.Repeat("a lot of text ", 1000)

// decoded undoes the coding of a response.
func decoded(t *testing.T, coding string, body io.Reader) string {
	t.Helper()
	var err error
	switch coding {
	case "gzip":
		body, err = gzip.NewReader(body)
	case "zstd":
		body, err = zstd.NewReader(body, zstd.WithDecoderConcurrency(1))
	}
	if err != nil {
		t.Fatalf("%s: %v", coding, err)
	}
	b, err := io.ReadAll(body)
	if err != nil {
		t.Errorf("%s: %v", coding, err)
	}
	return string(b)
}

func TestCompress(t *testing.T) {
	a := nano.New(nano.Config{})
	a.Use(New(Config{}))
	a.Get("/text", func(c nano.Ctx) error { return c.Text(200, text) })
	a.Get("/small", func(c nano.Ctx) error { return c.Text(200, text[:1023]) })
	a.Get("/problem", func(c nano.Ctx) error { return nano.NewProblem(400, text) })
	a.Get("/patch", func(c nano.Ctx) error { return c.Bytes(200, "Application/merge-patch+JSON; a=b", []byte(text)) })
	a.Get("/png", func(c nano.Ctx) error { return c.Bytes(200, "image/png", []byte(text)) })
	a.Get("/coded", func(c nano.Ctx) error { c.SetHeader("Content-Encoding", "br"); return c.Text(200, text) })
	a.Get("/fixed", func(c nano.Ctx) error {
		c.SetHeader("Cache-Control", "public, no-transform")
		return c.Text(200, text)
	})
	a.Get("/shouted", func(c nano.Ctx) error {
		c.SetHeader("Cache-Control", "Private, No-Transform")
		return c.Text(200, text)
	})
	a.Get("/part", func(c nano.Ctx) error { c.SetHeader("Content-Range", "bytes 0-1/2"); return c.Text(206, text) })
	a.Get("/tagged", func(c nano.Ctx) error { c.SetHeader("ETag", `"v1"`); return c.Text(200, text) })
	a.Get("/weak", func(c nano.Ctx) error { c.SetHeader("ETag", `W/"v1"`); return c.Text(200, text) })
	a.Get("/stream", func(c nano.Ctx) error {
		return c.Stream(200, "text/plain", func(s *nano.Stream) error { _, err := s.WriteString(text); return err })
	})
	a.Get("/sized", func(c nano.Ctx) error {
		return c.StreamSized(200, "text/plain", int64(len(text)), func(s *nano.Stream) error { _, err := s.WriteString(text); return err })
	})
	a.Get("/events", func(c nano.Ctx) error {
		return c.Stream(200, "text/event-stream", func(s *nano.Stream) error { _, err := s.WriteString(text); return err })
	})
	a.Get("/nothing", func(c nano.Ctx) error { return c.NoContent(204) })
	for _, tt := range []struct {
		method, target, accept string
		coding                 string
		varies                 bool
		tag                    string
	}{
		{"GET", "/text", "gzip", "gzip", true, ""},
		{"GET", "/text", "gzip, zstd", "zstd", true, ""},
		{"GET", "/text", "gzip;q=1, zstd;q=0.5", "gzip", true, ""},
		{"GET", "/text", "GZIP;q=0.001", "gzip", true, ""},
		{"GET", "/text", "gzip;q=0", "", true, ""},
		{"GET", "/text", "*", "zstd", true, ""},
		{"GET", "/text", "*;q=0.5, zstd;q=0", "gzip", true, ""},
		{"GET", "/text", "identity, gzip;q=0.5", "", true, ""},
		{"GET", "/text", "br", "", true, ""},
		{"GET", "/text", "", "", true, ""},
		{"HEAD", "/text", "gzip", "gzip", true, ""},
		{"GET", "/small", "gzip", "", false, ""},
		{"GET", "/problem", "gzip", "gzip", true, ""},
		{"GET", "/patch", "gzip", "gzip", true, ""},
		{"GET", "/png", "gzip", "", false, ""},
		{"GET", "/coded", "gzip", "br", false, ""},
		{"GET", "/fixed", "gzip", "", false, ""},
		{"GET", "/shouted", "gzip", "", false, ""},
		{"GET", "/part", "gzip", "", false, ""},
		{"GET", "/tagged", "gzip", "gzip", true, `W/"v1"`},
		{"GET", "/tagged", "", "", true, `"v1"`},
		{"GET", "/weak", "gzip", "gzip", true, `W/"v1"`},
		{"GET", "/stream", "gzip", "gzip", true, ""},
		{"GET", "/stream", "zstd", "zstd", true, ""},
		{"HEAD", "/stream", "zstd", "zstd", true, ""},
		{"GET", "/sized", "zstd", "zstd", true, ""},
		{"GET", "/sized", "", "", true, ""},
		{"GET", "/events", "gzip", "", false, ""},
		{"GET", "/nothing", "gzip", "", false, ""},
	} {
		r := nanotest.New(a).Request(tt.method, tt.target)
		if tt.accept != "" {
			r.Header("Accept-Encoding", tt.accept)
		}
		got := r.Do()
		name := tt.method + " " + tt.target + " " + tt.accept
		if got.Header.Get("Content-Encoding") != tt.coding || got.Header.Get("ETag") != tt.tag || (got.Header.Get("Vary") == "Accept-Encoding") != tt.varies {
			t.Errorf("%s: %v", name, got.Header)
		}
		if tt.method == "HEAD" || tt.target == "/nothing" {
			continue
		}
		body := decoded(t, tt.coding, bytes.NewReader(got.Body))
		if want := map[string]string{"/small": text[:1023]}[tt.target]; body != text && body != want && tt.target != "/problem" {
			t.Errorf("%s: %d bytes", name, len(body))
		}
		if got.Header.Get("Content-Encoding") != "" && tt.target != "/coded" && len(got.Body) > 1000 {
			t.Errorf("%s: %d bytes are not compressed", name, len(got.Body))
		}
	}
}

// TestHeadIsLikeGet compares lengths: HEAD tells that of the compressed response.
func TestHeadIsLikeGet(t *testing.T) {
	a := nano.New(nano.Config{})
	a.Use(New(Config{}))
	a.Get("/", func(c nano.Ctx) error { return c.Text(200, text) })
	client := nanotest.New(a)
	get := client.Get("/").Header("Accept-Encoding", "gzip").Do()
	head := client.Head("/").Header("Accept-Encoding", "gzip").Do()
	if l := get.Header.Get("Content-Length"); l == "" || l != head.Header.Get("Content-Length") {
		t.Errorf("GET says %s, HEAD %s", l, head.Header.Get("Content-Length"))
	}
}

// TestWithETag has both orders give weak tags and 304.
func TestWithETag(t *testing.T) {
	etag, compress := middleware.ETag(middleware.ETagConfig{}), New(Config{})
	for i, order := range [][]nano.Middleware{{etag, compress}, {compress, etag}} {
		a := nano.New(nano.Config{})
		a.Use(order...)
		a.Get("/", func(c nano.Ctx) error { return c.Text(200, text) })
		got := nanotest.New(a).Get("/").Header("Accept-Encoding", "zstd").Do()
		tag := got.Header.Get("ETag")
		if !strings.HasPrefix(tag, `W/"`) || decoded(t, "zstd", bytes.NewReader(got.Body)) != text {
			t.Errorf("order %d: ETag %s", i, tag)
		}
		plain := nanotest.New(a).Get("/").Do()
		if "W/"+plain.Header.Get("ETag") != tag {
			t.Errorf("order %d: ETag %s as it is, %s compressed", i, plain.Header.Get("ETag"), tag)
		}
		std := httptest.NewRequest("GET", "/", nil)
		std.Header.Set("Accept-Encoding", "zstd")
		std.Header.Set("If-None-Match", tag)
		w := httptest.NewRecorder()
		a.ServeHTTP(w, std)
		if w.Code != 304 || w.Body.Len() > 0 || w.Header().Get("Content-Encoding") != "" {
			t.Errorf("order %d: %d %v", i, w.Code, w.Header())
		}
		if w.Header().Get("ETag") != tag || w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("order %d: the 304 is of another response than %s: %v", i, tag, w.Header())
		}
	}
}

// TestFlush reads each part of a stream before the next is written.
func TestFlush(t *testing.T) {
	for _, coding := range []string{"gzip", "zstd"} {
		step := make(chan struct{})
		a := nano.New(nano.Config{})
		a.Use(New(Config{}))
		a.Get("/", func(c nano.Ctx) error {
			return c.Stream(200, "text/plain", func(s *nano.Stream) error {
				for range 3 {
					s.WriteString("part.")
					if err := s.Flush(); err != nil {
						return err
					}
					<-step
				}
				return nil
			})
		})
		server := httptest.NewServer(a)
		r, _ := http.NewRequest("GET", server.URL, nil)
		r.Header.Set("Accept-Encoding", coding)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var body io.Reader
		if coding == "gzip" {
			body, err = gzip.NewReader(resp.Body)
		} else {
			body, err = zstd.NewReader(resp.Body, zstd.WithDecoderConcurrency(1))
		}
		if err != nil {
			t.Fatal(err)
		}
		part := make([]byte, 5)
		for range 3 {
			if _, err := io.ReadFull(body, part); err != nil || string(part) != "part." {
				t.Fatalf("%s: %q %v", coding, part, err)
			}
			step <- struct{}{}
		}
		if rest, err := io.ReadAll(body); len(rest) > 0 || err != nil {
			t.Errorf("%s: %q %v at the end", coding, rest, err)
		}
		resp.Body.Close()
		server.Close()
	}
}

// TestEncodersAreShared has requests of which some fail use the same encoders.
func TestEncodersAreShared(t *testing.T) {
	a := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler)})
	a.Use(New(Config{}))
	a.Get("/", func(c nano.Ctx) error { return c.Text(200, text) })
	a.Get("/cut", func(c nano.Ctx) error {
		return c.Stream(200, "text/plain", func(s *nano.Stream) error { s.WriteString(text); return nano.ErrAborted })
	})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			coding := []string{"gzip", "zstd"}[i%2]
			for range 20 {
				nanotest.New(a).Get("/cut").Header("Accept-Encoding", coding).Do()
				got := nanotest.New(a).Get("/").Header("Accept-Encoding", coding).Do()
				if decoded(t, coding, bytes.NewReader(got.Body)) != text {
					t.Errorf("%s: a wrong response", coding)
				}
			}
		})
	}
	all.Wait()
}

func TestConfig(t *testing.T) {
	for _, config := range []Config{{Codings: []string{"deflate"}}, {GzipLevel: 10}, {ZstdLevel: 5}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v: no panic", config)
				}
			}()
			New(config)
		}()
	}
}

func BenchmarkCompress(b *testing.B) {
	for _, coding := range []string{"gzip", "zstd"} {
		b.Run(coding, func(b *testing.B) {
			a := nano.New(nano.Config{})
			a.Use(New(Config{}))
			a.Get("/", func(c nano.Ctx) error { return c.Text(200, text) })
			r := httptest.NewRequest("GET", "/", nil)
			r.Header.Set("Accept-Encoding", coding)
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				a.ServeHTTP(httptest.NewRecorder(), r)
			}
		})
	}
}

func TestBrotli(t *testing.T) {
	a := nano.New(nano.Config{})
	a.Use(New(Config{Codings: []string{"br", "gzip"}}))
	a.Get("/", func(c nano.Ctx) error { return c.Text(200, text) })
	for range 2 { // the second has an encoder that was used
		got := nanotest.New(a).Get("/").Header("Accept-Encoding", "gzip;q=0.5, br").Do()
		body, err := io.ReadAll(brotli.NewReader(bytes.NewReader(got.Body)))
		if got.Header.Get("Content-Encoding") != "br" || string(body) != text || err != nil || len(got.Body) > len(text)/10 {
			t.Fatalf("%q, %d bytes for %d, %v", got.Header.Get("Content-Encoding"), len(got.Body), len(body), err)
		}
	}
}
