package http2

import "encoding/binary"

// class is a set of bytes.
type class [256]bool

func classOf(members string) (c class) {
	for i := range len(members) {
		c[members[i]] = true
	}
	return
}

const (
	digits = "0123456789"
	lowers = "abcdefghijklmnopqrstuvwxyz"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	marks  = "!#$%&'*+-.^_`|~"
)

var (
	// fieldName: what a field name may hold: a token without capitals (RFC 9113
	// 8.2.1, RFC 9110 5.6.2).
	fieldName = classOf(digits + lowers + marks)

	// methodByte: what a method may hold (RFC 9110 9.1).
	methodByte = classOf(digits + lowers + uppers + marks)

	// schemeByte: what a scheme may hold (RFC 3986 3.1).
	schemeByte = classOf(digits + lowers + uppers + "+-.")

	// authorityByte: what a host and port may hold, without a user's name (RFC
	// 9113 8.3.1, RFC 3986 3.2.2).
	authorityByte = classOf(digits + lowers + uppers + "-._~" + "!$&'()*+,;=" + "%:[]")
)

// all reports whether b has only bytes of the class.
func (c *class) all(b []byte) bool {
	for _, x := range b {
		if !c[x] {
			return false
		}
	}
	return true
}

// validName reports whether name may be a field's, but for a pseudo-header.
func validName(name []byte) bool { return len(name) > 0 && fieldName.all(name) }

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	lows  = 0x7f7f7f7f7f7f7f7f
)

// outside marks the bytes of w below low and DEL, but none above that.
func outside(w, low uint64) uint64 {
	next := w&lows + ones // DEL becomes the lowest value of all
	return ^(next&lows + (0x7f-low)*ones | w) & highs
}

// validValue reports whether a field may have this value: no control character
// but TAB, and no white space around it (RFC 9113 8.2.1, RFC 9110 5.5).
func validValue(b []byte) bool {
	n := len(b)
	if n == 0 {
		return true
	}
	if blank(b[0]) || blank(b[n-1]) {
		return false
	}
	i := 0
	for ; i+8 <= n; i += 8 {
		if outside(binary.LittleEndian.Uint64(b[i:]), ' ') != 0 && !plainText(b[i:i+8]) {
			return false
		}
	}
	return plainText(b[i:])
}

func blank(x byte) bool { return x == ' ' || x == '\t' }

// plainText is validValue for each byte on its own.
func plainText(b []byte) bool {
	for _, x := range b {
		if x < ' ' && x != '\t' || x == 0x7f {
			return false
		}
	}
	return true
}

// visible reports whether b has only printable ASCII characters other than a
// space and the number sign, as a path and query may (RFC 9113 8.3.1).
func visible(b []byte) bool {
	for _, x := range b {
		if x <= ' ' || x >= 0x7f || x == '#' {
			return false
		}
	}
	return true
}
