package http1

import (
	"encoding/binary"
	"math/bits"
)

// Eight bytes at a time: a word holds b[i] in its lowest byte. The tests below
// set the high bit of each byte that has the property. A borrow can set it
// wrongly above a true hit, never below one, so that the lowest hit is exact.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

func load64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }
func load32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

// below marks the bytes of w under x, for x up to 0x80.
func below(w, x uint64) uint64 { return (w - x*ones) &^ w & highs }

// equal marks the bytes of w that are x.
func equal(w, x uint64) uint64 { return below(w^x*ones, 1) }

// first is the index of the lowest marked byte.
func first(hits uint64) int { return bits.TrailingZeros64(hits) >> 3 }

// controlAt is the index of the first byte of b, from i on, that may not stand
// in a line: below 0x20 other than TAB, or DEL (RFC 9110 5.5). It is len(b) if
// there is none.
func controlAt(b []byte, i int) int {
	for i+8 <= len(b) {
		w := load64(b[i:])
		hits := below(w, 0x20) | equal(w, 0x7f)
		if hits == 0 {
			i += 8
			continue
		}
		i += first(hits)
		if b[i] != '\t' {
			return i
		}
		i++
	}
	for i < len(b) && valueByte[b[i]] {
		i++
	}
	return i
}

func hasControl(b []byte) bool { return controlAt(b, 0) < len(b) }

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
	letters := (lower + (0x80-'a')*ones) &^ (lower + (0x80-'z'-1)*ones) & highs
	return (w^lower)&^(letters>>2) == 0
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
