package nano_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"

	"dyno.example/nano"
)

// heap returns the bytes that are in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// TestSlowReadersCostLittle: clients that ask for 64 MB which are there anyway and
// take nothing don't make the server hold it once more for each of them. What was
// sent to those that go on reading is whole.
func TestSlowReadersCostLittle(t *testing.T) {
	const clients = 20
	size, each := 64<<20, int64(256<<10) // a copy would be 64 MB
	if racing {                          // pools keep little, and every byte costs more
		size, each = 16<<20, 6<<20 // kernels hold some 4 MB of each
	}
	shared := make([]byte, size)
	for i := range shared {
		shared[i] = byte(i >> 10)
	}
	certFile, keyFile := writePair(t, t.TempDir(), 1)
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	routes := func(app *nano.App) {
		app.Get("/bytes", func(c nano.Ctx) error { return c.Bytes(200, "application/octet-stream", shared) })
		app.Get("/spawned", func(c nano.Ctx) error { return c.Bytes(200, "application/octet-stream", shared) }, nano.OnGoroutine)
		app.Get("/stream", func(c nano.Ctx) error {
			return c.Stream(200, "application/octet-stream", func(s *nano.Stream) error { _, err := s.Write(shared); return err })
		})
		app.Get("/mounted", nano.FromHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(shared) })))
		app.Get("/coded", func(c nano.Ctx) error {
			c.BeforeResponse(func(_ nano.Ctx, a *nano.Response) { a.Filter(&copying{}) })
			return c.Bytes(200, "application/octet-stream", shared)
		})
	}
	plain, _ := serve(t, nano.Config{}, routes)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	secured := nano.New(nano.Config{Logger: quiet})
	routes(secured)
	listening(t, secured, func() error { return secured.ServeTLS(ln, &tls.Config{Certificates: []tls.Certificate{pair}}) })
	connect := func(protocol string) net.Conn {
		if protocol == "plain" {
			c, err := net.Dial("tcp", plain)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		c, err := tls.Dial("tcp", ln.Addr().String(), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, protocol := range []string{"plain", "http/1.1", "h2"} {
		for _, path := range []string{"/bytes", "/spawned", "/stream", "/mounted", "/coded"} {
			var conns []net.Conn
			for range clients {
				c := connect(protocol)
				defer c.Close()
				c.SetDeadline(time.Now().Add(5 * time.Minute))
				conns = append(conns, c)
			}
			before := heap()
			for _, c := range conns {
				if protocol == "h2" {
					askHTTP2(t, c, path)
				} else {
					fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", path)
				}
			}
			first := bufio.NewReaderSize(conns[0], 16)
			if _, err := first.Peek(1); err != nil {
				t.Fatal(err)
			}
			most := int64(0)
			for range 5 {
				time.Sleep(30 * time.Millisecond)
				most = max(most, heap()-before)
			}
			t.Logf("%s %s: %d KB for each client that doesn't read", protocol, path, most/clients>>10)
			if most > clients*each {
				t.Errorf("%s %s: %d clients that don't read cost %d KB each", protocol, path, clients, most/clients>>10)
			}
			if protocol != "h2" {
				resp, err := http.ReadResponse(bufio.NewReader(first), nil)
				if err != nil {
					t.Fatal(err)
				}
				at := 0
				for b := make([]byte, 1<<16); err == nil; {
					var n int
					n, err = resp.Body.Read(b)
					if !bytes.Equal(b[:n], shared[at:at+n]) {
						t.Fatalf("%s %s: the response is wrong at %d", protocol, path, at)
					}
					at += n
				}
				if at != size || err != io.EOF {
					t.Errorf("%s %s: %d bytes, %v", protocol, path, at, err)
				}
			}
			for _, c := range conns {
				c.Close()
			}
			for end := time.Now().Add(30 * time.Second); heap()-before >= clients*each/2 && time.Now().Before(end); {
				time.Sleep(5 * time.Millisecond) // until the handlers have seen it
			}
		}
	}
}

// askHTTP2 begins a connection of HTTP/2 with a request, and lets the server send
// as much as it likes (RFC 9113 3.4, 6).
func askHTTP2(t *testing.T, c net.Conn, path string) {
	t.Helper()
	b := []byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	frame := func(kind, flags byte, stream uint32, content ...byte) {
		b = append(b, 0, 0, byte(len(content)), kind, flags)
		b = append(binary.BigEndian.AppendUint32(b, stream), content...)
	}
	frame(4, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff) // SETTINGS: the window of a stream
	frame(8, 0, 0, 0x40, 0, 0, 0)                // WINDOW_UPDATE: that of the connection
	// HEADERS with END_HEADERS and END_STREAM; GET and https from the static table of
	// HPACK (RFC 7541 A).
	fields := append([]byte{0x82, 0x87, 0x41, 1, 'a', 0x44, byte(len(path))}, path...)
	frame(1, 5, 1, fields...)
	if _, err := c.Write(b); err != nil {
		t.Fatal(err)
	}
}

// copying is a coding that changes nothing.
type copying struct{ to io.Writer }

func (f *copying) Reset(to io.Writer)          { f.to = to }
func (f *copying) Write(p []byte) (int, error) { return f.to.Write(p) }
func (f *copying) Flush() error                { return nil }
func (f *copying) Close() error                { return nil }
