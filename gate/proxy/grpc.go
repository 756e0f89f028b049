//go:build linux

package proxy

import (
	"math"
	"slices"
	"strconv"
	"time"
	"unsafe"

	"dyno/gate/request"
	"dyno/gate/translate"
	"dyno/nano/wire/grpc"
	"dyno/nano/wire/http2"
)

// What the gateway knows of gRPC: who speaks it, deadlines, statuses. Messages pass
// through unread.

// isGRPC reports whether a request is a call over gRPC.
func isGRPC(h *http2.Header) bool {
	value, ok := h.FindKnown(http2.NameContentType)
	if !ok {
		return false
	}
	_, ok = grpc.SplitContentType(unsafe.String(unsafe.SliceData(value), len(value)))
	return ok
}

// callTime is how long a call may take: the shorter of its own deadline and the route's
// timeout, which the upstream is told as its deadline. 0: there is none.
func callTime(r *request.Request, timeout time.Duration) time.Duration {
	own := time.Duration(math.MaxInt64)
	if value, ok := r.Header(grpc.FieldTimeout); ok {
		if d, err := grpc.ParseTimeout(value); err == nil {
			own = d
		}
	}
	if timeout > 0 && timeout < own {
		var text [16]byte
		r.Forward(grpc.FieldTimeout, grpc.AppendTimeout(text[:0], timeout))
		return timeout
	}
	if own == math.MaxInt64 {
		return 0
	}
	return max(own, 1)
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
// server's fault is from 500 on.
func statusOf(code grpc.Code) int {
	switch code {
	case grpc.OK:
		return 200
	case grpc.Unavailable:
		return 503
	case grpc.DeadlineExceeded:
		return 504
	case grpc.Unknown, grpc.Internal, grpc.DataLoss:
		return 500
	case grpc.Unauthenticated:
		return 401
	case grpc.PermissionDenied:
		return 403
	case grpc.NotFound, grpc.Unimplemented:
		return 404
	case grpc.AlreadyExists, grpc.Aborted:
		return 409
	case grpc.ResourceExhausted:
		return 429
	case grpc.Cancelled:
		return 499
	}
	return 400
}

// grade counts a call by its status, which is in the fields that end it.
func (x *exchange) grade(c *client, h *http2.Header) {
	if !c.grpc || x.outcome.Status != 200 {
		return
	}
	if value, ok := h.FindKnown(http2.NameGRPCStatus); ok {
		code, _ := grpc.ParseCode(value)
		x.outcome.Status = statusOf(code)
	}
}

// retriesCode sends a call to another endpoint whose response is nothing but a status
// that the route retries. It reports whether it did.
func (l *loop) retriesCode(c *client, h *http2.Header) bool {
	x := &c.x
	retry := &x.route.Config.Retry
	if !c.grpc || len(retry.Codes) == 0 {
		return false
	}
	value, ok := h.FindKnown(http2.NameGRPCStatus)
	if !ok {
		return false
	}
	code, _ := grpc.ParseCode(value)
	if !slices.Contains(retry.Codes, code) || !x.again() || x.outcome.Tries >= retry.Attempts || !l.allowance(x).Spend(l.now) {
		return false
	}
	l.tryElsewhere(c, statusOf(code))
	return true
}

// refuseCall answers a call with a status and nothing else (Trailers-Only).
func (l *loop) refuseCall(c *client, a *request.Answer, fields []byte) {
	out := append(append(l.out[:0], "HTTP/1.1 200 OK\r\n"...), l.date...)
	out = append(out, "content-type: application/grpc\r\n"...)
	out = append(appendStatus(out, codeOf(a.Status), a.Detail), fields...)
	out = append(out, "\r\n"...)
	l.out = out[:0]
	m := c.sink.mux
	l.touch(m)
	translate.SendResponse(&m.codec, c.sink.stream, out, nil, true)
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
func (l *loop) cutCall(c *client, why request.Failure) bool {
	if !c.grpc || !c.out.empty() || c.x.wasReset {
		return false
	}
	code, detail := grpc.Unavailable, answerGone.Detail
	switch why {
	case request.TimedOut:
		code, detail = grpc.DeadlineExceeded, answerLate.Detail
	case request.BadResponse:
		code, detail = grpc.Internal, answerBad.Detail
	}
	l.out = appendStatus(l.out[:0], code, detail)
	l.send(&c.sink, nil, true, l.out)
	return true
}
