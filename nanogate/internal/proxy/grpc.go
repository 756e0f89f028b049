//go:build linux

package proxy

import (
	"dyno.example/nano/wire/grpc"
	"dyno.example/nano/wire/http2"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/translate"
)

// grpcCalls is what the gateway itself knows of gRPC: which requests are calls, statuses,
// retries. Messages pass through unread.
type grpcCalls struct {
	*loop

	status []byte // the fields that end a call
}

// grade counts a call by its status, which is in the fields that end it.
func (x *exchange) grade(c *client, h *http2.Header) {
	if value, ok := h.FindKnown(http2.NameGRPCStatus); ok {
		code, _ := grpc.ParseCode(value)
		x.gradeAs(c, code)
	}
}

// gradeAs counts a call by its status.
func (x *exchange) gradeAs(c *client, code grpc.Code) {
	if c.grpc && x.outcome.Status == 200 {
		x.outcome.Status = translate.StatusOf(code)
	}
}

// refuseCall responds to a call with a status and nothing else (Trailers-Only).
func (l *grpcCalls) refuseCall(c *client, a *request.Reply) {
	out := append(append(append(l.out[:0], "HTTP/1.1 200 OK\r\n"...), l.date...), "content-type: application/grpc\r\n"...)
	l.heads.giveWhole(c, append(out, l.statusFields(&c.x, a)...), nil)
}

// statusFields are the fields that end a call which the gateway responds to itself.
func (l *grpcCalls) statusFields(x *exchange, a *request.Reply) []byte {
	code := translate.CodeOf(a.Status)
	if x.wasReset {
		code = translate.CodeOfReset(x.reset)
	}
	l.status = append(translate.AppendStatus(l.status[:0], code, a.Detail), l.heads.addedFields(x)...)
	return l.status
}

// cutCall ends a call that has begun and can't be completed with a status, if all that
// came before it was taken. It reports whether it did.
func (l *grpcCalls) cutCall(c *client) bool {
	x := &c.x
	if !c.grpc || !c.out.empty() || x.wasReset || x.remade {
		return false
	}
	code, detail := x.codeOfFailure()
	l.out = translate.AppendStatus(l.out[:0], code, detail)
	l.muxes.send(&c.sink, nil, true, l.out)
	l.out = l.out[:0]
	l.exchanges.end(c)
	l.exchanges.endOfResponse(c)
	return true
}

// codeOfFailure is the status of a call that has failed, and its text.
func (x *exchange) codeOfFailure() (code grpc.Code, detail string) {
	code, detail = grpc.Unavailable, replyGone.Detail
	switch {
	case x.wasReset:
		code = translate.CodeOfReset(x.reset)
	case x.outcome.Failed == request.TimedOut:
		code, detail = grpc.DeadlineExceeded, replyLate.Detail
	case x.outcome.Failed == request.BadResponse:
		code, detail = grpc.Internal, replyBad.Detail
	}
	return code, detail
}
