package ws_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/wire/websocket/cases"
	"dyno.example/nano/ws"
)

// frame makes a frame as clients send it (RFC 6455 5.2). first is its first byte.
func frame(first byte, payload string) string {
	length := []byte{0x80 | byte(len(payload))}
	switch {
	case len(payload) > 65535:
		length = binary.BigEndian.AppendUint64([]byte{0xff}, uint64(len(payload)))
	case len(payload) > 125:
		length = binary.BigEndian.AppendUint16([]byte{0xfe}, uint16(len(payload)))
	}
	masked, mask := []byte(payload), [4]byte{0x37, 0xfa, 0x21, 0x3d}
	for i := range masked {
		masked[i] ^= mask[i&3]
	}
	return string([]byte{first}) + string(length) + string(mask[:]) + string(masked)
}

// First bytes of frames.
const (
	text, binaryWhole = 0x81, 0x82
	closing, pong     = 0x88, 0x8a
)

// heard reads what the server sends, as the cases have it.
func heard(r io.Reader) string {
	var b strings.Builder
	for {
		var head [2]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return b.String()
		}
		length := uint64(head[1] & 0x7f)
		switch length {
		case 126:
			var n [2]byte
			io.ReadFull(r, n[:])
			length = uint64(binary.BigEndian.Uint16(n[:]))
		case 127:
			var n [8]byte
			io.ReadFull(r, n[:])
			length = binary.BigEndian.Uint64(n[:])
		}
		payload := make([]byte, length)
		if _, err := io.ReadFull(r, payload); err != nil {
			return b.String() + "cut"
		}
		shown := string(payload)
		if length > 200 {
			shown = fmt.Sprint(length, " bytes")
		}
		switch head[0] {
		case text:
			b.WriteString("t:" + shown + "\n")
		case binaryWhole:
			b.WriteString("b:" + shown + "\n")
		case pong:
			b.WriteString("p:" + shown + "\n")
		case closing:
			if length < 2 {
				b.WriteString("c:\n")
			} else {
				fmt.Fprintf(&b, "c:%d\n", binary.BigEndian.Uint16(payload))
			}
		default:
			fmt.Fprintf(&b, "%#x:%s\n", head[0], shown)
		}
	}
}

// TestProtocol holds the server against RFC 6455, by the table that clients are held to
// as well.
func TestProtocol(t *testing.T) {
	log := &lines{}
	app := nano.New(nano.Config{Logger: slog.New(slog.NewTextHandler(log, nil)), Loops: 1})
	app.Get("/echo", ws.Handler(ws.Options{MaxMessage: 16 << 20}, echo))
	url := serve(t, app)[0]
	for _, tt := range cases.FromClient() {
		for _, piece := range []int{len(tt.Send), 1, 7} {
			if piece < len(tt.Send) && len(tt.Send) > 400 {
				continue
			}
			conn := upgraded(t, url, "/echo")
			go func() {
				for rest := tt.Send; rest != ""; {
					n := min(piece, len(rest))
					if _, err := io.WriteString(conn, rest[:n]); err != nil {
						return
					}
					rest = rest[n:]
				}
				if !strings.Contains(tt.Want, "1000") { // the server waits for the client's close
					io.WriteString(conn, frame(closing, ""))
					conn.(*net.TCPConn).CloseWrite()
				}
			}()
			if got := heard(conn); got != tt.Want {
				t.Errorf("%s %s, in pieces of %d: %.300q, want %.300q", tt.Number, tt.Name, piece, got, tt.Want)
			}
			conn.Close()
		}
	}
	if strings.Contains(log.String(), "ERROR") {
		t.Errorf("what clients do wrong is no error: %.500s", log)
	}
}

// lines is a log that can be read while it is written.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestMiddlewaresFieldsReachThe101: whatever way they are set.
func TestMiddlewaresFieldsReachThe101(t *testing.T) {
	app := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler), Loops: 1})
	app.Use(func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			c.SetHeader("X-Request-Id", "7")
			c.SetHeader("Content-Type", "text/plain")
			c.BeforeResponse(func(c nano.Ctx, _ *nano.Response) { c.SetHeader("X-Late", "8") })
			return next(c)
		}
	})
	app.Get("/echo", ws.Handler(ws.Options{}, echo))
	for _, url := range serve(t, app) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "ws://"))
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, handshake("HTTP/1.1"))
		b := make([]byte, 4096)
		n, _ := conn.Read(b)
		conn.Close()
		head := string(b[:n])
		for _, want := range []string{"HTTP/1.1 101 ", "X-Request-Id: 7\r\n", "X-Late: 8\r\n", "Sec-Websocket-Accept: "} {
			if !strings.Contains(head, want) {
				t.Errorf("%q is not in %q", want, head)
			}
		}
		if strings.Contains(head, "Content-Type") {
			t.Error(head)
		}
	}
}

// TestHTTP10IsRefused as what can't be upgraded.
func TestHTTP10IsRefused(t *testing.T) {
	for _, url := range serve(t, newApp(ws.Options{})) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "ws://"))
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, handshake("HTTP/1.0"))
		got, _ := io.ReadAll(conn)
		conn.Close()
		if !strings.Contains(string(got), " 426 ") {
			t.Errorf("%s: %.100q", url, got)
		}
	}
}

func handshake(version string) string {
	return "GET /echo " + version + "\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
}
