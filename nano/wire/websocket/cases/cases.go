// Package cases is a table of what a peer may send over a WebSocket, and what must come
// back: for tests, of either role. It follows the sections 1 to 7, 9 and 10 of the
// Autobahn test suite by their numbers, in words and bytes of its own. It isn't that
// suite, which needs a Python that is no longer kept.
package cases

import (
	"encoding/binary"
	"fmt"
	"strings"

	"dyno.example/nano/wire/websocket"
)

// Case is what one side sends after the handshake.
type Case struct {
	Number string // of the Autobahn case that it is like; a section's, if it stands for several
	Name   string
	Send   string // the frames
	// Want is what happens, in order and a line each: messages that are taken ("t:text",
	// "b:bytes"; longer ones as "t:500 bytes"), pongs ("p:payload") and the close frame
	// in return ("c:1000"; "c:" without a status). An echo sends each message back, so
	// that all of it can be checked.
	Want string
}

// Long is from what length on a payload is shown by its length.
const Long = 200

// Shown is a payload as Want has it.
func Shown(payload string) string {
	if len(payload) > Long {
		return fmt.Sprint(len(payload), " bytes")
	}
	return payload
}

// First bytes of frames.
const (
	text, bin           = 0x81, 0x82
	closing, ping, pong = 0x88, 0x89, 0x8a
	part                = 0x01 // text that goes on
	more, last          = 0x00, 0x80
)

// maker makes the frames of a role.
type maker struct{ mask *[4]byte }

// frame makes a frame by its first byte.
func (m maker) frame(first byte, payload string) string {
	b := websocket.AppendFrame(nil, 0, false, []byte(payload), m.mask)
	b[0] = first
	return string(b)
}

// header makes the start of a frame: first, then the length as length and more encode
// it.
func (m maker) header(first, length byte, more ...byte) string {
	b := append([]byte{first, length}, more...)
	if m.mask != nil {
		b[1] |= 0x80
		b = append(b, m.mask[:]...)
	}
	return string(b)
}

// parts makes a text message of pieces.
func (m maker) parts(s string, size int) string {
	var b strings.Builder
	first := byte(part)
	for len(s) > size {
		b.WriteString(m.frame(first, s[:size]))
		first, s = more, s[size:]
	}
	b.WriteString(m.frame(first|last, s))
	return b.String()
}

// closed makes the payload of a close frame.
func closed(code uint16, reason string) string {
	return string(binary.BigEndian.AppendUint16(nil, code)) + reason
}

func sized(n int) string { return strings.Repeat("*", n) }

// FromClient are the cases as a client sends them, FromServer as a server does.
func FromClient() []Case { return all(maker{&[4]byte{0x37, 0xfa, 0x21, 0x3d}}) }

// FromServer: see [FromClient].
func FromServer() []Case { return all(maker{}) }

func all(m maker) []Case {
	var list []Case
	for _, some := range []func(maker) []Case{lengths, pings, reserved, fragments, utf8Cases, closes, large, framing} {
		list = append(list, some(m)...)
	}
	return list
}

// lengths are those of section 1.
func lengths(m maker) (list []Case) {
	end := m.frame(closing, closed(1000, ""))
	for i, n := range []int{0, 125, 126, 127, 128, 65535, 65536} {
		list = append(list,
			Case{fmt.Sprint("1.1.", i+1), fmt.Sprint("text of ", n), m.frame(text, sized(n)) + end, "t:" + Shown(sized(n)) + "\nc:1000\n"},
			Case{fmt.Sprint("1.2.", i+1), fmt.Sprint("binary of ", n), m.frame(bin, sized(n)) + end, "b:" + Shown(sized(n)) + "\nc:1000\n"})
	}
	return append(list, Case{"1.2", "any bytes in a binary message", m.frame(bin, "\xff\xc0") + end, "b:\xff\xc0\nc:1000\n"})
}

// pings are those of section 2.
func pings(m maker) []Case {
	end := m.frame(closing, closed(1000, ""))
	return []Case{
		{"2.1", "ping without payload", m.frame(ping, "") + end, "p:\nc:1000\n"},
		{"2.2", "ping", m.frame(ping, "Hello, world!") + end, "p:Hello, world!\nc:1000\n"},
		{"2.3", "ping of bytes", m.frame(ping, "\x00\xff\xfe\xfd") + end, "p:\x00\xff\xfe\xfd\nc:1000\n"},
		{"2.4", "ping of 125 bytes", m.frame(ping, sized(125)) + end, "p:" + sized(125) + "\nc:1000\n"},
		{"2.5", "ping of 126 bytes", m.frame(ping, sized(126)), "c:1002\n"},
		{"2.7", "pong that nobody asked for", m.frame(pong, "") + end, "c:1000\n"},
		{"2.8", "with a payload", m.frame(pong, "x") + end, "c:1000\n"},
		{"2.9", "pong, ping", m.frame(pong, "x") + m.frame(ping, "y") + end, "p:y\nc:1000\n"},
		{"2.10", "ten pings", strings.Repeat(m.frame(ping, "z"), 10) + end, strings.Repeat("p:z\n", 10) + "c:1000\n"},
	}
}

// reserved are those of sections 3 and 4.
func reserved(m maker) []Case {
	list := []Case{
		{"3.1", "reserved bit 3", m.frame(0x91, "x"), "c:1002\n"},
		{"3.2", "between messages", m.frame(text, "a") + m.frame(0xa1, "x") + m.frame(ping, ""), "t:a\nc:1002\n"},
		{"3.3", "both", m.frame(text, "a") + m.frame(0xb1, "x"), "t:a\nc:1002\n"},
		{"3.4", "bit 1 without compression", m.frame(0xc1, "x"), "c:1002\n"},
		{"3.5", "of a binary message", m.frame(0xd2, "x"), "c:1002\n"},
		{"3.6", "of a ping", m.frame(0xe9, "x"), "c:1002\n"},
		{"3.7", "of a close", m.frame(0xf8, ""), "c:1002\n"},
	}
	for i, op := range []byte{3, 4, 5, 6, 7, 11, 12, 13, 14, 15} {
		list = append(list, Case{fmt.Sprintf("4.%d.%d", 1+i/5, 1+i%5), fmt.Sprint("opcode ", op), m.frame(text, "a") + m.frame(0x80|op, "x"), "t:a\nc:1002\n"})
	}
	return list
}

// fragments are those of section 5.
func fragments(m maker) []Case {
	end := m.frame(closing, closed(1000, ""))
	return []Case{
		{"5.1", "fragmented ping", m.frame(0x09, "a") + m.frame(last, "b"), "c:1002\n"},
		{"5.2", "fragmented pong", m.frame(0x0a, "a") + m.frame(last, "b"), "c:1002\n"},
		{"5.3", "two fragments", m.frame(part, "a") + m.frame(last, "b") + end, "t:ab\nc:1000\n"},
		{"5.6", "ping between fragments", m.frame(part, "a") + m.frame(ping, "p") + m.frame(last, "b") + end, "p:p\nt:ab\nc:1000\n"},
		{"5.9", "continuation without a message", m.frame(last, "a"), "c:1002\n"},
		{"5.10", "before a message", m.frame(last, "a") + m.frame(text, "b"), "c:1002\n"},
		{"5.12", "that goes on", m.frame(more, "a"), "c:1002\n"},
		{"5.15", "after fragments", m.frame(part, "a") + m.frame(last, "b") + m.frame(more, "c"), "t:ab\nc:1002\n"},
		{"5.16", "after a message", m.frame(text, "a") + m.frame(last, "b"), "t:a\nc:1002\n"},
		{"5.18", "a message in a message", m.frame(part, "a") + m.frame(text, "b"), "c:1002\n"},
		{"5.19", "pings in many fragments", m.frame(part, "1") + m.frame(more, "2") + m.frame(ping, "a") + m.frame(more, "3") + m.frame(ping, "b") + m.frame(last, "4") + end, "p:a\np:b\nt:1234\nc:1000\n"},
	}
}

const kappa = "\u03ba\u1f79\u03c3\u03bc\u03b5"

// utf8Cases are those of section 6.
func utf8Cases(m maker) []Case {
	end := m.frame(closing, closed(1000, ""))
	good := func(number, name, s string) Case {
		return Case{number, name, m.frame(text, s) + end, "t:" + s + "\nc:1000\n"}
	}
	bad := func(number, name, s string) Case { return Case{number, name, m.frame(text, s), "c:1007\n"} }
	return []Case{
		{"6.1.2", "empty fragments", m.frame(part, "") + m.frame(more, "") + m.frame(last, "") + end, "t:\nc:1000\n"},
		{"6.1.3", "one of them not empty", m.frame(part, "") + m.frame(more, "a") + m.frame(last, "") + end, "t:a\nc:1000\n"},
		good("6.2.1", "UTF-8", "Hello-µ@ßöäüàá-UTF-8!!"),
		{"6.2.3", "a byte a fragment", m.parts(kappa, 1) + end, "t:" + kappa + "\nc:1000\n"},
		bad("6.3.1", "a surrogate", kappa+"\xed\xa0\x80edited"),
		{"6.3.2", "a byte a fragment", m.parts(kappa+"\xed\xa0\x80edited", 1), "c:1007\n"},
		{"6.4.1", "seen before the message ends", m.frame(part, kappa) + m.frame(more, "\xf4\x90\x80\x80"), "c:1007\n"},
		good("6.5.1", "whole characters", kappa),
		bad("6.6.1", "cut within a character", "\xce"),
		good("6.6.2", "whole at the next", "\xce\xba"),
		bad("6.6.3", "cut after that", "\xce\xba\xe1"),
		good("6.7", "the first of each length", "\x00\u0080\u0800\U00010000"),
		good("6.9", "the last of each length", "\x7f\u07ff\uffff\U0010ffff"),
		good("6.11", "around the surrogates, and U+FFFD itself", "\ud7ff\ue000\ufffd\U0010ffff"),
		bad("6.12.1", "a continuation alone", "\x80"),
		bad("6.13", "a start alone", "\xc0 \xc1 "),
		bad("6.14", "a start and something else", "\xc3 "),
		bad("6.14", "a start and a half", "\xe2\x82 "),
		bad("6.15", "several of them", "\xe0\x80\xf0\x80\x80"),
		bad("6.16.1", "impossible bytes", "\xfe"),
		bad("6.17.1", "overlong", "\xc0\xaf"),
		bad("6.17.2", "overlong of three", "\xe0\x80\xaf"),
		bad("6.18", "the highest overlong", "\xf0\x8f\xbf\xbf"),
		bad("6.19", "NUL as two bytes", "\xc0\x80"),
		bad("6.20", "a single surrogate", "\xed\xbf\xbf"),
		bad("6.21", "a pair of them", "\xed\xa0\x80\xed\xb0\x80"),
		good("6.22", "noncharacters are characters", "\ufffe\U0001ffff"),
		good("6.23", "the specials", "\ufff9\ufffa\ufffb\ufffc\ufffd"),
	}
}

// closes are those of section 7.
func closes(m maker) []Case {
	end := m.frame(closing, closed(1000, ""))
	list := []Case{
		{"7.1.1", "a message and the end", m.frame(text, "a") + end, "t:a\nc:1000\n"},
		{"7.1.2", "two closes", end + end, "c:1000\n"},
		{"7.1.3", "a ping behind", end + m.frame(ping, "x"), "c:1000\n"},
		{"7.1.4", "a message behind", end + m.frame(text, "x"), "c:1000\n"},
		{"7.1.5", "within a message", m.frame(part, "a") + end + m.frame(last, "b"), "c:1000\n"},
		{"7.3.1", "without a status", m.frame(closing, ""), "c:\n"},
		{"7.3.2", "half a status", m.frame(closing, "a"), "c:1002\n"},
		{"7.3.3", "a status", end, "c:1000\n"},
		{"7.3.4", "a reason", m.frame(closing, closed(1000, "Hello")), "c:1000\n"},
		{"7.3.5", "of 123 bytes", m.frame(closing, closed(1000, sized(123))), "c:1000\n"},
		{"7.3.6", "of 124", m.frame(closing, closed(1000, sized(124))), "c:1002\n"},
		{"7.5.1", "that isn't UTF-8", m.frame(closing, closed(1000, kappa+"\xed\xa0\x80edited")), "c:1007\n"},
	}
	for i, code := range []uint16{1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999} {
		list = append(list, Case{fmt.Sprint("7.7.", i+1), fmt.Sprint("status ", code), m.frame(closing, closed(code, "")), fmt.Sprintf("c:%d\n", code)})
	}
	for i, code := range []uint16{0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999} {
		list = append(list, Case{fmt.Sprint("7.9.", i+1), fmt.Sprint("status ", code), m.frame(closing, closed(code, "")), "c:1002\n"})
	}
	for i, code := range []uint16{5000, 65535} {
		list = append(list, Case{fmt.Sprint("7.13.", i+1), fmt.Sprint("status ", code), m.frame(closing, closed(code, "")), "c:1002\n"})
	}
	return append(list, Case{"7.9", "status 1015", m.frame(closing, closed(1015, "")), "c:1002\n"})
}

// large are those of sections 9 and 10, up to 4 MiB.
func large(m maker) []Case {
	end := m.frame(closing, closed(1000, ""))
	list := []Case{{"10.1.1", "in 1300 bytes each", m.parts(sized(65536), 1300) + end, "t:65536 bytes\nc:1000\n"}}
	for i, n := range []int{64 << 10, 256 << 10, 1 << 20, 4 << 20} {
		list = append(list, Case{fmt.Sprint("9.1.", i+1), fmt.Sprint("text of ", n), m.frame(text, sized(n)) + end, fmt.Sprintf("t:%d bytes\nc:1000\n", n)})
	}
	for i, size := range []int{256, 4 << 10, 64 << 10} {
		list = append(list, Case{fmt.Sprint("9.3.", 2*i+2), fmt.Sprint("1 MiB in fragments of ", size), m.parts(sized(1<<20), size) + end, fmt.Sprintf("t:%d bytes\nc:1000\n", 1<<20)})
	}
	return list
}

// framing is what the suite has no numbers for.
func framing(m maker) []Case {
	list := []Case{
		{"", "126 for a length of 125", m.header(bin, 126, 0, 125), "c:1002\n"},
		{"", "127 for a length of 65535", m.header(bin, 127, 0, 0, 0, 0, 0, 0, 255, 255), "c:1002\n"},
		{"", "a negative length", m.header(bin, 127, 0x80, 0, 0, 0, 0, 0, 0, 0), "c:1002\n"},
	}
	if m.mask == nil {
		return append(list, Case{"", "a masked frame", "\x81\x81\x00\x00\x00\x00a", "c:1002\n"})
	}
	return append(list,
		Case{"", "not masked", "\x81\x01a", "c:1002\n"},
		Case{"", "not masked, after a message", m.frame(text, "a") + "\x89\x00", "t:a\nc:1002\n"})
}
