package websocket

import (
	"testing"
	"unicode/utf8"
)

// FuzzReader holds a reader to itself: whole and in pieces it must tell the same. What
// it takes for text is UTF-8.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"\x81\x05hello", "\x01\x01a\x89\x01p\x80\x01b", "\x88\x05\x03\xe8bye", "\x82\x7e\x00\x7e", "\x81\x03\xe2\x82\xac", "\x01\x02\xe2\x82\x80\x01\xac",
		"\x81\x85\x01\x02\x03\x04abcde",
	} {
		f.Add(seed, 1, false)
		f.Add(seed, 3, true)
	}
	f.Fuzz(func(t *testing.T, sent string, piece int, masked bool) {
		if len(sent) > 4096 {
			return
		}
		piece = min(max(piece, 1), 64)
		const most = 1000
		whole := told(&Reader{Masked: masked, MaxMessage: most}, sent, max(len(sent), 1))
		if parts := told(&Reader{Masked: masked, MaxMessage: most}, sent, piece); parts != whole {
			t.Fatalf("whole: %q, in pieces of %d: %q", whole, piece, parts)
		}
	})
}

// FuzzFrame holds what is written to what is read of it.
func FuzzFrame(f *testing.F) {
	f.Add([]byte("hello"), uint32(7), 2, true)
	f.Add([]byte("\xff\xfe"), uint32(1), 1, false)
	f.Fuzz(func(t *testing.T, payload []byte, key uint32, cut int, text bool) {
		op, name := Binary, "b:"
		if text {
			op, name = Text, "t:"
		}
		mask := [4]byte{byte(key), byte(key >> 8), byte(key >> 16), byte(key >> 24)}
		cut = min(max(cut, 0), len(payload))
		sent := AppendFrame(nil, op, false, payload[:cut], &mask)
		sent = AppendFrame(sent, Continuation, true, payload[cut:], &mask)
		want := name + string(payload) + " "
		if text && !utf8.Valid(payload) {
			want = "!utf8 1007"
		} else if len(payload) > 200 {
			return
		}
		if got := told(&Reader{Masked: true}, string(sent), 5); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}
