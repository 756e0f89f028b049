package http1

import (
	"encoding/binary"
	"math/bits"
)

// Eight bytes at a time: a word holds b[i] in its lowest byte. The tests below
// mark bytes by their high bit.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	lows  = 0x7f7f7f7f7f7f7f7f
)

func load64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }
func load32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

// first is the index of the lowest marked byte.
func first(marks uint64) int { return bits.TrailingZeros64(marks) >> 3 }

// outside marks the bytes of w below low and DEL, but none above that. Adding
// one to seven bits turns DEL into the lowest value of all.
func outside(w, low uint64) uint64 {
	next := w&lows + ones
	return ^(next&lows + (0x7f-low)*ones | w) & highs
}

// equal marks the bytes of w that are x.
func equal(w, x uint64) uint64 {
	w ^= x * ones
	return ^(w&lows + lows | w) & highs
}

// between marks the ASCII bytes of w from low to high.
func between(w, low, high uint64) uint64 {
	seven := w & lows
	return (seven + (0x80-low)*ones) &^ (seven + (0x7f-high)*ones | w) & highs
}

// controlAt is the index of the first byte of b, from i on, that may not stand
// in a line: below 0x20 other than TAB, or DEL (RFC 9110 5.5). It is len(b) if
// there is none.
func controlAt(b []byte, i int) int {
	for i+16 <= len(b) {
		p := b[i : i+16]
		marks, further := outside(load64(p), ' '), outside(load64(p[8:]), ' ')
		if marks|further == 0 {
			i += 16
			continue
		}
		if marks == 0 {
			i, marks = i+8, further
		}
		if i += first(marks); b[i] != '\t' {
			return i
		}
		i++
	}
	for i < len(b) {
		marks := outside(wordAt(b, i), ' ')
		if i += first(marks); marks == 0 { // then first is 8
			continue
		}
		if i >= len(b) || b[i] != '\t' {
			break
		}
		i++
	}
	return min(i, len(b))
}

// wordAt is the word at b[i], with zeros for what is beyond the end of b.
func wordAt(b []byte, i int) uint64 {
	switch left := len(b) - i; {
	case left >= 8:
		return load64(b[i:])
	case len(b) >= 8:
		return load64(b[len(b)-8:]) >> (64 - 8*uint(left))
	}
	return shortWord(b, i)
}

// shortWord does the same where b is shorter than a word.
func shortWord(b []byte, i int) (w uint64) {
	for k := len(b) - 1; k >= i; k-- {
		w = w<<8 | uint64(b[k])
	}
	return
}

// endOf is the index of the first byte of b, from i on, that is not in c. Names,
// hosts and paths are too short and too mixed for words to pay; four table
// look-ups for one test of the bounds do.
func (c *class) endOf(b []byte, i int) int {
	for i+4 <= len(b) {
		p := b[i : i+4]
		if !(c[p[0]] && c[p[1]]) {
			break
		}
		if !(c[p[2]] && c[p[3]]) {
			i += 2
			break
		}
		i += 4
	}
	for i < len(b) && c[b[i]] {
		i++
	}
	return i
}

// EqualFold reports whether b is the ASCII string lower but for the case of its
// letters. lower must hold no capitals.
func EqualFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	n := len(b)
	switch {
	case n > 8:
		for i := 0; i < n-8; i += 8 {
			if !sameFold(load64(b[i:]), word(lower[i:i+8])) {
				return false
			}
		}
		return sameFold(load64(b[n-8:]), word(lower[n-8:]))
	case n == 8:
		return sameFold(load64(b), word(lower))
	case n >= 4:
		both := uint64(load32(b)) | uint64(load32(b[n-4:]))<<32
		return sameFold(both, uint64(half(lower))|uint64(half(lower[n-4:]))<<32)
	}
	for i, c := range b {
		if c != lower[i] && (c < 'A' || c > 'Z' || c|0x20 != lower[i]) {
			return false
		}
	}
	return true
}

// sameFold compares two words; a difference in bit 0x20 is forgiven where lower
// has a letter.
func sameFold(w, lower uint64) bool {
	return (w^lower)&^(between(lower, 'a', 'z')>>2) == 0
}

func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func half(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}
