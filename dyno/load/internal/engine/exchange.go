package engine

import (
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/http1"
)

// Limits of what is kept of a response, in bytes.
const (
	maxSample = 8 << 10     // of a response that was not expected
	maxBody   = 1 << 20     // of a body that expectations read
	maxRaw    = 2 * maxBody // of such a body as it came, which may be in chunks
)

// exchange is what one connection holds of a request and its response, apart from the
// state of its engine: the bytes of a request that is not constant, and as much of the
// response as its judging needs. Its buffers are used again and again.
//
// An engine calls [mix.next], then keep with all bytes of the response in the
// order they came, then, once the response is complete, errorLog.judged.
type exchange struct {
	request *request.Compiled
	buf     []byte       // the request, unless it is constant
	message []byte       // a further message of a call, unless it is constant
	kept    []byte       // start of the response as it came
	jar     *request.Jar // the connection's cookies, nil if none are kept
}

// start begins an exchange.
func (x *exchange) start(r *request.Compiled) {
	x.request = r
	x.kept = x.kept[:0]
}

// keepCookies readies the jar for a request that is sent at the given time, in
// ns since 1970.
func (x *exchange) keepCookies(now int64) {
	if x.jar == nil {
		x.jar = new(request.Jar)
	}
	x.jar.Now = now
}

// sent returns the request as it went over the wire.
func (x *exchange) sent() []byte {
	if x.request.Constant != nil {
		return x.request.Constant
	}
	return x.buf
}

// keep takes the next bytes of the response, whose status is known unless its head is
// still incomplete. It copies them only if they will be used: if the request has
// expectations, if the status was not expected, or if it is a redirect.
func (x *exchange) keep(status int, raw []byte) {
	if x.keeps(status) {
		x.copy(raw)
	}
}

// keepRest keeps the bytes after that in a response that is broken. Of one whose head
// was not kept it keeps nothing, as they say nothing by themselves.
func (x *exchange) keepRest(response *http1.Response, rest []byte) {
	if !response.Started() || x.keeps(response.Status) {
		x.copy(rest)
	}
}

// keeps reports whether a response of the status will be looked at.
func (x *exchange) keeps(status int) bool {
	return x.request.Keeps != request.KeepNothing || !x.request.Expects(status) || IsRedirect(status)
}

func (x *exchange) copy(raw []byte) {
	room := x.limit() - len(x.kept)
	x.kept = append(x.kept, raw[:min(len(raw), room)]...)
}

// limit is how much of the response is kept, in bytes.
func (x *exchange) limit() int {
	if x.request.Keeps == request.KeepBody {
		return http1.MaxHead + maxRaw
	}
	return http1.MaxHead + maxSample
}

// judge holds a complete response to what its request expects. It returns the
// kind of error and why, which is "" if it is as expected.
func (x *exchange) judge(status int) (kind measure.ErrorKind, why i18n.Message) {
	r := x.request
	if r.Keeps == request.KeepNothing && r.Expects(status) {
		return 0, i18n.Message{}
	}
	cut := len(x.kept) == x.limit()
	head, body := x.settle()
	if r.KeepsCookies {
		x.jar.Take(head, request.PathOf(x.sent()))
	}
	if !r.Expects(status) {
		return measure.StatusError, i18n.Verbatim(request.StatusText(status))
	}
	if r.Keeps == request.KeepBody && (cut || len(body) > maxBody) {
		return measure.ExpectError, i18n.New("engine.body-too-long-to-check", "the body is longer than the 1 MiB that expectations look at")
	}
	if failed := r.Expect.Judge(status, head, body); failed != "" {
		return measure.ExpectError, i18n.Verbatim(failed)
	}
	return 0, i18n.Message{}
}

// judgeMessage holds a response over a WebSocket to what its message expects; why is ""
// if it is as expected.
func (x *exchange) judgeMessage() (why i18n.Message) {
	if x.request.Keeps == request.KeepNothing {
		return i18n.Message{}
	}
	if len(x.kept) > maxBody {
		return i18n.New("engine.response-too-long-to-check", "the response is longer than the 1 MiB that expectations look at")
	}
	const ok = 200 // a message has no status
	return i18n.Verbatim(x.request.Expect.Judge(ok, nil, x.kept))
}

// settle leaves of what was kept the final response's head and its body without
// chunk framing.
func (x *exchange) settle() (head, body []byte) {
	head, body = splitResponse(x.kept)
	n := len(head)
	x.kept = append(append(x.kept[:0], head...), body...)
	return x.kept[:n], x.kept[n:]
}
