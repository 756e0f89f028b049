package nano

import (
	"encoding/xml"
	"errors"
	"fmt"

	"dyno/nano/wire/http1"
)

// ErrAnswered is returned by methods that would begin an answer that has begun.
var ErrAnswered = errors.New("nano: the request has been answered already")

// Status sets the status of the answer for methods that don't name one, and for
// a handler that returns without answering. 100 to 199 are not final and refused.
func (c Ctx) Status(code int) Ctx {
	c.own().status = checkStatus(code)
	return c
}

func checkStatus(code int) int {
	if code < 200 || code > 999 {
		panic(fmt.Sprintf("nano: %d is not the status of a final answer (200 to 999)", code))
	}
	return code
}

// SetHeader sets a field of the answer; it replaces fields of the same name. It
// panics if name or value can't be sent (RFC 9110 5.1, 5.5): a line break in a
// value would let it forge fields.
func (c Ctx) SetHeader(name, value string) {
	x := c.own()
	x.removeField(name)
	x.addField(name, value)
}

// AddHeader adds a field to the answer beside those of the same name.
func (c Ctx) AddHeader(name, value string) { c.own().addField(name, value) }

// AnswerHeader returns the first field of that name set on the answer so far.
func (c Ctx) AnswerHeader(name string) View {
	x := c.live()
	return View(x.handOut(x.answerField(name)))
}

const textLine = "Content-Type: text/plain; charset=utf-8\r\n"

// Text answers with text/plain in UTF-8.
func (c Ctx) Text(code int, body string) error {
	return c.send(code, textLine, unsafeBytes(body))
}

// Bytes answers with the body as it is. It is not kept: while the client is slow,
// Bytes waits for it, off the event loop, until it has taken all but 64 KiB, and body
// must stay as it is until then. So what many clients get can be one slice, and
// costs no more when they don't read; [Limits].WriteStall and MinTake end the wait.
func (c Ctx) Bytes(code int, contentType string, body []byte) error {
	x := c.own()
	if x.begun {
		return ErrAnswered
	}
	x.setContentType(contentType)
	x.status = checkStatus(code)
	x.begun = true
	return x.wire.answer(x, body)
}

// XML answers with v encoded by encoding/xml, behind an XML declaration.
func (c Ctx) XML(code int, v any) error {
	body, err := xml.Marshal(v)
	if err != nil {
		return fmt.Errorf("encoding the answer: %w", err)
	}
	return c.send(code, "Content-Type: application/xml; charset=utf-8\r\n", append([]byte(xml.Header), body...))
}

// NoContent answers with a status and no body.
func (c Ctx) NoContent(code int) error { return c.send(code, "", nil) }

// send answers with a whole body. The line is the Content-Type field, left out
// if the handler has set its own.
func (c Ctx) send(code int, line string, body []byte) error {
	x := c.own()
	if x.begun {
		return ErrAnswered
	}
	if line != "" && (len(x.fields) == 0 || x.answerField("Content-Type") == nil) {
		x.fields = append(x.fields, line...)
	}
	x.status = checkStatus(code)
	x.begun = true
	return x.wire.answer(x, body)
}

func (x *exchange) setContentType(value string) {
	x.removeField("Content-Type")
	x.addField("Content-Type", value)
}

func (x *exchange) addField(name, value string) {
	checkField(name, value)
	x.fields = append(append(append(append(x.fields, name...), ": "...), value...), "\r\n"...)
}

func checkField(name, value string) {
	if !http1.ValidToken(name) || !http1.ValidFieldValue(value) {
		panic(fmt.Sprintf("nano: %q: %q can't be sent as a header field", name, value))
	}
}
