package nano

import (
	"errors"
	"strconv"

	"dyno/nano/internal/router"
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
