package http2

var (
	errInteger   = connError(CompressionError, "RFC 7541 5.1", "integer above 2^28, or with more bytes than it needs")
	errTruncated = connError(CompressionError, "RFC 7541 5", "field block ends within a field")
)

// maxInteger is far above every length and index that is in any limit.
const maxInteger = 1 << 28

// readInteger reads an integer whose first part are the low prefix bits of b[i].
// next is the index after it.
func readInteger(b []byte, i int, prefix uint) (v uint32, next int, err *Error) {
	if i >= len(b) {
		return 0, 0, errTruncated
	}
	most := uint32(1)<<prefix - 1
	if v = uint32(b[i]) & most; v < most {
		return v, i + 1, nil
	}
	return longInteger(b, i+1, v)
}

// longInteger goes on with the bytes after a full prefix.
func longInteger(b []byte, i int, v uint32) (uint32, int, *Error) {
	for shift := 0; shift <= 28; shift += 7 {
		if i >= len(b) {
			return 0, 0, errTruncated
		}
		x := b[i]
		i++
		if shift == 28 && x > 0 { // 28 bits are in already
			break
		}
		v += uint32(x&0x7f) << shift
		if x < 0x80 {
			if v > maxInteger {
				break
			}
			return v, i, nil
		}
	}
	return 0, 0, errInteger
}

// appendInteger appends v, the first part in the low prefix bits of a byte whose
// others are those of pattern.
func appendInteger(dst []byte, pattern byte, prefix uint, v uint32) []byte {
	most := uint32(1)<<prefix - 1
	if v < most {
		return append(dst, pattern|byte(v))
	}
	dst = append(dst, pattern|byte(most))
	for v -= most; v >= 0x80; v >>= 7 {
		dst = append(dst, byte(v)|0x80)
	}
	return append(dst, byte(v))
}
