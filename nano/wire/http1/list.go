package http1

import "bytes"

// trim removes optional white space (RFC 9110 5.6.3) from both ends.
func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// cut splits a comma-separated list (RFC 9110 5.6.1) into its first member,
// trimmed, and the rest, which is nil after the last one.
func cut(list []byte) (member, rest []byte) {
	if i := bytes.IndexByte(list, ','); i >= 0 {
		return trim(list[:i]), list[i+1:]
	}
	return trim(list), nil
}

// ListHas reports whether a field value that is a comma-separated list holds a
// token, whatever its case. lower must hold no capitals.
func ListHas(list []byte, lower string) bool {
	for len(list) > 0 {
		var member []byte
		member, list = cut(list)
		if EqualFold(member, lower) {
			return true
		}
	}
	return false
}
