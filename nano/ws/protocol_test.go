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

	"dyno/nano"
	"dyno/nano/ws"
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
	text, binaryWhole   = 0x81, 0x82
	closing, ping, pong = 0x88, 0x89, 0x8a
)

// closed makes the payload of a close frame.
func closed(code uint16, reason string) string {
	return string(binary.BigEndian.AppendUint16(nil, code)) + reason
}

// heard reads what the server sends, as text: "t:hello p:x c:1000 ".
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
			b.WriteString("t:" + shown + " ")
		case binaryWhole:
			b.WriteString("b:" + shown + " ")
		case pong:
			b.WriteString("p:" + shown + " ")
		case closing:
			if length < 2 {
				b.WriteString("c: ")
			} else {
				fmt.Fprintf(&b, "c:%d ", binary.BigEndian.Uint16(payload))
			}
		default:
			fmt.Fprintf(&b, "%#x:%s ", head[0], shown)
		}
	}
}

// TestProtocol holds the server against RFC 6455 by a table of its own that follows
// the sections 1 to 7, 9 and 10 of the Autobahn test suite. It isn't that suite, which
// needs a Python that is no longer kept.
func TestProtocol(t *testing.T) {
	log := &lines{}
	app := nano.New(nano.Config{Logger: slog.New(slog.NewTextHandler(log, nil)), Loops: 1})
	app.Get("/echo", ws.Handler(ws.Options{MaxMessage: 16 << 20}, echo))
	url := serve(t, app)[0]
	end := frame(closing, closed(1000, ""))
	sized := func(n int) string { return strings.Repeat("*", n) }
	kappa := "\u03ba\u1f79\u03c3\u03bc\u03b5"
	type row struct{ name, send, want string }
	rows := []row{
		{"2.1 ping without payload", frame(ping, "") + end, "p: c:1000 "},
		{"2.2 ping", frame(ping, "Hello, world!") + end, "p:Hello, world! c:1000 "},
		{"2.3 ping of bytes", frame(ping, "\x00\xff\xfe\xfd") + end, "p:\x00\xff\xfe\xfd c:1000 "},
		{"2.4 ping of 125 bytes", frame(ping, sized(125)) + end, "p:" + sized(125) + " c:1000 "},
		{"2.5 ping of 126 bytes", frame(ping, sized(126)), "c:1002 "},
		{"2.7 pong that nobody asked for", frame(pong, "x") + end, "c:1000 "},
		{"2.9 pong, ping", frame(pong, "x") + frame(ping, "y") + end, "p:y c:1000 "},
		{"2.10 ten pings", strings.Repeat(frame(ping, "z"), 10) + end, strings.Repeat("p:z ", 10) + "c:1000 "},
		{"3.1 reserved bit 3", frame(0x91, "x"), "c:1002 "},
		{"3.2 between messages", frame(text, "a") + frame(0xa1, "x") + frame(ping, ""), "t:a c:1002 "},
		{"3.3 both", frame(0xb1, "x"), "c:1002 "},
		{"3.4 bit 1 without compression", frame(0xc1, "x"), "c:1002 "},
		{"3.5 of a ping", frame(0xc9, "x"), "c:1002 "},
		{"3.6 of a close", frame(0xf8, ""), "c:1002 "},
		{"5.1 fragmented ping", frame(0x09, "a") + frame(0x80, "b"), "c:1002 "},
		{"5.2 fragmented pong", frame(0x0a, "a") + frame(0x80, "b"), "c:1002 "},
		{"5.3 two fragments", frame(0x01, "a") + frame(0x80, "b") + end, "t:ab c:1000 "},
		{"5.6 ping between fragments", frame(0x01, "a") + frame(ping, "p") + frame(0x80, "b") + end, "p:p t:ab c:1000 "},
		{"5.9 continuation without a message", frame(0x80, "a"), "c:1002 "},
		{"5.10 that goes on", frame(0x00, "a"), "c:1002 "},
		{"5.12 after a message", frame(text, "a") + frame(0x80, "b"), "t:a c:1002 "},
		{"5.15 after fragments", frame(0x01, "a") + frame(0x80, "b") + frame(0x00, "c"), "t:ab c:1002 "},
		{"5.18 a message in a message", frame(0x01, "a") + frame(text, "b"), "c:1002 "},
		{"5.19 pings in many fragments", frame(0x01, "1") + frame(0x00, "2") + frame(ping, "a") + frame(0x00, "3") + frame(ping, "b") + frame(0x80, "4") + end, "p:a p:b t:1234 c:1000 "},
		{"6.1 empty fragments", frame(0x01, "") + frame(0x00, "") + frame(0x80, "") + end, "t: c:1000 "},
		{"6.2 UTF-8", frame(text, "Hello-µ@ßöäüàá-UTF-8!!") + end, "t:Hello-µ@ßöäüàá-UTF-8!! c:1000 "},
		{"6.2.3 a byte a fragment", fragments(kappa, 1) + end, "t:" + kappa + " c:1000 "},
		{"6.3.1 a surrogate", frame(text, kappa+"\xed\xa0\x80edited"), "c:1007 "},
		{"6.3.2 a byte a fragment", fragments(kappa+"\xed\xa0\x80edited", 1), "c:1007 "},
		{"6.4.1 seen before the message ends", frame(0x01, kappa) + frame(0x00, "\xf4\x90\x80\x80"), "c:1007 "},
		{"6.6 cut within a character", frame(text, "\xce"), "c:1007 "},
		{"6.6 whole at the next", frame(text, "\xce\xba") + end, "t:\xce\xba c:1000 "},
		{"6.7 the first of each length", frame(text, "\x00\u0080\u0800\U00010000") + end, "t:\x00\u0080\u0800\U00010000 c:1000 "},
		{"6.9 the last of each length", frame(text, "\x7f\u07ff\uffff\U0010ffff") + end, "t:\x7f\u07ff\uffff\U0010ffff c:1000 "},
		{"6.11 U+FFFD itself", frame(text, "\ufffd") + end, "t:\ufffd c:1000 "},
		{"6.12 a continuation alone", frame(text, "\x80"), "c:1007 "},
		{"6.14 a start alone", frame(text, "\xc3 "), "c:1007 "},
		{"6.14 a start and a half", frame(text, "\xe2\x82 "), "c:1007 "},
		{"6.17 impossible bytes", frame(text, "\xfe"), "c:1007 "},
		{"6.18 overlong", frame(text, "\xc0\xaf"), "c:1007 "},
		{"6.19 overlong of three", frame(text, "\xe0\x80\xaf"), "c:1007 "},
		{"6.23 noncharacters are characters", frame(text, "\ufffe\U0001ffff") + end, "t:\ufffe\U0001ffff c:1000 "},
		{"any bytes in a binary message", frame(binaryWhole, "\xff\xc0") + end, "b:\xff\xc0 c:1000 "},
		{"7.1.1 a message and the end", frame(text, "a") + end, "t:a c:1000 "},
		{"7.1.2 two closes", end + end, "c:1000 "},
		{"7.1.3 a ping behind", end + frame(ping, "x"), "c:1000 "},
		{"7.1.4 a message behind", end + frame(text, "x"), "c:1000 "},
		{"7.1.5 within a message", frame(0x01, "a") + end + frame(0x80, "b"), "c:1000 "},
		{"7.3.1 without a status", frame(closing, ""), "c: "},
		{"7.3.2 half a status", frame(closing, "a"), "c:1002 "},
		{"7.3.4 a reason", frame(closing, closed(1000, "Hello")), "c:1000 "},
		{"7.3.5 of 123 bytes", frame(closing, closed(1000, sized(123))), "c:1000 "},
		{"7.3.6 of 124", frame(closing, closed(1000, sized(124))), "c:1002 "},
		{"7.5.1 that isn't UTF-8", frame(closing, closed(1000, kappa+"\xed\xa0\x80edited")), "c:1007 "},
		{"10.1 in 1300 bytes each", fragments(sized(65536), 1300) + end, "t:65536 bytes c:1000 "},
		{"not masked", "\x81\x01a", "c:1002 "},
		{"not masked, after a message", frame(text, "a") + "\x89\x00", "t:a c:1002 "},
		{"126 for a length of 125", "\x82\xfe\x00\x7d\x00\x00\x00\x00" + sized(125), "c:1002 "},
		{"127 for a length of 65535", "\x82\xff\x00\x00\x00\x00\x00\x00\xff\xff\x00\x00\x00\x00", "c:1002 "},
		{"a negative length", "\x82\xff\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "c:1002 "},
	}
	for _, n := range []int{0, 125, 126, 127, 128, 65535, 65536} {
		shown := sized(n)
		if n > 200 {
			shown = fmt.Sprint(n, " bytes")
		}
		rows = append(rows, row{fmt.Sprint("1.1 text of ", n), frame(text, sized(n)) + end, "t:" + shown + " c:1000 "},
			row{fmt.Sprint("1.2 binary of ", n), frame(binaryWhole, sized(n)) + end, "b:" + shown + " c:1000 "})
	}
	for _, op := range []byte{3, 4, 5, 6, 7, 11, 12, 13, 14, 15} {
		rows = append(rows, row{fmt.Sprint("4 opcode ", op), frame(text, "a") + frame(0x80|op, "x"), "t:a c:1002 "})
	}
	for _, code := range []uint16{1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999} {
		rows = append(rows, row{fmt.Sprint("7.7 status ", code), frame(closing, closed(code, "")), fmt.Sprintf("c:%d ", code)})
	}
	for _, code := range []uint16{0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535} {
		rows = append(rows, row{fmt.Sprint("7.9 status ", code), frame(closing, closed(code, "")), "c:1002 "})
	}
	for _, n := range []int{64 << 10, 1 << 20, 4 << 20} {
		rows = append(rows, row{fmt.Sprint("9.1 text of ", n), frame(text, sized(n)) + end, fmt.Sprintf("t:%d bytes c:1000 ", n)},
			row{fmt.Sprint("9.4 in fragments of 4096 ", n), fragments(sized(n), 4096) + end, fmt.Sprintf("t:%d bytes c:1000 ", n)})
	}
	for _, tt := range rows {
		for _, piece := range []int{len(tt.send), 1, 7} {
			if piece < len(tt.send) && len(tt.send) > 400 {
				continue
			}
			conn := upgraded(t, url, "/echo")
			go func() {
				for rest := tt.send; rest != ""; {
					n := min(piece, len(rest))
					if _, err := io.WriteString(conn, rest[:n]); err != nil {
						return
					}
					rest = rest[n:]
				}
				if !strings.Contains(tt.want, "1000") { // the server waits for the client's close
					io.WriteString(conn, frame(closing, ""))
					conn.(*net.TCPConn).CloseWrite()
				}
			}()
			if got := heard(conn); got != tt.want {
				t.Errorf("%s, in pieces of %d: %.300q, want %.300q", tt.name, piece, got, tt.want)
			}
			conn.Close()
		}
	}
	if strings.Contains(log.String(), "ERROR") {
		t.Errorf("what clients do wrong is no error: %.500s", log)
	}
}

// fragments makes a text message of pieces.
func fragments(s string, size int) string {
	var b bytes.Buffer
	first := byte(0x01)
	for len(s) > size {
		b.WriteString(frame(first, s[:size]))
		first, s = 0x00, s[size:]
	}
	b.WriteString(frame(first|0x80, s))
	return b.String()
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
