package nano

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"dyno/nano/internal/router"
)

// jsonEncoder encodes into a buffer that stays with the exchange.
type jsonEncoder struct {
	buf []byte
	enc *json.Encoder
}

func (e *jsonEncoder) Write(p []byte) (int, error) {
	e.buf = append(e.buf, p...)
	return len(p), nil
}

// encode returns v as JSON, valid until the next call.
func (e *jsonEncoder) encode(v any) ([]byte, error) {
	if e.enc == nil {
		e.enc = json.NewEncoder(e)
	}
	if cap(e.buf) > router.MaxScratch {
		e.buf = nil
	}
	e.buf = e.buf[:0]
	if err := e.enc.Encode(v); err != nil {
		e.enc = nil // an encoder fails for ever after its writer did
		return nil, fmt.Errorf("encoding the response: %w", err)
	}
	return e.buf[:len(e.buf)-1], nil // without the line end that Encode adds
}

// JSON responses with v encoded by encoding/json, or by what [Config].JSON has. If v can't be encoded nothing is
// sent. [Ctx.JSONWriter] writes small responses without allocating.
func (c Ctx) JSON(code int, v any) error {
	x := c.live()
	if marshal := x.app.config.JSON.Marshal; marshal != nil {
		body, err := marshal(v)
		if err != nil {
			return fmt.Errorf("encoding the response: %w", err)
		}
		return c.send(code, jsonLine, body)
	}
	body, err := x.encoder.encode(v)
	if err != nil {
		return err
	}
	return c.send(code, jsonLine, body)
}

// AppendJSONString appends s as a JSON string (RFC 8259 7). Bytes that aren't
// UTF-8 become U+FFFD. With html, what could end a script element or begin a tag
// is escaped too, as encoding/json does by default.
func AppendJSONString[T string | []byte](dst []byte, s T, html bool) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' && !(html && (c == '<' || c == '>' || c == '&')) {
				i++
				continue
			}
			dst = append(dst, s[from:i]...)
			dst = appendJSONEscape(dst, c)
			i++
			from = i
			continue
		}
		r, n := decodeRune(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			dst = append(append(dst, s[from:i]...), `\ufffd`...)
			from = i + n
		case html && (r == '\u2028' || r == '\u2029'): // line ends to JavaScript
			dst = append(append(dst, s[from:i]...), `\u202`...)
			dst = append(dst, lowerHex[r&15])
			from = i + n
		}
		i += n
	}
	return append(append(dst, s[from:]...), '"')
}

const lowerHex = "0123456789abcdef"

// appendJSONEscape appends an ASCII character that can't stand for itself.
func appendJSONEscape(dst []byte, c byte) []byte {
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
	return append(dst, '\\', 'u', '0', '0', lowerHex[c>>4], lowerHex[c&15])
}

func decodeRune[T string | []byte](s T) (rune, int) {
	var first [utf8.UTFMax]byte
	return utf8.DecodeRune(first[:copy(first[:], s)])
}

// AppendJSONFloat appends a number in the form of encoding/json (that of ES6).
// JSON has no infinities and no NaN: they become null.
func AppendJSONFloat(dst []byte, f float64) []byte {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return append(dst, "null"...)
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	dst = strconv.AppendFloat(dst, f, format, -1, 64)
	if n := len(dst); format == 'e' && n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-09 is e-9
		dst = dst[:n-1]
	}
	return dst
}
