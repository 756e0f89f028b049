package nano

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"dyno.example/nano/internal/router"
)

// JSONWriter writes one JSON value without allocating, into a buffer of the
// request. It puts the commas and, when sent, checks that what was written is one
// whole value:
//
//	w := c.JSONWriter()
//	w.Object().Key("id").Int(7).Key("tags").Array().String("a").End().End()
//	return c.SendJSON(200, w)
//
// It ends with the handler. Every method returns the writer.
type JSONWriter struct {
	buf   []byte
	open  []byte // the brackets that are to come
	after bool   // a value stands before: a comma is due
	named bool   // a key stands before
	html  bool
	wrong string // the first misuse
}

// JSONWriter returns an empty writer. A request has one: calling it again drops
// what was written.
func (c Ctx) JSONWriter() *JSONWriter {
	w := &c.live().json
	w.reset()
	return w
}

func (w *JSONWriter) reset() {
	*w = JSONWriter{buf: w.buf[:0], open: w.open[:0]}
	if cap(w.buf) > router.MaxScratch {
		w.buf = nil
	}
}

// SendJSON responds with what was written. An error says that it isn't one whole
// JSON value; then nothing has been sent.
func (c Ctx) SendJSON(code int, w *JSONWriter) error {
	if err := w.check(); err != nil {
		return err
	}
	return c.send(code, jsonLine, w.buf)
}

const jsonLine = "Content-Type: application/json\r\n"

func (w *JSONWriter) check() error {
	switch {
	case w.wrong != "":
		return errors.New("nano: JSONWriter: " + w.wrong)
	case len(w.open) > 0:
		return errors.New("nano: JSONWriter: an object or array was not ended")
	case !w.after:
		return errors.New("nano: JSONWriter: nothing was written")
	}
	return nil
}

// EscapeHTML makes strings safe to stand inside a script element of a page.
func (w *JSONWriter) EscapeHTML() *JSONWriter { w.html = true; return w }

// Object begins an object; keys and values follow, then End.
func (w *JSONWriter) Object() *JSONWriter { return w.begin('{', '}') }

// Array begins an array; values follow, then End.
func (w *JSONWriter) Array() *JSONWriter { return w.begin('[', ']') }

func (w *JSONWriter) begin(bracket, end byte) *JSONWriter {
	w.value()
	w.buf, w.open, w.after = append(w.buf, bracket), append(w.open, end), false
	return w
}

// End ends the object or array that was begun last.
func (w *JSONWriter) End() *JSONWriter {
	n := len(w.open) - 1
	if n < 0 || w.named {
		return w.misuse("End without a beginning, or after a key")
	}
	w.buf, w.open, w.after = append(w.buf, w.open[n]), w.open[:n], true
	return w
}

// Key writes the name of the next value. It does not look for keys that were
// written before.
func (w *JSONWriter) Key(name string) *JSONWriter {
	if n := len(w.open); n == 0 || w.open[n-1] != '}' || w.named {
		return w.misuse("a key where none can be: " + name)
	}
	w.comma()
	w.buf = append(AppendJSONString(w.buf, name, w.html), ':')
	w.named, w.after = true, false
	return w
}

// String writes a string.
func (w *JSONWriter) String(s string) *JSONWriter {
	w.value()
	w.buf = AppendJSONString(w.buf, s, w.html)
	return w
}

// View writes a piece of the request as a string.
func (w *JSONWriter) View(v View) *JSONWriter {
	w.value()
	w.buf = AppendJSONString(w.buf, []byte(v), w.html)
	return w
}

// Int writes a whole number.
func (w *JSONWriter) Int(i int64) *JSONWriter {
	w.value()
	w.buf = strconv.AppendInt(w.buf, i, 10)
	return w
}

// Uint writes a whole number that isn't negative.
func (w *JSONWriter) Uint(i uint64) *JSONWriter {
	w.value()
	w.buf = strconv.AppendUint(w.buf, i, 10)
	return w
}

// Float writes a number; null for infinities and NaN, which JSON doesn't have.
func (w *JSONWriter) Float(f float64) *JSONWriter {
	w.value()
	w.buf = AppendJSONFloat(w.buf, f)
	return w
}

// Bool writes true or false.
func (w *JSONWriter) Bool(b bool) *JSONWriter {
	w.value()
	w.buf = strconv.AppendBool(w.buf, b)
	return w
}

// Null writes null.
func (w *JSONWriter) Null() *JSONWriter {
	w.value()
	w.buf = append(w.buf, "null"...)
	return w
}

// value readies for a value.
func (w *JSONWriter) value() {
	n := len(w.open)
	if n > 0 && w.open[n-1] == '}' && !w.named {
		w.misuse("a value of an object without a key")
	}
	if n == 0 && w.after {
		w.misuse("a second value")
	}
	if !w.named {
		w.comma()
	}
	w.named, w.after = false, true
}

func (w *JSONWriter) comma() {
	if w.after {
		w.buf = append(w.buf, ',')
	}
}

func (w *JSONWriter) misuse(what string) *JSONWriter {
	if w.wrong == "" {
		w.wrong = what
	}
	return w
}

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

// JSON responds with v encoded by encoding/json, or by what [Config].JSON has. If v can't be encoded nothing is
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

// appendJSONEscape appends an ASCII character that must be escaped.
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
