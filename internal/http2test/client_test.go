package http2test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"dyno.example/nano"
)

// serveNano serves an app over cleartext HTTP/2 until the test ends.
func serveNano(t *testing.T, config nano.Config, routes func(*nano.App)) (address string) {
	t.Helper()
	config.H2C, config.Logger = true, slog.New(slog.DiscardHandler)
	config.Limits.Drain = time.Second
	app := nano.New(config)
	routes(app)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- app.Serve(ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := errors.Join(app.Shutdown(ctx), <-served); err != nil {
			t.Error(err)
		}
	})
	return ln.Addr().String()
}

// framed is a client made of x/net's framer, which sends what a test wants it to.
type framed struct {
	*testing.T
	net.Conn
	*xhttp2.Framer
	block   bytes.Buffer
	encoder *hpack.Encoder
	next    uint32
}

// dialFramed connects with the given settings, and acknowledges the server's if ack.
func dialFramed(t *testing.T, address string, ack bool, settings ...xhttp2.Setting) *framed {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(time.Minute)) // a test that hangs says where
	f := &framed{T: t, Conn: c, Framer: xhttp2.NewFramer(c, c), next: 1}
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	f.encoder = hpack.NewEncoder(&f.block)
	f.must(io.WriteString(c, xhttp2.ClientPreface))
	f.check(f.WriteSettings(settings...))
	if ack {
		f.check(f.WriteSettingsAck())
	}
	return f
}

func (f *framed) check(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *framed) must(_ int, err error) { f.Helper(); f.check(err) }

// fields encodes a field block; pairs are names and values.
func (f *framed) fields(pairs ...string) []byte {
	f.block.Reset()
	for i := 0; i < len(pairs); i += 2 {
		f.check(f.encoder.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]}))
	}
	return f.block.Bytes()
}

// open sends the head of a request and returns its stream.
func (f *framed) open(end bool, pairs ...string) (stream uint32, err error) {
	stream = f.next
	f.next += 2
	return stream, f.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: stream, BlockFragment: f.fields(pairs...), EndStream: end, EndHeaders: true})
}

// get asks for a path.
func (f *framed) get(path string) (stream uint32, err error) {
	return f.open(true, ":method", "GET", ":scheme", "http", ":authority", "a", ":path", path)
}

// goneAway reads until the connection ends, and returns why the server has ended it.
func (f *framed) goneAway() (why xhttp2.ErrCode, told bool) {
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return why, told
		}
		if g, ok := frame.(*xhttp2.GoAwayFrame); ok {
			why, told = g.ErrCode, true
		}
	}
}

// works asks the server on another connection.
func works(t *testing.T, address string) {
	t.Helper()
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: protocols}, Timeout: time.Minute}
	defer client.CloseIdleConnections()
	r, err := client.Get("http://" + address + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if _, err := io.ReadAll(r.Body); err != nil || r.StatusCode != 200 {
		t.Fatalf("another client gets %d, %v", r.StatusCode, err)
	}
}
