package http1

// class is a set of bytes.
type class [256]bool

func classOf(members string) (c class) {
	for i := range len(members) {
		c[members[i]] = true
	}
	return
}

const (
	digits  = "0123456789"
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

var (
	// token: what a method or field name may hold (RFC 9110 5.6.2).
	token = classOf(digits + letters + "!#$%&'*+-.^_`|~")

	// regName: a host's name or IPv4 address but for its escapes (RFC 3986 3.2.2).
	regName = classOf(digits + letters + "-._~" + "!$&'()*+,;=")

	// valueByte: what a field value may hold (RFC 9110 5.5).
	valueByte = func() (c class) {
		for i := range c {
			c[i] = i >= 0x20 && i != 0x7f || i == '\t'
		}
		return
	}()

	// pathByte: what a path may hold without a closer look. RFC 3986 3.3 leaves
	// out some printable characters that clients send all the same; the
	// backslash stays out, because some parsers take it for a slash.
	pathByte = func() (c class) {
		for i := '!'; i <= '~'; i++ {
			c[i] = i != '#' && i != '%' && i != '?' && i != '\\'
		}
		return
	}()
)

// ValidToken reports whether s is a token (RFC 9110 5.6.2), as the names of
// methods and fields must be.
func ValidToken[T string | []byte](s T) bool {
	for i := range len(s) {
		if !token[s[i]] {
			return false
		}
	}
	return len(s) > 0
}

// ValidFieldValue reports whether s can be sent as a field's value without
// ending it or starting another: it holds no control character but TAB
// (RFC 9110 5.5). The empty value is valid.
func ValidFieldValue[T string | []byte](s T) bool {
	for i := range len(s) {
		if !valueByte[s[i]] {
			return false
		}
	}
	return true
}

// hexDigit is the value of a hexadecimal digit, or -1.
func hexDigit(x byte) int {
	switch {
	case x >= '0' && x <= '9':
		return int(x - '0')
	case x >= 'a' && x <= 'f':
		return int(x-'a') + 10
	case x >= 'A' && x <= 'F':
		return int(x-'A') + 10
	}
	return -1
}
