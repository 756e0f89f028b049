package nano_test

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"dyno.example/nano"
)

// BenchmarkFile compares a file of 1 MiB sent by nano's loop (sendfile) with one
// sent by http.ServeFile, over loopback, client included.
func BenchmarkFile(b *testing.B) {
	name := filepath.Join(b.TempDir(), "f.bin")
	if err := os.WriteFile(name, make([]byte, 1<<20), 0o600); err != nil {
		b.Fatal(err)
	}
	std := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, name) })
	b.Run("nano", func(b *testing.B) {
		app := nano.New(nano.Config{Loops: 1, Logger: slog.New(slog.DiscardHandler)})
		app.Get("/f", func(c nano.Ctx) error { return c.File(name) })
		ln := listener(b)
		go app.Serve(ln)
		defer app.Shutdown(b.Context())
		fetch(b, ln.Addr().String())
	})
	b.Run("net/http", func(b *testing.B) {
		ln := listener(b)
		s := &http.Server{Handler: std}
		go s.Serve(ln)
		defer s.Close()
		fetch(b, ln.Addr().String())
	})
}

func listener(b *testing.B) net.Listener {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	return ln
}

func fetch(b *testing.B, at string) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	b.SetBytes(1 << 20)
	for b.Loop() {
		resp, err := client.Get("http://" + at + "/f")
		if err != nil {
			b.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, resp.Body); n != 1<<20 || err != nil {
			b.Fatal(n, err)
		}
		resp.Body.Close()
	}
}
