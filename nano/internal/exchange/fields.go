package exchange

import "bytes"

// CutLine returns the first line without its end, and where the next one starts.
func CutLine(b []byte) (line []byte, end int) {
	i := bytes.IndexByte(b, '\r')
	return b[:i], i + 2
}

// SameName compares two field names without regard to ASCII case.
func SameName(a []byte, b string) bool {
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
