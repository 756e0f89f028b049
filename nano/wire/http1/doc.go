// Package http1 is the HTTP/1.1 message codec: pure functions and small state
// machines over bytes. It does no I/O, reads no clock and keeps no reference to
// the bytes it is given.
//
// A server reads a head with [Request.Parse] and what follows with a [Body]; a client
// follows a whole response with [Response].
//
// It is strict by RFC 9112: what two parsers could read in two ways is refused.
//
// It is part of the wire below nano and the lab, and may change with any version.
package http1

// Limits that bound what a peer can make a parser hold or scan.
const (
	MaxHead      = 64 << 10 // bytes of a response's head, status line included
	maxChunkLine = 2 << 10  // bytes of a chunk-size line with its extensions
	maxChunkExt  = 16 << 10 // bytes of extensions and padding in all of a body
	maxTrailer   = 16 << 10 // bytes of a trailer section
)

// Error is a violation of HTTP/1.1 syntax or of a limit. The connection it came
// from can't be used any further: where the next message starts is not known.
type Error struct {
	Status  int    // status of the response before closing: 400, 414, 417, 431, 501, 505; 502 if a response is wrong
	Section string // RFC and section that is violated
	Message string
}

func (e *Error) Error() string { return "http1: " + e.Message + " (" + e.Section + ")" }
