//go:build linux

package gateway_test

import (
	"bytes"
	"testing"

	"dyno.example/nano/wire/http2"
)

// bareServer is an upstream that responds to calls with the same bytes, without allocating.
func bareServer(t testing.TB) (url string) {
	config := http2.NewConfig(http2.Config{Server: true, Table: 4096})
	message := []byte("\x00\x00\x00\x00\x05hello")
	return "h2c://" + scripted(t, func(p *peer) {
		var conn http2.Conn
		var pool http2.Pool
		conn.Start(config, &pool, 0)
		buf, have := make([]byte, 64<<10), 0
		for now := int64(1); ; now += 1e6 {
			n, err := p.Conn.Read(buf[have:])
			if err != nil {
				return
			}
			have += n
			b := buf[:have]
			for {
				n, ev, err := conn.Next(b, now)
				if b = b[n:]; err != nil {
					return
				}
				if ev.Kind == http2.More {
					break
				}
				if s := ev.Stream; s != nil && ev.End {
					conn.Consume(s, len(ev.Data))
					conn.Response(s, 200)
					conn.Known(http2.NameContentType, grpcType)
					conn.EndHeaders(false)
					conn.SendData(s, message, false)
					conn.Trailers(s)
					conn.Known(http2.NameGRPCStatus, zero)
					conn.EndHeaders(true)
					conn.Release(s)
				} else if s != nil && ev.Kind == http2.EventData {
					conn.Consume(s, len(ev.Data))
				}
			}
			have = copy(buf, b)
			if len(conn.Out) > 0 {
				p.Conn.Write(conn.Out)
				conn.Out = conn.Out[:0]
				conn.Flushed()
			}
		}
	})
}

var grpcType, zero = []byte("application/grpc"), []byte("0")

// A call over gRPC allocates nothing, whatever the versions.
func TestCallsDoNotAllocate(t *testing.T) {
	_, at := startLoops(t, 1, "routes: [{to: \""+bareServer(t)+"\", timeout: 10s}]\n")
	p := dial(t, at)
	var conn http2.Conn
	var pool http2.Pool
	conn.Start(http2.NewConfig(http2.Config{Table: 4096}), &pool, 0)
	message := []byte("\x00\x00\x00\x00\x05hello")
	var method, scheme, host, path = []byte("POST"), []byte("http"), []byte("h"), []byte("/s.S/M")
	te, trailers, timeout, second, agent, grpcGo := []byte("te"), []byte("trailers"), []byte("grpc-timeout"), []byte("20S"), []byte("user-agent"), []byte("grpc-go/1.85.0")
	buf, have := make([]byte, 64<<10), 0
	now := int64(1)
	ask := func() {
		s, err := conn.Open()
		if err != nil {
			t.Fatal(err)
		}
		conn.Request(s, method, scheme, host, path)
		conn.Known(http2.NameContentType, grpcType)
		conn.Field(te, trailers)
		conn.Field(timeout, second)
		conn.Field(agent, grpcGo)
		conn.EndHeaders(false)
		conn.SendData(s, message, true)
		body := 0
		for ended := false; !ended; now += 1e6 {
			if len(conn.Out) > 0 {
				p.Conn.Write(conn.Out)
				conn.Out = conn.Out[:0]
				conn.Flushed()
			}
			n, err := p.Conn.Read(buf[have:])
			if err != nil {
				t.Fatal(err)
			}
			have += n
			b := buf[:have]
			for {
				n, ev, err := conn.Next(b, now)
				if b = b[n:]; err != nil {
					t.Fatal(err)
				}
				if ev.Kind == http2.More {
					break
				}
				if ev.Stream != s {
					continue
				}
				switch ev.Kind {
				case http2.EventData:
					if !bytes.HasPrefix(message[body:], ev.Data) {
						t.Fatalf("%q", ev.Data)
					}
					body += len(ev.Data)
					conn.Consume(s, len(ev.Data))
				case http2.EventTrailers:
					if status, _ := ev.Header.FindKnown(http2.NameGRPCStatus); string(status) != "0" || body != len(message) {
						t.Fatalf("%q after %d bytes", status, body)
					}
				case http2.EventReset:
					t.Fatal(ev.Code)
				}
				ended = ended || ev.End
			}
			have = copy(buf, b)
		}
		conn.Release(s)
	}
	noAllocations(t, "HTTP/2 to HTTP/2", ask)

	h1 := dial(t, at)
	request := []byte("POST /s.S/M HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n\x00\x00\x00\x00\x05hello")
	got := make([]byte, 4096)
	noAllocations(t, "HTTP/1.1 to HTTP/2", func() {
		h1.Conn.Write(request)
		for n := 0; !bytes.HasSuffix(got[:n], []byte("\r\n0\r\ngrpc-status: 0\r\n\r\n")); {
			m, err := h1.Conn.Read(got[n:])
			if err != nil || n > 1000 {
				t.Fatalf("%q, %v", got[:n], err)
			}
			n += m
		}
	})
}
