package translate

import (
	"strconv"
	"time"
	"unsafe"

	"dyno.example/nano/wire/grpc"
	"dyno.example/nano/wire/http2"
)

// Statuses of calls over gRPC, and what they are over HTTP.

// IsCall reports whether a request is a call over gRPC.
func IsCall(h *http2.Header) bool {
	value, ok := h.FindKnown(http2.NameContentType)
	if !ok {
		return false
	}
	_, ok = grpc.SplitContentType(unsafe.String(unsafe.SliceData(value), len(value)))
	return ok
}

// CodeOf is the status of a call that the gateway responds to itself, instead of an HTTP
// status.
func CodeOf(status int) grpc.Code {
	switch status {
	case 408, 504:
		return grpc.DeadlineExceeded
	case 413, 429:
		return grpc.ResourceExhausted
	}
	return grpc.CodeOfHTTP(status)
}

// StatusOf is the HTTP status that a call is counted with, by its own one: what is the
// server's fault is from 500 on, and a method that there is not is none.
func StatusOf(code grpc.Code) int {
	if code == grpc.Unimplemented {
		return 404
	}
	return grpc.HTTPOfCode(code)
}

// CodeOfReset is the status of a call whose stream was reset ("Errors" of gRPC over
// HTTP/2).
func CodeOfReset(code http2.ErrCode) grpc.Code {
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

// AppendStatus appends the fields that end a call.
func AppendStatus(dst []byte, code grpc.Code, detail string) []byte {
	dst = strconv.AppendUint(append(dst, "grpc-status: "...), uint64(code), 10)
	dst = append(dst, "\r\n"...)
	if detail != "" {
		dst = append(grpc.AppendMessage(append(dst, "grpc-message: "...), detail), "\r\n"...)
	}
	return dst
}

// CodeIn is the status that a response's head ends its call with: one of gRPC, or what
// its HTTP status comes to.
func CodeIn(h *http2.Header, end bool) (code grpc.Code, ok bool) {
	if h.Status != 200 {
		return grpc.CodeOfHTTP(h.Status), true
	}
	value, ok := h.FindKnown(http2.NameGRPCStatus)
	if !ok || !end {
		return 0, false
	}
	code, _ = grpc.ParseCode(value)
	return code, true
}

// longestPushback bounds how long a call waits because its server says so. One that is to
// wait for longer gets its status.
const longestPushback = 30 * time.Second

// Pushback is how long a call is to wait before it is sent again; ok is false if it isn't
// to be, which anything but a time means.
func Pushback(h *http2.Header) (wait time.Duration, ok bool) {
	value, found := h.Find(grpc.FieldPushback)
	if !found {
		return 0, true
	}
	ms, err := strconv.ParseInt(string(value), 10, 32)
	wait = time.Duration(ms) * time.Millisecond
	return wait, err == nil && wait >= 0 && wait <= longestPushback
}
