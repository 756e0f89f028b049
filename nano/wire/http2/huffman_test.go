package http2

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestHuffman(t *testing.T) {
	tests := []struct{ text, code string }{ // RFC 7541 C.4, C.6
		{"", ""},
		{"www.example.com", "f1e3 c2e5 f23a 6ba0 ab90 f4ff"},
		{"no-cache", "a8eb 1064 9cbf"},
		{"custom-key", "25a8 49e9 5ba9 7d7f"},
		{"custom-value", "25a8 49e9 5bb8 e8b4 bf"},
		{"302", "6402"},
		{"private", "aec3 771a 4b"},
		{"Mon, 21 Oct 2013 20:13:21 GMT", "d07a be94 1054 d444 a820 0595 040b 8166 e082 a62d 1bff"},
		{"https://www.example.com", "9d29 ad17 1863 c78f 0b97 c8e9 ae82 ae43 d3"},
		{"foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1", "94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07"},
	}
	for _, tt := range tests {
		code := unhex(t, tt.code)
		if got := appendHuffman([]byte("x"), tt.text); !bytes.Equal(got[1:], code) {
			t.Errorf("%q: code %x, want %x", tt.text, got[1:], code)
		}
		if n := huffmanLen(tt.text); n != len(code) {
			t.Errorf("%q: length %d, want %d", tt.text, n, len(code))
		}
		if got, err := appendHuffmanDecoded([]byte("x"), code); err != nil || string(got[1:]) != tt.text {
			t.Errorf("%x: text %q, %v, want %q", code, got, err, tt.text)
		}
	}
}

func TestHuffmanOfEveryByte(t *testing.T) {
	for first := range 256 {
		text := make([]byte, 0, 300)
		for i := range 256 {
			text = append(text, byte(first), byte(i))
		}
		got, err := appendHuffmanDecoded(nil, appendHuffman(nil, string(text)))
		if err != nil || !bytes.Equal(got, text) {
			t.Fatalf("bytes after %#x: %x, %v", first, got, err)
		}
	}
}

func TestHuffmanRefusals(t *testing.T) {
	tests := []struct {
		name, code string
		want       *Error
	}{
		{"padding of zeros", "00", errHuffmanPadding},             // "0", then 3 bits
		{"8 bits of padding", "07ff", errHuffmanPadding},          // "0", then 11 ones
		{"a byte of padding", "ff", errHuffmanPadding},            //
		{"longer padding", "ffff", errHuffmanPadding},             //
		{"half of a code", "ffc0", errHuffmanPadding},             // 13 bits of 10 ones are not a symbol yet
		{"EOS", "ffffffff", errHuffmanEOS},                        //
		{"EOS after a symbol", "07ffffffff", errHuffmanEOS},       //
		{"padding that is not all ones", "fe", errHuffmanPadding}, // 7 ones and a zero: a longer code begins
	}
	for _, tt := range tests {
		if got, err := appendHuffmanDecoded(nil, unhex(t, tt.code)); err != tt.want {
			t.Errorf("%s: %q, %v, want %v", tt.name, got, err, tt.want)
		}
	}
}
