package nano_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
)

func BenchmarkHello(b *testing.B) {
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") })
	b.Run("nethttp", func(b *testing.B) {
		server := httptest.NewServer(hello)
		defer server.Close()
		askPipelined(b, server.Listener.Addr().String())
	})
	b.Run("mounted", func(b *testing.B) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		app := nano.New(nano.Config{Logger: quiet})
		app.Get("/", nano.FromHTTP(hello))
		go app.Serve(ln)
		defer app.Shutdown(context.Background())
		askPipelined(b, ln.Addr().String())
	})
}

// askPipelined sends pipelined requests, so that the server's share of the time is large.
func askPipelined(b *testing.B, address string) {
	const deep = 16
	c, err := net.Dial("tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	r := bufio.NewReader(c)
	requests := []byte(strings.Repeat("GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n", deep))
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i += deep {
		if _, err := c.Write(requests); err != nil {
			b.Fatal(err)
		}
		for got := 0; got < deep; {
			line, err := r.ReadSlice('\n')
			if err != nil {
				b.Fatal(err)
			}
			if len(line) == 2 {
				got++
				r.Discard(5)
			}
		}
	}
	b.StopTimer()
}

// BenchmarkTLS compares a nano app behind net/http's TLS and HTTP/2 with the
// handler on net/http alone.
func BenchmarkTLS(b *testing.B) {
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") })
	for _, two := range []bool{false, true} {
		name := map[bool]string{false: "http1", true: "http2"}[two]
		b.Run(name+"/nethttp", func(b *testing.B) {
			server := httptest.NewUnstartedServer(hello)
			server.EnableHTTP2 = two
			server.Config.ReadHeaderTimeout, server.Config.IdleTimeout = 10*time.Second, 75*time.Second // the same limits
			server.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 100, WriteByteTimeout: 30 * time.Second}
			server.StartTLS()
			defer server.Close()
			fetchTLS(b, server.Client(), server.URL)
		})
		b.Run(name+"/nano", func(b *testing.B) {
			like := httptest.NewUnstartedServer(hello) // for its certificate and client
			like.EnableHTTP2 = two
			like.StartTLS()
			defer like.Close()
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			app := nano.New(nano.Config{Logger: quiet})
			app.Get("/", func(c nano.Ctx) error { return c.Text(200, "hello") })
			go app.ServeTLS(ln, like.TLS)
			defer app.Shutdown(context.Background())
			fetchTLS(b, like.Client(), "https://"+ln.Addr().String())
		})
	}
}

func fetchTLS(b *testing.B, client *http.Client, url string) {
	defer client.CloseIdleConnections()
	b.ReportAllocs()
	for b.Loop() {
		resp, err := client.Get(url)
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	b.StopTimer()
}
