package nano

import (
	"bytes"
	"unsafe"
)

// The response's fields are kept as the lines that will be sent. There are few of
// them: looking through them costs less than a map would.

// responseField returns the value of the first line with the name.
func (x *exchange) responseField(name string) []byte {
	for rest := x.fields; len(rest) > 0; {
		line, end := cutLine(rest)
		if n := len(name); len(line) >= n+2 && line[n] == ':' && sameName(line[:n], name) {
			return line[n+2:]
		}
		rest = rest[end:]
	}
	return nil
}

// removeField takes out all lines with the name.
func (x *exchange) removeField(name string) {
	for at := 0; at < len(x.fields); {
		line, end := cutLine(x.fields[at:])
		if n := len(name); len(line) > n && line[n] == ':' && sameName(line[:n], name) {
			x.fields = append(x.fields[:at], x.fields[at+end:]...)
			continue
		}
		at += end
	}
}

// cutLine returns the first line without its end, and where the next one starts.
func cutLine(b []byte) (line []byte, end int) {
	i := bytes.IndexByte(b, '\r')
	return b[:i], i + 2
}

// sameName compares two field names without regard to ASCII case.
func sameName(a []byte, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		if x != y && (x|0x20 != y|0x20 || x|0x20 < 'a' || x|0x20 > 'z') {
			return false
		}
	}
	return true
}

// unsafeBytes is s as bytes that nobody may change.
func unsafeBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// unsafeString is b as a string, for as long as nobody changes b.
func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
