//go:build linux

package proxy

import (
	"strconv"
	"unsafe"

	"dyno.example/nano/wire/grpc"
	"dyno.example/nano/wire/http2"
	"dyno.example/nanogate/internal/request"
)

// grpcCalls is what the gateway itself knows of gRPC: who speaks it, statuses, retries. Messages
// pass through unread.
type grpcCalls struct {
	*loop

	status []byte // the fields that end a call
}

// isGRPC reports whether a request is a call over gRPC.
func isGRPC(h *http2.Header) bool {
	value, ok := h.FindKnown(http2.NameContentType)
	if !ok {
		return false
	}
	_, ok = grpc.SplitContentType(unsafe.String(unsafe.SliceData(value), len(value)))
	return ok
}

// codeOf is the status of a call that the gateway answers itself, instead of an HTTP
// status.
func codeOf(status int) grpc.Code {
	switch status {
	case 408, 504:
		return grpc.DeadlineExceeded
	case 413, 429:
		return grpc.ResourceExhausted
	}
	return grpc.CodeOfHTTP(status)
}

// statusOf is the HTTP status that a call is counted with, by its own one: what is the
// server's fault is from 500 on, and a method that there is not is none.
func statusOf(code grpc.Code) int {
	if code == grpc.Unimplemented {
		return 404
	}
	return grpc.HTTPOfCode(code)
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
		x.outcome.Status = statusOf(code)
	}
}

// refuseCall answers a call with a status and nothing else (Trailers-Only).
func (l *grpcCalls) refuseCall(c *client, a *request.Reply) {
	out := append(append(append(l.out[:0], "HTTP/1.1 200 OK\r\n"...), l.date...), "content-type: application/grpc\r\n"...)
	l.heads.giveWhole(c, append(out, l.statusFields(&c.x, a)...), nil)
}

// statusFields are the fields that end a call which the gateway responds to itself.
func (l *grpcCalls) statusFields(x *exchange, a *request.Reply) []byte {
	code := codeOf(a.Status)
	if x.wasReset {
		code = codeOfReset(x.reset)
	}
	l.status = append(appendStatus(l.status[:0], code, a.Detail), l.heads.addedFields(x)...)
	return l.status
}

// appendStatus appends the fields that end a call.
func appendStatus(dst []byte, code grpc.Code, detail string) []byte {
	dst = strconv.AppendUint(append(dst, "grpc-status: "...), uint64(code), 10)
	dst = append(dst, "\r\n"...)
	if detail != "" {
		dst = append(grpc.AppendMessage(append(dst, "grpc-message: "...), detail), "\r\n"...)
	}
	return dst
}

// cutCall ends a call that has begun and can't be completed with a status, if all that
// came before it was taken. It reports whether it did.
func (l *grpcCalls) cutCall(c *client) bool {
	x := &c.x
	if !c.grpc || !c.out.empty() || x.wasReset || x.remade {
		return false
	}
	code, detail := x.codeOfFailure()
	l.out = appendStatus(l.out[:0], code, detail)
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
		code = codeOfReset(x.reset)
	case x.outcome.Failed == request.TimedOut:
		code, detail = grpc.DeadlineExceeded, replyLate.Detail
	case x.outcome.Failed == request.BadResponse:
		code, detail = grpc.Internal, replyBad.Detail
	}
	return code, detail
}

// codeOfReset is the status of a call whose stream was reset ("Errors" of gRPC over
// HTTP/2).
func codeOfReset(code http2.ErrCode) grpc.Code {
	switch code {
	case http2.RefusedStream:
		return grpc.Unavailable
	case http2.Cancel:
		return grpc.Cancelled
	case http2.EnhanceYourCalm:
		return grpc.ResourceExhausted
	case http2.InadequateSecurity:
		return grpc.PermissionDenied
	}
	return grpc.Internal
}
