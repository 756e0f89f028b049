package compress

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

// coded codes a text.
func coded(t *testing.T, coding, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, _ = zstd.NewWriter(&b)
	default:
		w = gzip.NewWriter(&b)
	}
	io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDecompress(t *testing.T) {
	a := nano.New(nano.Config{})
	a.Use(Decompress(DecompressConfig{MaxBody: 100_000, Codings: nil}))
	a.Post("/", func(c nano.Ctx) error {
		whole, err := c.Body()
		if err != nil {
			return err
		}
		read, err := io.ReadAll(c.BodyReader())
		if err != nil || !bytes.Equal(whole, read) {
			t.Errorf("the reader has %d bytes of %d, %v", len(read), len(whole), err)
		}
		return c.Bytes(200, "text/plain", whole)
	})
	bomb := strings.Repeat("0", 10_000_000)
	for _, c := range []struct {
		name, coding string
		body         []byte
		status       int
		want         string
	}{
		{"gzip", "gzip", coded(t, "gzip", text), 200, text},
		{"x-gzip", "X-Gzip", coded(t, "gzip", text), 200, text},
		{"br", "br", coded(t, "br", text), 200, text},
		{"zstd", "zstd", coded(t, "zstd", text), 200, text},
		{"none", "", []byte("plain"), 200, "plain"},
		{"identity", "identity", []byte("plain"), 200, "plain"},
		{"one that isn't known", "compress", []byte("x"), 415, ""},
		{"two", "gzip, br", []byte("x"), 415, ""},
		{"not coded", "gzip", []byte("plain"), 400, ""},
		{"cut", "gzip", coded(t, "gzip", text)[:40], 400, ""},
		{"cut br", "br", coded(t, "br", text)[:10], 400, ""},
		{"a bomb", "gzip", coded(t, "gzip", bomb), 413, ""},
		{"a bomb, br", "br", coded(t, "br", bomb), 413, ""},
		{"a bomb, zstd", "zstd", coded(t, "zstd", bomb), 413, ""},
	} {
		r := nanotest.New(a).Post("/")
		if c.coding != "" {
			r.Header("Content-Encoding", c.coding)
		}
		got := r.Body("text/plain", c.body).Do()
		if got.Status != c.status || c.want != "" && got.Text() != c.want {
			t.Errorf("%s: %d, %d bytes", c.name, got.Status, len(got.Body))
		}
	}
}
