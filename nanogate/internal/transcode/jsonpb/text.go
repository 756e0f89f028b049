package jsonpb

import (
	"math"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// appendString appends text as JSON. ok is false if it isn't UTF-8.
func appendString(dst, text []byte) (out []byte, ok bool) {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if plain[c] {
			continue
		}
		if c >= utf8.RuneSelf {
			n := runeLen(text[i:])
			if n == 0 {
				return dst, false
			}
			i += n - 1
			continue
		}
		dst = append(dst, text[from:i]...)
		dst = appendEscaped(dst, c)
		from = i + 1
	}
	return append(append(dst, text[from:]...), '"'), true
}

// appendEscaped appends a byte that can't stand for itself.
func appendEscaped(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// appendNumber appends a value of a kind that is a number: those of 64 bits are text.
func appendNumber(dst []byte, kind protoreflect.Kind, n uint64) []byte {
	switch kind {
	case protoreflect.BoolKind:
		return strconv.AppendBool(dst, n != 0)
	case protoreflect.FloatKind:
		return appendFloat(dst, float64(math.Float32frombits(uint32(n))), 32)
	case protoreflect.DoubleKind:
		return appendFloat(dst, math.Float64frombits(n), 64)
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return append(strconv.AppendInt(append(dst, '"'), int64(n), 10), '"')
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return append(strconv.AppendUint(append(dst, '"'), n, 10), '"')
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return strconv.AppendUint(dst, n, 10)
	}
	return strconv.AppendInt(dst, int64(n), 10)
}

// appendFloat appends the shortest text that comes to a number: with an exponent where it
// is less than 1e-6 or at least 1e21, as JavaScript has it (ECMA-262 6.1.6.1.20).
func appendFloat(dst []byte, x float64, bits int) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, `"NaN"`...)
	case math.IsInf(x, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(x, -1):
		return append(dst, `"-Infinity"`...)
	}
	size, least, most := math.Abs(x), 1e-6, 1e21
	if bits == 32 { // which are other numbers there
		least, most = float64(float32(least)), float64(float32(most))
	}
	if size == 0 || size >= least && size < most {
		return strconv.AppendFloat(dst, x, 'f', -1, bits)
	}
	dst = strconv.AppendFloat(dst, x, 'e', -1, bits)
	if n := len(dst); dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' { // 1e-7
		dst = append(dst[:n-2], dst[n-1])
	}
	return dst
}
