package grpc

// Code is the status of a call (doc/statuscodes.md of github.com/grpc/grpc).
type Code uint32

const (
	OK Code = iota
	Cancelled
	Unknown
	InvalidArgument
	DeadlineExceeded
	NotFound
	AlreadyExists
	PermissionDenied
	ResourceExhausted
	FailedPrecondition
	Aborted
	OutOfRange
	Unimplemented
	Internal
	Unavailable
	DataLoss
	Unauthenticated
)

// Codes is how many there are.
const Codes = int(Unauthenticated) + 1

var codeNames = [Codes]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
	"ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",
	"OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

// String returns the code's name as the specification has it; one that it doesn't
// have is UNKNOWN.
func (c Code) String() string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return codeNames[Unknown]
}

// ParseCode reads a grpc-status. ok is false if it isn't a number; a number that the
// specification doesn't have is Unknown.
func ParseCode(text []byte) (c Code, ok bool) {
	if len(text) == 0 || len(text) > 9 {
		return Unknown, false
	}
	for _, d := range text {
		if d < '0' || d > '9' {
			return Unknown, false
		}
		c = 10*c + Code(d-'0')
	}
	if int(c) >= Codes {
		return Unknown, true
	}
	return c, true
}

// NamedCode returns the code with the name, in capitals.
func NamedCode(name string) (c Code, ok bool) {
	for i, n := range codeNames {
		if n == name {
			return Code(i), true
		}
	}
	return Unknown, false
}

// CodeOfHTTP is what a response that isn't one of gRPC means, by its HTTP status
// (doc/http-grpc-status-mapping.md of github.com/grpc/grpc).
func CodeOfHTTP(status int) Code {
	switch status {
	case 400:
		return Internal
	case 401:
		return Unauthenticated
	case 403:
		return PermissionDenied
	case 404:
		return Unimplemented
	case 429, 502, 503, 504:
		return Unavailable
	}
	return Unknown
}

// HTTPOfCode is the status of HTTP that stands for a code (google/rpc/code.proto).
func HTTPOfCode(code Code) int {
	switch code {
	case OK:
		return 200
	case Cancelled:
		return 499
	case InvalidArgument, FailedPrecondition, OutOfRange:
		return 400
	case DeadlineExceeded:
		return 504
	case NotFound:
		return 404
	case AlreadyExists, Aborted:
		return 409
	case PermissionDenied:
		return 403
	case Unauthenticated:
		return 401
	case ResourceExhausted:
		return 429
	case Unimplemented:
		return 501
	case Unavailable:
		return 503
	}
	return 500
}
