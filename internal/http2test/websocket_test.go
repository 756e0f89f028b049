package http2test

import (
	"context"
	"encoding/binary"
	"io"
	"testing"

	"github.com/coder/websocket"
	xhttp2 "golang.org/x/net/http2"

	"dyno.example/nano"
	"dyno.example/nano/ws"
)

// stream is a stream of HTTP/2 whose content is another protocol's.
type stream struct {
	*framed
	id    uint32
	rest  []byte
	ended bool
}

func (s *stream) Write(p []byte) (int, error) { return len(p), s.WriteData(s.id, false, p) }

func (s *stream) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.ended {
			return 0, io.EOF
		}
		frame, err := s.ReadFrame()
		if err != nil {
			return 0, err
		}
		if d, ok := frame.(*xhttp2.DataFrame); ok && d.StreamID == s.id {
			s.rest, s.ended = append([]byte(nil), d.Data()...), d.StreamEnded()
			s.check(s.WriteWindowUpdate(0, uint32(len(s.rest))+1))
			s.check(s.WriteWindowUpdate(s.id, uint32(len(s.rest))+1))
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// send sends a frame of a WebSocket (RFC 6455 5.2), masked with zeros.
func (s *stream) send(opcode byte, payload string) {
	frame := []byte{0x80 | opcode, 0x80 | 126, 0, 0, 0, 0, 0, 0}
	binary.BigEndian.PutUint16(frame[2:], uint16(len(payload)))
	if len(payload) < 126 {
		frame = []byte{0x80 | opcode, 0x80 | byte(len(payload)), 0, 0, 0, 0}
	}
	s.must(s.Write(append(frame, payload...)))
}

// receive reads a frame.
func (s *stream) receive() (opcode byte, payload string) {
	var head [4]byte
	s.must(io.ReadFull(s, head[:2]))
	n := int(head[1])
	if n == 126 {
		s.must(io.ReadFull(s, head[2:]))
		n = int(binary.BigEndian.Uint16(head[2:]))
	}
	text := make([]byte, n)
	s.must(io.ReadFull(s, text))
	return head[0] & 15, string(text)
}

// askProtocol sends an extended CONNECT, when the server has said that it takes it
// (RFC 8441 3), and returns the head of the response.
func (f *framed) askProtocol(protocol, path string, fields ...string) (*stream, *xhttp2.MetaHeadersFrame) {
	f.Helper()
	for offered := false; !offered; {
		frame, err := f.ReadFrame()
		f.check(err)
		if s, ok := frame.(*xhttp2.SettingsFrame); ok && !s.IsAck() {
			if v, _ := s.Value(xhttp2.SettingEnableConnectProtocol); v != 1 {
				f.Fatal("extended CONNECT is not offered")
			}
			offered = true
		}
	}
	id, err := f.open(false, append([]string{":method", "CONNECT", ":protocol", protocol, ":scheme", "http", ":authority", "a", ":path", path}, fields...)...)
	f.check(err)
	for {
		frame, err := f.ReadFrame()
		f.check(err)
		if h, ok := frame.(*xhttp2.MetaHeadersFrame); ok {
			return &stream{framed: f, id: id, ended: h.StreamEnded()}, h
		}
	}
}

func websocketRoutes(app *nano.App) {
	floodRoutes(app)
	app.Get("/echo", ws.Handler(ws.Options{Subprotocols: []string{"b"}}, func(ctx context.Context, conn *websocket.Conn) error {
		for {
			kind, message, err := conn.Read(ctx)
			if err != nil {
				return err
			}
			if err := conn.Write(ctx, kind, message); err != nil {
				return err
			}
		}
	}))
	app.Get("/ends", ws.Handler(ws.Options{}, func(context.Context, *websocket.Conn) error { return nil }))
}

// TestWebSocket: one WebSocket on a stream (RFC 8441), beside requests.
func TestWebSocket(t *testing.T) {
	at := serveNano(t, nano.Config{}, websocketRoutes)
	s, head := dialFramed(t, at, true).askProtocol("websocket", "/echo", "sec-websocket-version", "13", "sec-websocket-protocol", "a, b", "origin", "http://a")
	for name, want := range map[string]string{"status": "200", "sec-websocket-protocol": "b", "sec-websocket-accept": "", "upgrade": "", "connection": ""} {
		got := ""
		for _, f := range head.Fields {
			if f.Name == name || f.Name == ":"+name {
				got = f.Value
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if head.StreamEnded() {
		t.Fatal("the stream has ended with its head")
	}
	for _, text := range []string{"hello", "", string(make([]byte, 3000))} {
		s.send(1, text)
		if opcode, got := s.receive(); opcode != 1 || got != text {
			t.Fatalf("%d bytes: opcode %d, %d bytes", len(text), opcode, len(got))
		}
		other, err := s.get("/")
		s.check(err)
		for {
			frame, err := s.ReadFrame()
			s.check(err)
			if h, ok := frame.(*xhttp2.MetaHeadersFrame); ok && h.StreamID == other {
				if h.PseudoValue("status") != "200" {
					t.Errorf("a request beside it gets %v", h.Fields)
				}
				break
			}
		}
	}
	s.send(8, "\x03\xe8")
	if opcode, got := s.receive(); opcode != 8 || got != "\x03\xe8" {
		t.Errorf("closing: opcode %d, %x", opcode, got)
	}
	for { // what is left of the other responses, and the stream's end
		if _, err := s.Read(make([]byte, 100)); err != nil {
			if err != io.EOF || !s.ended {
				t.Errorf("the stream ends with %v", err)
			}
			break
		}
	}
}

// TestWebSocketRefused: what is no WebSocket isn't taken for one.
func TestWebSocketRefused(t *testing.T) {
	at := serveNano(t, nano.Config{}, websocketRoutes)
	for _, tt := range []struct {
		name, protocol, path, status string
		fields                       []string
	}{
		{"another protocol", "connect-udp", "/echo", "501", nil},
		{"a route that is none", "websocket", "/", "501", nil},
		{"no route", "websocket", "/nowhere", "404", nil},
		{"another version", "websocket", "/echo", "400", []string{"sec-websocket-version", "7"}},
		{"another origin", "websocket", "/echo", "403", []string{"sec-websocket-version", "13", "origin", "http://b"}},
	} {
		_, head := dialFramed(t, at, true).askProtocol(tt.protocol, tt.path, tt.fields...)
		if got := head.PseudoValue("status"); got != tt.status {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.status)
		}
	}
}

// TestWebSocketGone: a client that resets the stream, or closes the connection, ends the
// handler; one whose handler ends is told.
func TestWebSocketGone(t *testing.T) {
	ended := make(chan struct{}, 2)
	at := serveNano(t, nano.Config{}, func(app *nano.App) {
		websocketRoutes(app)
		app.Get("/waits", ws.Handler(ws.Options{}, func(ctx context.Context, conn *websocket.Conn) error {
			defer func() { ended <- struct{}{} }()
			_, _, err := conn.Read(ctx)
			return err
		}))
	})
	version := []string{"sec-websocket-version", "13"}
	s, _ := dialFramed(t, at, true).askProtocol("websocket", "/waits", version...)
	s.check(s.WriteRSTStream(s.id, xhttp2.ErrCodeCancel))
	<-ended
	s, _ = dialFramed(t, at, true).askProtocol("websocket", "/waits", version...)
	s.Conn.Close()
	<-ended
	s, _ = dialFramed(t, at, true).askProtocol("websocket", "/ends", version...)
	if opcode, got := s.receive(); opcode != 8 || got != "\x03\xe8" {
		t.Errorf("opcode %d, %x", opcode, got)
	}
	s.send(8, "\x03\xe8")
	if _, err := s.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the stream ends with %v", err)
	}
}
