package http1

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestScans holds the word-at-a-time scans against the plain loops they replace,
// for every byte at every distance from both ends.
func TestScans(t *testing.T) {
	slow := func(b []byte, i int, inside func(byte) bool) int {
		for i < len(b) && inside(b[i]) {
			i++
		}
		return i
	}
	value := func(c byte) bool { return c >= ' ' && c != 0x7f || c == '\t' }
	query := func(c byte) bool { return c > ' ' && c < 0x7f && c != '#' }
	for size := range 40 {
		for at := range size {
			for c := range 256 {
				b := []byte(strings.Repeat("a", size))
				b[at] = byte(c)
				b[size/2] ^= 0x01 // some variety, sometimes of the byte itself
				start := at / 2
				if got, want := controlAt(b, start), slow(b, start, value); got != want {
					t.Fatalf("controlAt(%q, %d) = %d, want %d", b, start, got, want)
				}
				if got, want := targetEnd(b, start), slow(b, start, query); got != want {
					t.Fatalf("targetEnd(%q, %d) = %d, want %d", b, start, got, want)
				}
				if got, want := token.endOf(b, start), slow(b, start, func(c byte) bool { return token[c] }); got != want {
					t.Fatalf("endOf(%q, %d) = %d, want %d", b, start, got, want)
				}
			}
		}
	}
}

func TestEqualFold(t *testing.T) {
	names := []string{"", "a", "te", "host", "range", "expect", "upgrade", "if-match", "connection", "content-length", "transfer-encoding", "x_y^z~0!"}
	lower := func(b []byte) string { // of ASCII only, unlike strings.ToLower
		out := []byte(string(b))
		for i, c := range out {
			if c >= 'A' && c <= 'Z' {
				out[i] += 'a' - 'A'
			}
		}
		return string(out)
	}
	for _, name := range names {
		if !EqualFold([]byte(strings.ToUpper(name)), name) {
			t.Errorf("%q is not %q", strings.ToUpper(name), name)
		}
		for i := range len(name) {
			for c := range 256 {
				b := []byte(name)
				b[i] = byte(c)
				if got, want := EqualFold(b, name), lower(b) == name; got != want {
					t.Errorf("EqualFold(%q, %q) = %v", b, name, got)
				}
			}
		}
		if EqualFold([]byte(name+"x"), name) {
			t.Errorf("%q is %q", name+"x", name)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		b, s := make([]byte, r.IntN(20)), make([]byte, 0, 20)
		for i := range b {
			b[i] = byte(r.IntN(128))
			s = append(s, b[i]^byte(r.IntN(2)<<5))
		}
		if want := lower(s); EqualFold(b, want) != (lower(b) == want) {
			t.Fatalf("EqualFold(%q, %q) = %v", b, want, EqualFold(b, want))
		}
	}
}
