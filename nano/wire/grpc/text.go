package grpc

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

const hexDigits = "0123456789ABCDEF"

// AppendMessage appends the text of a status as grpc-message has it: UTF-8, with
// percent-encoding of all but printable ASCII ("Percent-Encoded"). What isn't UTF-8
// becomes U+FFFD.
func AppendMessage(b []byte, text string) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(text[i:])
			var encoded [utf8.UTFMax]byte
			for _, e := range utf8.AppendRune(encoded[:0], r) {
				b = append(b, '%', hexDigits[e>>4], hexDigits[e&15])
			}
			i += n
			continue
		}
		if i++; c >= ' ' && c <= '~' && c != '%' {
			b = append(b, c)
		} else {
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return b
}

// ParseMessage reads a grpc-message. What isn't encoded as it should be stays as it
// is: no message is lost for its encoding ("Percent-Encoded").
func ParseMessage(text []byte) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			high, low := hexValue(text[i+1]), hexValue(text[i+2])
			if high >= 0 && low >= 0 {
				b.WriteByte(byte(high<<4 | low))
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

func hexValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// IsBinary reports whether the values of the metadata are bytes, in base64
// ("Custom-Metadata").
func IsBinary(name string) bool { return strings.HasSuffix(name, "-bin") }

// AppendBinary appends a value of binary metadata, without padding.
func AppendBinary(b, value []byte) []byte { return base64.RawStdEncoding.AppendEncode(b, value) }

// ParseBinary reads one, with padding or without.
func ParseBinary(text []byte) ([]byte, error) {
	if len(text)%4 == 0 {
		return base64.StdEncoding.AppendDecode(nil, text)
	}
	return base64.RawStdEncoding.AppendDecode(nil, text)
}
