// Package grpc is what gRPC writes onto HTTP/2, as pure functions over bytes: the
// prefix of a message, deadlines, status codes with their names, and texts in fields.
// The specification is "gRPC over HTTP2" (PROTOCOL-HTTP2.md of github.com/grpc/grpc),
// whose sections the comments name.
//
// A [Reader] finds the messages in what comes in pieces. What is in messages, their
// compression, and connections are not known here.
package grpc

// Fields of requests and responses ("Requests", "Responses").
const (
	ContentType   = "application/grpc" // may be followed by "+" and a format, or ";" and parameters
	FieldTimeout  = "grpc-timeout"
	FieldEncoding = "grpc-encoding"
	FieldAccepts  = "grpc-accept-encoding"
	FieldStatus   = "grpc-status"
	FieldMessage  = "grpc-message"
	FieldDetails  = "grpc-status-details-bin"
	FieldPushback = "grpc-retry-pushback-ms" // of proposal A6 of github.com/grpc/proposal
)

// Identity is the encoding of messages that aren't compressed.
const Identity = "identity"

// SplitContentType returns the format of the messages that a Content-Type tells of:
// "proto" for "application/grpc+proto", "" if it says none. ok is false if it is
// another protocol's. The type is compared without regard to case (RFC 9110 8.3.1).
func SplitContentType(value string) (format string, ok bool) {
	if len(value) < len(ContentType) || !sameText(value[:len(ContentType)], ContentType) {
		return "", false
	}
	rest := value[len(ContentType):]
	for i := range len(rest) {
		if c := rest[i]; c == ';' || c == ' ' || c == '\t' {
			rest = rest[:i]
			break
		}
	}
	if rest == "" {
		return "", true
	}
	return rest[1:], rest[0] == '+' && len(rest) > 1
}

// sameText compares text with one in small letters.
func sameText(text, small string) bool {
	for i := range len(small) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != small[i] {
			return false
		}
	}
	return true
}
