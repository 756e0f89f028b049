package router

// Paths are compared in a canonical form: every percent-escape is decoded but %2F and
// %25. It distinguishes "/" the separator from "/" the character, and no two spellings
// of a path differ in it (RFC 3986 6.2.2). A path without "%" is in canonical form
// already.

// appendCanonical appends the canonical form of a path. It reports false if a
// "%" isn't followed by two hexadecimal digits.
func appendCanonical(dst, path []byte) ([]byte, bool) {
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c != '%' {
			dst = append(dst, c)
			continue
		}
		if i+2 >= len(path) || !IsHex(path[i+1]) || !IsHex(path[i+2]) {
			return dst, false
		}
		c = Unhex(path[i+1])<<4 | Unhex(path[i+2])
		i += 2
		switch c {
		case '/':
			dst = append(dst, "%2F"...)
		case '%':
			dst = append(dst, "%25"...)
		default:
			dst = append(dst, c)
		}
	}
	return dst, true
}

// appendDecoded appends what a canonical value stands for.
func appendDecoded(dst, canonical []byte) []byte {
	for i := 0; i < len(canonical); i++ {
		c := canonical[i]
		if c == '%' {
			c = Unhex(canonical[i+1])<<4 | Unhex(canonical[i+2])
			i += 2
		}
		dst = append(dst, c)
	}
	return dst
}

// AppendEncoded appends a canonical path as it can be sent. What isn't a pchar
// or "/" is escaped (RFC 3986 3.3), so that nothing in it can end the target or
// be taken for the start of a host, as browsers do with "\".
func AppendEncoded(dst, canonical []byte) []byte {
	for _, c := range canonical {
		if c == '/' || c == '%' || IsPathByte(c) {
			dst = append(dst, c)
			continue
		}
		dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
	}
	return dst
}

const upperHex = "0123456789ABCDEF"

// IsPathByte reports whether c stands for itself in a path's segment (RFC 3986
// 3.3: unreserved, sub-delims, ":" and "@").
func IsPathByte(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	switch c {
	case '-', '.', '_', '~', '!', '$', '&', '\'', '(', ')', '*', '+', ',', ';', '=', ':', '@':
		return true
	}
	return false
}

// IsHex reports whether c is a hexadecimal digit.
func IsHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// Unhex returns what a hexadecimal digit stands for.
func Unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// unclean reports whether a canonical path, or a rest of one that follows a
// slash, has an empty segment before its end, or one that is "." or "..".
func unclean(rest []byte) bool {
	for i := 0; i < len(rest); i++ {
		from := i
		for i < len(rest) && rest[i] != '/' {
			i++
		}
		if i == from || isDots(rest[from:i]) {
			return true
		}
	}
	return false
}

func isDots(segment []byte) bool {
	return len(segment) <= 2 && (string(segment) == "." || string(segment) == "..")
}
