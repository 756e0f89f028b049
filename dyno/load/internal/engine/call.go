package engine

import (
	"bytes"
	"fmt"
	"strconv"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/grpc"
	"dyno.example/nano/wire/http2"
)

// mostMessage is how long a message of a server may be, in bytes.
const mostMessage = 1 << 30

// call is an engine's state of a gRPC call, without its stream.
type call struct {
	reader  grpc.Reader // of what the server sends
	sent    int         // messages that were begun
	came    uint64      // messages that came
	owed    int         // messages that are still to come for the one that was sent last; request.UnitMessage
	last    int64       // when the last came
	final   bool        // nothing is sent after the message that was begun last
	between bool        // the stream is open without a message under way
	ending  bool        // … as the last message is done: its end is to come
	isGRPC  bool        // the response's head is that of gRPC
	packed  bool        // … and says that messages may be compressed
	ended   bool        // its status has come
	code    grpc.Code
	broken  string // what is wrong with the response
}

func newCall(c *request.Call) call {
	return call{reader: grpc.Reader{Max: mostMessage}, owed: c.Responses}
}

// says notes that a message is begun.
func (c *call) says(r *request.Call) {
	c.sent++
	c.final = c.sent == r.Messages
}

// head takes the head of a call's response. With its end it has the status too: then it
// is all there is (Trailers-Only).
func (c *call) head(x *exchange, h *http2.Header, end bool) {
	field, _ := h.FindKnown(http2.NameContentType)
	if c.isGRPC = string(field) == grpc.ContentType; !c.isGRPC {
		_, c.isGRPC = grpc.SplitContentType(string(field))
	}
	_, c.packed = h.FindKnown(http2.NameGRPCEncoding)
	if x.keeps(h.Status) || !c.isGRPC {
		x.keepHead(h)
	}
	if end {
		c.status(x, h)
	}
}

// keep takes bytes of the response, of which [call.next] makes messages.
func (c *call) keep(x *exchange, status int, data []byte) {
	if !c.isGRPC {
		x.copy(data) // it isn't gRPC, whatever its status
		return
	}
	x.keep(status, data)
}

// next reads data up to the end of a message, or all of it: n bytes. There is no part
// (ok is false) if data has no more than a piece of a prefix, or the response is broken
// or isn't gRPC.
func (c *call) next(data []byte) (n int, part grpc.Part, ok bool) {
	if c.broken != "" || !c.isGRPC {
		return 0, part, false
	}
	n, part, ok, err := c.reader.Next(data)
	switch {
	case err != nil:
		c.broken = err.Error()
	case ok && part.Compressed && !c.packed:
		c.broken = "grpc: a message is compressed, and no field grpc-encoding says how"
	}
	return n, part, ok && c.broken == ""
}

// status takes the status of a call from the fields after its messages, or instead of
// them.
func (c *call) status(x *exchange, h *http2.Header) {
	field, ok := h.FindKnown(http2.NameGRPCStatus)
	if !ok {
		return
	}
	if c.code, c.ended = grpc.ParseCode(field); !c.ended {
		c.broken = fmt.Sprintf("grpc: the status is no number: grpc-status: %.40q", field)
		return
	}
	if !x.request.Call.Codes.Has(c.code) {
		c.broken = ""
		x.keepStatus(h)
	}
}

// keepStatus keeps fields that end a call, as text.
func (x *exchange) keepStatus(h *http2.Header) {
	for i := range h.Fields {
		f := &h.Fields[i]
		x.copy(f.Name.Of(h.Bytes))
		x.copyText(": ")
		x.copy(f.Value.Of(h.Bytes))
		x.copyText("\r\n")
	}
	x.copyText("\r\n")
}

// judge says what is wrong with a call that has ended; "" if nothing is.
func (c *call) judge(x *exchange, status int) (kind measure.ErrorKind, why i18n.Message) {
	r := x.request.Call
	switch {
	case status != 200:
		return measure.StatusError, i18n.New("engine.grpc-http-error", "%s instead of a response of gRPC, which clients take for %v", request.StatusText(status), grpc.CodeOfHTTP(status))
	case !c.isGRPC:
		return measure.BodyError, i18n.New("engine.grpc-bad-content-type", "the response is not gRPC: its content-type is not application/grpc")
	case c.broken != "":
		return measure.BodyError, i18n.Verbatim(c.broken)
	case !c.ended:
		return measure.BodyError, i18n.New("engine.grpc-no-status", "the response ended without a status of gRPC (grpc-status)")
	case !r.Codes.Has(c.code):
		return measure.GRPCError, i18n.Verbatim(c.statusText(x))
	case c.reader.Within():
		return measure.BodyError, i18n.New("engine.grpc-truncated-message", "the response ended within a message")
	case r.Unit == request.UnitMessage:
		return measure.BodyError, i18n.New("engine.stream-ended-before-response", "the server ended the stream (%v) before it had responded to the message", c.code)
	case c.code == grpc.OK && !r.ManyResponses && c.came != 1:
		return measure.BodyError, i18n.New("engine.unary-message-count", "a call with one response message had %s", strconv.FormatUint(c.came, 10))
	}
	return x.judgeMessages()
}

// statusText describes the status of a call, with what the server says about it.
func (c *call) statusText(x *exchange) string {
	text := c.code.String()
	if _, after, ok := cutField(x.kept, "grpc-message: "); ok && len(after) > 0 {
		const most = 300
		text += ": " + grpc.ParseMessage(after[:min(len(after), most)])
	}
	return text
}

// pastDeadline says that a call sent at an instant was given up by the server after the
// deadline that it was sent; "" if it was sent none, or before it.
func (x *exchange) pastDeadline(sent, now int64, code http2.ErrCode) i18n.Message {
	c := x.request.Call
	if c == nil || c.Deadline <= 0 || now-sent < int64(c.Deadline) {
		return i18n.Message{}
	}
	return i18n.New("engine.grpc-server-deadline", "DEADLINE_EXCEEDED: the server gave the call up (%v) after its deadline of %v", code, c.Deadline)
}

// judgeMessages holds the messages that were kept of a call to what is expected of
// them, as JSON; "" if they are as expected.
func (x *exchange) judgeMessages() (kind measure.ErrorKind, why i18n.Message) {
	r := x.request
	if r.Keeps == request.KeepNothing {
		return 0, i18n.Message{}
	}
	cut := len(x.kept) == x.limit()
	head, framed := cutHead(x.kept)
	var body []byte
	if r.Keeps == request.KeepBody {
		if cut || len(framed) > maxBody {
			return measure.ExpectError, i18n.New("engine.messages-too-long-to-check", "the messages are longer than the 1 MiB that expectations look at")
		}
		var err error
		if body, err = r.Call.ResponseJSON(framed); err != nil {
			return measure.ExpectError, i18n.New("engine.message-schema", "a message is not what its schema says: %s", err.Error())
		}
	}
	n := len(head)
	x.kept = append(x.kept[:n], body...)
	if failed := r.Expect.Judge(200, x.kept[:n], x.kept[n:]); failed != "" {
		return measure.ExpectError, i18n.Verbatim(failed)
	}
	return 0, i18n.Message{}
}

// sentText is the request as it is shown: of a call the message as JSON.
func (x *exchange) sentText() []byte {
	sent := x.sent()
	if x.request.Call == nil {
		return sent
	}
	head, framed := cutHead(sent)
	if len(x.message) > 0 {
		framed = x.message
	}
	return append(bytes.Clone(head), x.request.Call.Sent(framed)...)
}

// cutField returns what is before and after a field's name and colon, up to the end of
// its line.
func cutField(text []byte, name string) (before, value []byte, ok bool) {
	before, rest, ok := bytes.Cut(text, []byte(name))
	value, _, _ = bytes.Cut(rest, lineEnd)
	return before, value, ok
}
