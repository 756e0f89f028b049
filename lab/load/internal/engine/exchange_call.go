package engine

import (
	"bytes"

	"dyno/lab/load/measure"
	"dyno/lab/load/request"
)

// judgeMessages holds the messages that were kept of a call to what is expected of
// them, as JSON; "" if they are as expected.
func (x *exchange) judgeMessages() (kind measure.ErrorKind, why string) {
	r := x.request
	if r.Keeps == request.KeepNothing {
		return 0, ""
	}
	cut := len(x.kept) == x.limit()
	head, framed := cutHead(x.kept)
	var body []byte
	if r.Keeps == request.KeepBody {
		if cut || len(framed) > maxBody {
			return measure.ExpectError, "the messages are longer than the 1 MiB that expectations look at"
		}
		var err error
		if body, err = r.Call.AnswerJSON(framed); err != nil {
			return measure.ExpectError, "a message is not what its schema says: " + err.Error()
		}
	}
	n := len(head)
	x.kept = append(x.kept[:n], body...)
	if failed := r.Expect.Judge(200, x.kept[:n], x.kept[n:]); failed != "" {
		return measure.ExpectError, failed
	}
	return 0, ""
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
