package http1

// AppendUnescapedQuery appends a name or value of a query or form with its escapes decoded
// (RFC 3986 2.1), where "+" stands for a space. To decode in place, pass text[:0] as dst. ok
// is false if a "%" is not followed by two hexadecimal digits; out then ends before it.
func AppendUnescapedQuery(dst, text []byte) (out []byte, ok bool) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch c {
		case '+':
			c = ' '
		case '%':
			if c, ok = unescape(text[i:]); !ok {
				return dst, false
			}
			i += 2
		}
		dst = append(dst, c)
	}
	return dst, true
}

// unescape decodes the escape at the start of b.
func unescape(b []byte) (c byte, ok bool) {
	if len(b) < 3 {
		return 0, false
	}
	high, low := hexDigit(b[1]), hexDigit(b[2])
	if high < 0 || low < 0 {
		return 0, false
	}
	return byte(high<<4 | low), true
}
