package http1

import "bytes"

var errHost = &Error{400, "RFC 9112 3.2", "host is not a name or address with an optional port"}

// checkHost checks uri-host [ ":" port ] (RFC 9110 7.2), not empty. There is no
// room for a user name (RFC 9110 4.2.4).
func checkHost(b []byte) error {
	i := 0
	if len(b) > 0 && b[0] == '[' {
		if i = addressEnd(b); i < 0 {
			return errHost
		}
	} else {
		if i = regName.endOf(b, 0); i < len(b) && b[i] == '%' {
			if i = escapedName(b, i); i < 0 {
				return errHost
			}
		}
	}
	if i == 0 || i < len(b) && b[i] != ':' {
		return errHost
	}
	for i++; i < len(b); i++ {
		if !isDigit(b[i]) {
			return errHost
		}
	}
	return nil
}

// ValidHost reports whether s is a host with an optional port, as the Host field and
// HTTP/2's :authority may have it (RFC 9110 7.2, RFC 9113 8.3.1).
func ValidHost(s string) bool { return checkHost([]byte(s)) == nil }

// escapedName goes on over a name that holds escapes, to the byte after it. It
// takes escapes of non-ASCII bytes only: a character that needs none would give
// the same host two spellings.
func escapedName(b []byte, i int) int {
	for i < len(b) {
		switch {
		case regName[b[i]]:
			i++
		case b[i] != '%':
			return i
		case i+2 < len(b) && hexDigit(b[i+1]) >= 8 && hexDigit(b[i+2]) >= 0:
			i += 3
		default:
			return -1
		}
	}
	return i
}

// addressEnd is the index after a bracketed IPv6 address (RFC 3986 3.2.2), or -1
// if b does not start with one. Zones and later IP versions are not taken.
func addressEnd(b []byte) int {
	end := bytes.IndexByte(b, ']')
	if end < 0 || !isIPv6(b[1:end]) {
		return -1
	}
	return end + 1
}

// isIPv6 reports whether b is eight groups of one to four hexadecimal digits.
// One "::" may stand for one group or more, dotted decimals for the last two.
func isIPv6(b []byte) bool {
	groups := 8
	if bytes.IndexByte(b, '.') >= 0 {
		decimals := bytes.LastIndexByte(b, ':') + 1
		if !isIPv4(b[decimals:]) {
			return false
		}
		groups, b = 6, b[:decimals]
		if !bytes.HasSuffix(b, []byte("::")) {
			b = bytes.TrimSuffix(b, []byte(":"))
		}
	}
	before, after, gap := bytes.Cut(b, []byte("::"))
	n, ok := hexGroups(before)
	m, ok2 := hexGroups(after)
	if gap {
		return ok && ok2 && n+m < groups
	}
	return ok && n == groups
}

// hexGroups counts groups of one to four digits with colons between them.
func hexGroups(b []byte) (n int, ok bool) {
	for len(b) > 0 {
		digits := 0
		for digits < len(b) && hexDigit(b[digits]) >= 0 {
			digits++
		}
		if digits == 0 || digits > 4 {
			return 0, false
		}
		n++
		if b = b[digits:]; len(b) == 0 {
			break
		}
		if b[0] != ':' || len(b) == 1 {
			return 0, false
		}
		b = b[1:]
	}
	return n, true
}

// isIPv4 reports whether b is four decimals up to 255 with dots between them.
func isIPv4(b []byte) bool {
	for part := range 4 {
		value, digits := 0, 0
		for digits < len(b) && digits < 4 && isDigit(b[digits]) {
			value = value*10 + int(b[digits]-'0')
			digits++
		}
		if digits == 0 || value > 255 || digits > 1 && b[0] == '0' {
			return false
		}
		if b = b[digits:]; part == 3 {
			break
		}
		if len(b) == 0 || b[0] != '.' {
			return false
		}
		b = b[1:]
	}
	return len(b) == 0
}

// checkAuthority checks the target of CONNECT: a host and a port (RFC 9112 3.2.3).
func checkAuthority(b []byte) error {
	if len(b) == 0 || !isDigit(b[len(b)-1]) || bytes.LastIndexByte(b, ':') <= bytes.LastIndexByte(b, ']') {
		return errTargetForm
	}
	return checkHost(b)
}
