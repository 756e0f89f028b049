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

// escapedName goes on over a name that holds escapes, to the byte after it.
func escapedName(b []byte, i int) int {
	for i < len(b) {
		switch {
		case regName[b[i]]:
			i++
		case b[i] != '%':
			return i
		case i+2 < len(b) && hexDigit(b[i+1]) >= 0 && hexDigit(b[i+2]) >= 0:
			i += 3
		default:
			return -1
		}
	}
	return i
}

// addressEnd is the index after a bracketed IPv6 address, by its characters
// only, or -1. Zones and the forms of a future IP version are not taken.
func addressEnd(b []byte) int {
	end := bytes.IndexByte(b, ']')
	const longest = len("[0000:0000:0000:0000:0000:ffff:255.255.255.255")
	if end < len("[::") || end > longest {
		return -1
	}
	colons := 0
	for _, c := range b[1:end] {
		switch {
		case c == ':':
			colons++
		case c != '.' && hexDigit(c) < 0:
			return -1
		}
	}
	if colons < 2 || colons > 7 {
		return -1
	}
	return end + 1
}

// checkAuthority checks the target of CONNECT: a host and a port (RFC 9112 3.2.3).
func checkAuthority(b []byte) error {
	if len(b) == 0 || !isDigit(b[len(b)-1]) || bytes.LastIndexByte(b, ':') <= bytes.LastIndexByte(b, ']') {
		return errTargetForm
	}
	return checkHost(b)
}
