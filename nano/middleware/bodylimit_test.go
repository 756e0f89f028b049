package middleware

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

func TestBodyLimit(t *testing.T) {
	a := nano.New(nano.Config{Limits: nano.Limits{BufferBody: 4}})
	a.Use(BodyLimit(10))
	a.Post("/", func(c nano.Ctx) error {
		b, err := c.Body()
		if err != nil {
			return err
		}
		return c.Bytes(200, "text/plain", b)
	})
	a.Post("/read", func(c nano.Ctx) error {
		b, err := io.ReadAll(c.BodyReader())
		if err != nil {
			return err
		}
		return c.Bytes(200, "text/plain", b)
	})
	for _, target := range []string{"/", "/read"} {
		for body, want := range map[string]int{"": 200, "abc": 200, "0123456789": 200, "0123456789a": 413, strings.Repeat("a", 1000): 413} {
			for _, chunked := range []bool{false, true} {
				r := nanotest.New(a).Post(target).Text(body)
				h := httptest.NewRequest("POST", target, strings.NewReader(body))
				if chunked {
					r, h.ContentLength = r.Chunked(), -1
				}
				if got := r.Do(); got.Status != want || want == 200 && got.Text() != body {
					t.Errorf("%s %d bytes, chunked %v: %d %q", target, len(body), chunked, got.Status, got.Text())
				}
				w := httptest.NewRecorder()
				a.ServeHTTP(w, h)
				if w.Code != want {
					t.Errorf("%s %d bytes, chunked %v, net/http: %d", target, len(body), chunked, w.Code)
				}
			}
		}
	}
	mustPanic(t, "negative", func() { BodyLimit(-1) })
	allocs(t, BodyLimit(10), 0)
}

// TestBodyLimitWithinAnother: the smaller of two limits holds, whichever is inside
// and however the body is sent.
func TestBodyLimitWithinAnother(t *testing.T) {
	for _, limits := range [][2]int64{{3, 100}, {100, 3}} {
		a := nano.New(nano.Config{Limits: nano.Limits{BufferBody: 1}})
		a.Use(BodyLimit(limits[0]), BodyLimit(limits[1]))
		a.Post("/", func(c nano.Ctx) error { _, err := c.Body(); return err })
		for body, want := range map[string]int{"abc": 200, "abcd": 413} {
			if got := nanotest.New(a).Post("/").Text(body).Chunked().Do(); got.Status != want {
				t.Errorf("limits %v, %d bytes: %d", limits, len(body), got.Status)
			}
		}
	}
}
