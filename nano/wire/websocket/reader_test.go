package websocket

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// told feeds a reader in pieces of a size and shows what it tells.
func told(r *Reader, sent string, piece int) string {
	var out strings.Builder
	var message []byte
	for rest := []byte(sent); len(rest) > 0; {
		b := rest[:min(piece, len(rest))]
		rest = rest[len(b):]
		for {
			n, ev, err := r.Next(b)
			b = b[n:]
			var wrong *Violation
			if errors.As(err, &wrong) {
				return fmt.Sprintf("%s!%v %d", out.String(), wrong.Fault, wrong.Status())
			}
			if ev.Kind == More {
				if len(b) > 0 {
					return out.String() + "bytes are left"
				}
				break
			}
			switch ev.Kind {
			case Payload:
				if ev.Begins {
					message = nil
				}
				part := bytes.Clone(ev.Data)
				if r.Masked {
					Mask(part, ev.Mask, ev.At)
				}
				if message = append(message, part...); ev.Ends {
					shown := string(message)
					if len(shown) > 200 {
						shown = fmt.Sprint(len(shown), " bytes")
					}
					fmt.Fprintf(&out, "%s:%s ", map[Opcode]string{Text: "t", Binary: "b"}[ev.Opcode], shown)
				}
			case PingFrame:
				fmt.Fprintf(&out, "ping:%s ", ev.Data)
			case PongFrame:
				fmt.Fprintf(&out, "pong:%s ", ev.Data)
			case CloseFrame:
				fmt.Fprintf(&out, "close:%d:%s ", ev.Code, ev.Reason)
			}
		}
	}
	return out.String()
}

// TestReader reads what a server sends, and the same as a client masks it.
func TestReader(t *testing.T) {
	f := func(first byte, payload string) string {
		return string(AppendFrame(nil, Opcode(first&0x0f), first&finalBit != 0, []byte(payload), nil))
	}
	for _, c := range []struct{ name, sent, want string }{
		{"nothing", "", ""},
		{"text", f(0x81, "hello"), "t:hello "},
		{"empty text", f(0x81, ""), "t: "},
		{"binary of any bytes", f(0x82, "\xff\x00"), "b:\xff\x00 "},
		{"two messages", f(0x81, "a") + f(0x81, "b"), "t:a t:b "},
		{"125 bytes", f(0x82, strings.Repeat("x", 125)), "b:" + strings.Repeat("x", 125) + " "},
		{"126 bytes", f(0x82, strings.Repeat("x", 126)), "b:" + strings.Repeat("x", 126) + " "},
		{"65535 bytes", f(0x82, strings.Repeat("x", 65535)), "b:65535 bytes "},
		{"65536 bytes", f(0x82, strings.Repeat("x", 65536)), "b:65536 bytes "},
		{"fragments", f(0x01, "a") + f(0x00, "") + f(0x80, "b"), "t:ab "},
		{"empty fragments", f(0x01, "") + f(0x80, ""), "t: "},
		{"a ping between them", f(0x01, "a") + f(0x89, "p") + f(0x80, "b"), "ping:p t:ab "},
		{"an empty ping", f(0x89, ""), "ping: "},
		{"a pong", f(0x8a, "x"), "pong:x "},
		{"a close without a status", f(0x88, ""), "close:1005: "},
		{"a close with a reason", f(0x88, "\x03\xe8bye"), "close:1000:bye "},
		{"a character in two fragments", f(0x01, "\xce") + f(0x80, "\xba"), "t:κ "},
		{"U+FFFD itself", f(0x81, "\ufffd"), "t:\ufffd "},
		{"cut within a character", f(0x81, "\xce"), "!utf8 1007"},
		{"a lead and something else", f(0x81, "\xe2\x82 "), "!utf8 1007"},
		{"a surrogate", f(0x81, "\xed\xa0\x80"), "!utf8 1007"},
		{"beyond Unicode", f(0x01, "\xf4\x90"), "!utf8 1007"},
		{"RSV1", "\xc1\x00", "!reserved bit 1002"},
		{"RSV2", "\xa1\x00", "!reserved bit 1002"},
		{"RSV3 of a ping", "\x99\x00", "!reserved bit 1002"},
		{"opcode 3", "\x83\x00", "!reserved opcode 1002"},
		{"opcode 11", "\x8b\x00", "!reserved opcode 1002"},
		{"a fragmented ping", "\x09\x00", "!fragmented control frame 1002"},
		{"a ping of 126 bytes", "\x89\x7e\x00\x7e", "!long control frame 1002"},
		{"a stray continuation", f(0x80, "a"), "!stray continuation 1002"},
		{"after a message", f(0x81, "a") + f(0x80, "b"), "t:a !stray continuation 1002"},
		{"a message within a message", f(0x01, "a") + f(0x81, "b"), "!unfinished message 1002"},
		{"126 for 125", "\x82\x7e\x00\x7d", "!length 1002"},
		{"127 for 65535", "\x82\x7f\x00\x00\x00\x00\x00\x00\xff\xff", "!length 1002"},
		{"a negative length", "\x82\x7f\x80\x00\x00\x00\x00\x00\x00\x00", "!length 1002"},
		{"half a status", f(0x88, "a"), "!close status 1002"},
		{"a status that can't be sent", f(0x88, "\x03\xee"), "!close status 1002"},
		{"a reason that isn't UTF-8", f(0x88, "\x03\xe8\xff"), "!utf8 1007"},
		{"a masked frame", "\x81\x81\x00\x00\x00\x00a", "!mask 1002"},
	} {
		for _, piece := range []int{1, 3, max(len(c.sent), 1)} {
			if len(c.sent) > 1000 && piece == 1 {
				continue
			}
			if got := told(new(Reader), c.sent, piece); got != c.want {
				t.Errorf("%s, in pieces of %d: %q, want %q", c.name, piece, got, c.want)
			}
			if strings.Contains(c.want, "!") {
				continue // not whole frames
			}
			if got := told(&Reader{Masked: true}, masked(t, c.sent), piece); got != c.want {
				t.Errorf("%s, masked, in pieces of %d: %q, want %q", c.name, piece, got, c.want)
			}
		}
	}
	if got := told(&Reader{Masked: true}, "\x81\x01a", 1); got != "!mask 1002" {
		t.Errorf("a client that doesn't mask: %q", got)
	}
	if got := told(&Reader{Deflates: true}, "\xc1\x01\xff", 1); got != "t:\xff " {
		t.Errorf("a compressed message: %q", got)
	}
	if got := told(&Reader{Deflates: true}, "\x41\x01a\xc0\x01b", 1); got != "!reserved bit 1002" {
		t.Errorf("a compressed continuation: %q", got)
	}
}

// masked masks whole frames as a client sends them.
func masked(t testing.TB, frames string) string {
	var out []byte
	r := Reader{}
	key := [4]byte{1, 2, 3, 250}
	for b := []byte(frames); len(b) > 0; {
		// A frame's first byte stays; so does its payload's length.
		before := b
		for r.got = 0; ; b = b[1:] {
			if whole, wrong := r.header(b[0]); wrong != nil {
				t.Fatal(wrong)
			} else if whole {
				b = b[1:]
				break
			}
		}
		payload := b[:r.left]
		out = AppendFrame(out, Opcode(before[0]&0x0f), before[0]&finalBit != 0, payload, &key)
		b = b[len(payload):]
		if r.left = 0; before[0]&finalBit != 0 && !r.opcode.IsControl() {
			r.message = Continuation
		}
	}
	return string(out)
}

// TestOversize is seen from the header on, before the payload comes.
func TestOversize(t *testing.T) {
	for sent, want := range map[string]string{
		"\x82\x0512345":         "b:12345 ",
		"\x82\x06":              "!oversize 1009",
		"\x02\x03123\x80\x0245": "b:12345 ",
		"\x02\x03123\x00\x03":   "!oversize 1009",
		"\x82\x7f\x7f\xff\xff\xff\xff\xff\xff\xff": "!oversize 1009",
	} {
		if got := told(&Reader{MaxMessage: 5}, sent, 1); got != want {
			t.Errorf("%q: %q, want %q", sent, got, want)
		}
	}
}

func TestMask(t *testing.T) {
	key := [4]byte{7, 77, 177, 255}
	plain := []byte("some text that is longer than two words of eight bytes")
	for at := range len(plain) {
		b := bytes.Clone(plain)
		Mask(b[:at], key, 0)
		Mask(b[at:], key, uint64(at))
		for i := range b {
			if b[i] != plain[i]^key[i&3] {
				t.Fatalf("cut at %d: byte %d is wrong", at, i)
			}
		}
	}
}

// TestAccept is the example of RFC 6455 1.3.
func TestAccept(t *testing.T) {
	if got := Accept([]byte("dGhlIHNhbXBsZSBub25jZQ==")); string(got[:]) != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
		t.Errorf("%s", got)
	}
	if got := Key([16]byte([]byte("the sample nonce"))); string(got[:]) != "dGhlIHNhbXBsZSBub25jZQ==" {
		t.Errorf("%s", got)
	}
}

func TestAppendClose(t *testing.T) {
	for _, c := range []struct {
		code   uint16
		reason string
		want   string
	}{
		{1000, "", "close:1000: "},
		{1001, "bye", "close:1001:bye "},
		{NoStatus, "lost", "close:1005: "},
		{1000, strings.Repeat("a", 122) + "κ", "close:1000:" + strings.Repeat("a", 122) + " "},
	} {
		if got := told(new(Reader), string(AppendClose(nil, c.code, c.reason, nil)), 1000); got != c.want {
			t.Errorf("%d %q: %q, want %q", c.code, c.reason, got, c.want)
		}
	}
	if StatusName(1011) != "1011 internal error" || StatusName(4001) != "4001" {
		t.Error(StatusName(1011), StatusName(4001))
	}
}

// TestNoAllocations: neither side of an exchange allocates.
func TestNoAllocations(t *testing.T) {
	key := [4]byte{1, 2, 3, 4}
	payload := []byte(strings.Repeat("κόσμε", 100))
	buf := make([]byte, 0, 4096)
	r := Reader{Masked: true}
	if n := testing.AllocsPerRun(100, func() {
		buf = AppendFrame(buf[:0], Text, true, payload, &key)
		buf = AppendFrame(buf, Ping, true, payload[:8], &key)
		for b := buf; len(b) > 0; {
			n, _, err := r.Next(b)
			if err != nil {
				t.Fatal(err)
			}
			b = b[n:]
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
