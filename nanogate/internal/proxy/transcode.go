//go:build linux

package proxy

import (
	"strconv"

	"dyno.example/nano/wire/grpc"
	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/transcode"
	"dyno.example/nanogate/internal/translate"
)

// transcoding makes calls over gRPC of requests with JSON.
type transcoding struct {
	*loop
}

// How a request with JSON is made a call over gRPC, and the call's response one with JSON.
// What goes to the upstream is a request like any other, with another head and body.

var (
	replyUnknownAPI = request.Refuse(503, "it isn't known yet what the upstream offers", "Retry-After: 1\r\n").For(request.RefusedCallUnknown)
	replyNotGRPC    = request.Refuse(502, "the upstream's response is not gRPC as it should be", "")
	replyNotExposed = request.Refuse(404, "this method isn't exposed", "").For(request.RefusedCallMethod)
	replyHeadStream = request.Refuse(405, "a stream has no HEAD", "Allow: GET\r\n").For(request.RefusedCallMethod)
)

// respond makes a call of a request, and sends it on. What is a call already goes on as it is.
func (l *transcoding) respond(c *client) bool {
	if c.grpc {
		return !l.exposed(c)
	}
	l.transcode(c)
	return true
}

func (l *transcoding) transcode(c *client) {
	x, r := &c.x, &l.req
	api := x.route.Schema.API()
	if api == nil {
		l.heads.refuse(c, replyUnknownAPI)
		return
	}
	if path := api.Rules.OpenAPI; path != "" && path == string(r.Path) && (x.method == head || string(r.Method()) == "GET") {
		l.heads.refuse(c, x.route.Schema.Document())
		return
	}
	call, reply := api.Begin(r, !x.body.Done())
	switch {
	case reply != nil:
	case x.method == head && call.Form != transcode.One:
		reply = replyHeadStream
	case !call.Streams() && r.Head.ContentLength > int64(api.Rules.Most):
		reply = replyTooLarge
	}
	if reply != nil {
		l.heads.refuse(c, reply)
		return
	}
	l.keep(x).json, x.upgrade = call, false
	x.call, x.needsCall, x.measured, x.remade = true, true, true, true
	x.messages, x.bodyFirst = call.Streams(), !call.Streams()
	x.join(filter.GRPCJSON)
	if x.method == head {
		x.method = safe // the call's response has content, which this client isn't sent
	}
	if x.body.Done() {
		frames, err := call.Request(nil, true)
		if err != nil {
			l.heads.refuse(c, transcode.ReplyTo(err))
			return
		}
		x.sent.set(&l.buffers, frames)
	} else if !l.invite(c) {
		return
	}
	l.exchanges.forward(c)
}

// exposed refuses a native gRPC call whose method the route doesn't expose: a route that
// lists its services, or leaves a method without a rule, means it for all clients.
func (l *transcoding) exposed(c *client) bool {
	rules := c.x.route.Config.GRPCJSON
	if rules.AllCalls {
		return true
	}
	api := c.x.route.Schema.API()
	switch {
	case api == nil:
		l.heads.refuse(c, replyUnknownAPI)
	case !api.Exposes(l.req.Path):
		l.heads.refuse(c, replyNotExposed)
	default:
		return true
	}
	return false
}

// invite has a client send its body that waits for that (RFC 9110 10.1.1), as the upstream
// isn't asked before the body is in. It reports whether the client is still there.
func (l *transcoding) invite(c *client) bool {
	value, ok := l.req.Header("expect")
	if !ok || !http1.EqualFold(value, "100-continue") || c.x.minor == 0 {
		return true
	}
	l.out = append(l.out[:0], "HTTP/1.1 100 Continue\r\n\r\n"...)
	return l.bodies.sendInterim(c)
}

// sending makes the head that is sent on that of the call.
func (l *transcoding) sending(c *client) bool {
	x := &c.x
	if !x.with.Has(filter.GRPCJSON) { // it was a call already
		return false
	}
	head := translate.Call(l.buffers.Take(), x.head, x.kept.json.Binding.Method.Path)
	l.buffers.Give(x.head)
	x.head = head
	return false
}

// uploading makes messages of content of the request's body.
func (l *transcoding) uploading(c *client, piece []byte) (instead []byte, done, on bool) {
	x := &c.x
	if most := l.exchanges.mostBody(x); most > 0 && x.came > most {
		return nil, true, l.declineJSON(c, &transcode.Wrong{Status: 413, Text: replyTooLarge.Detail})
	}
	messages, err := x.kept.json.Request(piece, x.body.Done())
	if err != nil {
		return nil, true, l.declineJSON(c, err)
	}
	if len(messages) == 0 && !x.body.Done() && (x.headIn || x.bodyFirst) {
		l.bodies.sentOn(c) // there is nothing to send yet
		return nil, true, true
	}
	return messages, false, true
}

// declineJSON ends an exchange whose request doesn't fit its method.
func (l *transcoding) declineJSON(c *client, err error) bool {
	x := &c.x
	c.unread = c.unread || !x.body.Done()
	if !x.begun {
		l.heads.refuse(c, transcode.ReplyTo(err))
		return false
	}
	l.attempts.giveUp(c)
	x.outcome.Failed = request.ClientGone
	if !l.breakOff(c, &transcode.Status{Code: grpc.InvalidArgument, Message: err.Error()}) {
		l.exchanges.cut(c)
	}
	return false
}

// responded takes the head of a call's response: what goes on is made of what follows it.
func (l *transcoding) responded(c *client, k *backend, text, _ []byte, end tail) ([]byte, bool) {
	l.callResponds(c, k, text, end.here)
	return nil, false
}

// callResponds takes the head of a call's response, which may be all of it.
func (l *transcoding) callResponds(c *client, k *backend, text []byte, end bool) {
	x := &c.x
	call := x.kept.json
	var kind []byte
	for _, f := range l.resp.Fields {
		if http1.EqualFold(f.Name.Of(text), "content-type") {
			kind = f.Value.Of(text)
			break
		}
	}
	if status := l.resp.Status; status != 200 { // somebody between here and the server says so
		l.attempts.over(c, status, request.OK)
		l.heads.refuse(c, call.Refusal(&transcode.Status{Code: grpc.CodeOfHTTP(status), Message: "the upstream responded with HTTP status " + strconv.Itoa(status)}))
		return
	}
	if _, ok := grpc.SplitContentType(string(kind)); !ok {
		l.exchanges.failed(c, request.BadResponse)
		return
	}
	k.headDone = true
	l.bodies.headCame(x)
	call.Restart()
	call.Head = translate.Metadata(call.Head[:0], l.heads.responseHead(l.out[:0], c, text))
	l.out = l.out[:0]
	if end {
		l.endCall(c, k, text[len("HTTP/1.1 200 OK\r\n"):], nil)
		return
	}
	if call.Form == transcode.One || call.Form == transcode.Raw { // whose content type comes with the first message
		l.deadlines.await(c, stateBody)
		return
	}
	l.beginStreaming(c)
	l.giveContent(c, k, nil, false)
}

// beginStreaming writes the head of a response of several messages into the loop's buffer.
func (l *transcoding) beginStreaming(c *client) {
	x := &c.x
	x.begun, x.outcome.Status = true, 200
	x.sent.forget(&l.buffers)
	l.out = append(append(l.out[:0], http1.StatusLine(200)...), x.kept.json.Head...)
	l.out = appendType(l.out, x.kept.json.ContentType())
	if x.kept.json.Form == transcode.SSE {
		l.out = append(l.out, "Cache-Control: no-cache\r\n"...)
	}
	l.out = l.heads.framedAs(l.out, c, true)
}

// giveContent gives the client content of the response that was made.
func (l *transcoding) giveContent(c *client, k *backend, piece []byte, done bool) {
	l.bodies.give(c, k, piece, done, c.x.with.Before(filter.GRPCJSON))
}

// downloading gives the client what a piece of a call's response comes to.
func (l *transcoding) downloading(c *client, k *backend, piece []byte, done bool) ([]byte, bool) {
	l.giveCall(c, k, piece, done)
	return nil, false
}

func (l *transcoding) giveCall(c *client, k *backend, piece []byte, done bool) {
	text, err := c.x.kept.json.Response(piece)
	switch {
	case err != nil:
		l.exchanges.failed(c, request.BadResponse)
	case done:
		l.endCall(c, k, k.trailers, text)
	case len(text) > 0:
		if !c.x.begun {
			l.beginStreaming(c)
		}
		l.giveContent(c, k, text, false)
	default:
		l.deadlines.await(c, stateBody)
		if k.readable {
			l.laterBackend(k)
		}
	}
}

// endCall ends a call's response. lines hold its status, text what of a stream is to be
// sent on before.
func (l *transcoding) endCall(c *client, k *backend, lines, text []byte) {
	x := &c.x
	call := x.kept.json
	status, ok := transcode.StatusOf(lines)
	whole, err := call.Whole()
	k.trailers = k.trailers[:0]
	if x.begun && (!ok || status.Code == grpc.OK && err != nil) { // what came before it is right all the same
		x.outcome.Failed = request.BadResponse
		status, ok = *statusOfFailure(request.BadResponse), true
	}
	switch {
	case !ok || status.Code == grpc.OK && err != nil:
		l.exchanges.failed(c, request.BadResponse)
	case status.Code != grpc.OK && x.begun && call.Form == transcode.Raw: // nothing can be added to what has been sent
		x.outcome.Status = grpc.HTTPOfCode(status.Code)
		l.exchanges.failed(c, request.BadResponse)
	case status.Code != grpc.OK && x.begun:
		x.outcome.Status = grpc.HTTPOfCode(status.Code)
		l.giveContent(c, k, append(text, call.Ending(&status)...), true)
	case status.Code != grpc.OK:
		a := call.Refusal(&status)
		l.giveWhole(c, k, a.Status, a.Fields, a.Body)
	case call.Form == transcode.One:
		l.giveWhole(c, k, 200, appendType(nil, call.ContentType()), whole)
	default:
		if !x.begun {
			l.beginStreaming(c)
		}
		l.giveContent(c, k, text, true)
	}
}

// appendType appends the line that says what a response is, if that is known.
func appendType(dst []byte, kind string) []byte {
	if kind == "" {
		return dst
	}
	return append(append(append(dst, "Content-Type: "...), kind...), "\r\n"...)
}

// giveWhole gives the client a response that is there as a whole.
func (l *transcoding) giveWhole(c *client, k *backend, status int, fields, body []byte) {
	x := &c.x
	x.begun, x.outcome.Status = true, status
	x.sent.forget(&l.buffers)
	l.out = append(append(append(l.out[:0], http1.StatusLine(status)...), x.kept.json.Head...), fields...)
	l.out = append(l.out, "Content-Length: "...)
	l.out = append(strconv.AppendInt(l.out, int64(len(body)), 10), "\r\n"...)
	l.out = l.heads.framedAs(l.out, c, false)
	if x.silent {
		body = nil
	}
	l.giveContent(c, k, body, true)
}

// refusing reports a response that is no call's.
func (l *transcoding) refusing(_ *client, a *request.Reply) (*request.Reply, bool) {
	if a == replyBad {
		a = replyNotGRPC
	}
	return a, true
}

func (l *transcoding) breaking(c *client, why request.Failure) bool {
	c.x.outcome.Failed = why
	return l.breakOff(c, statusOfFailure(why))
}

// breakOff ends a stream that can't go on by telling why, if the client has taken all that
// came before. It reports whether it did.
func (l *transcoding) breakOff(c *client, s *transcode.Status) bool {
	x := &c.x
	call := x.kept.json
	if call.Form == transcode.One || call.Form == transcode.Raw || !c.out.empty() {
		return false
	}
	text := call.Ending(s)
	x.outcome.Status = grpc.HTTPOfCode(s.Code)
	x.outcome.Sent += int64(len(text))
	x.keep = x.keep && x.body.Done()
	l.exchanges.endWith(c, text)
	return true
}

// statusOfFailure is what a stream that has begun ends with after a failure.
func statusOfFailure(why request.Failure) *transcode.Status {
	switch why {
	case request.TimedOut:
		return &transcode.Status{Code: grpc.DeadlineExceeded, Message: replyLate.Detail}
	case request.BadResponse:
		return &transcode.Status{Code: grpc.Internal, Message: replyNotGRPC.Detail}
	}
	return &transcode.Status{Code: grpc.Unavailable, Message: replyGone.Detail}
}
