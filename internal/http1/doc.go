// Package http1 is the HTTP/1.1 message codec: pure functions and small state
// machines over bytes. It does no I/O, reads no clock and keeps no reference to
// the bytes it is given.
//
// It is strict by RFC 9112: what two parsers could read in two ways is refused.
package http1

// Limits that bound what a peer can make a parser hold or scan.
const (
	MaxHead      = 64 << 10 // bytes of a message head, start line included
	maxChunkLine = 4 << 10  // bytes of a chunk-size line with its extensions
	maxTrailer   = 16 << 10 // bytes of a trailer section
)

// Error is a violation of HTTP/1.1 syntax or of a limit.
type Error struct {
	Section string // RFC 9112 (or 9110) section that is violated
	Message string
}

func (e *Error) Error() string { return "http1: " + e.Message + " (" + e.Section + ")" }
