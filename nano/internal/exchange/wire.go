package exchange

import (
	"context"
	"net"
	"os"
	"time"
)

// Wire carries an exchange: an HTTP/1.1 connection of a loop, or a
// net/http.ResponseWriter. Its methods are called by the goroutine that runs the
// handler.
type Wire interface {
	// Respond sends a complete response with x.Status and x.Fields. It does not keep
	// body.
	Respond(x *Exchange, body []byte) error
	// Begin sends the head of a streamed response of length bytes; -1: not known.
	Begin(x *Exchange, length int64) error
	// Write sends a part of a streamed response. It blocks while the client is slow.
	Write(x *Exchange, p []byte) (int, error)
	// Flush sends what is buffered.
	Flush(x *Exchange) error
	// End ends a streamed response; trailers are "Name: value\r\n" lines or nil.
	End(x *Exchange, trailers []byte) error
	// Read reads the request's body as it comes. It blocks.
	Read(x *Exchange, p []byte) (int, error)
	// Abort closes the connection, so that the client sees a cut response.
	Abort(x *Exchange)
	// Context makes the request's context. It ends when the client goes away or
	// the app shuts down.
	Context(x *Exchange) (context.Context, context.CancelCauseFunc)
	// Hijack gives the connection away, with what was read of it and not used. The
	// exchange is over for the wire.
	Hijack(x *Exchange) (net.Conn, []byte, error)
}

// NetWire is a wire that ends in a connection. It also has what net/http's handlers
// need.
type NetWire interface {
	Wire
	// Inform sends an interim response (RFC 9110 15.2) with "Name: value\r\n" lines.
	// After 101 no other response follows.
	Inform(x *Exchange, status int, lines []byte) error
	// Trailers calls f for each trailer field of a request whose body was read to
	// its end.
	Trailers(x *Exchange, f func(name, value string))
	// Deadline bounds reads or writes; a zero time puts the limits of the app in
	// force again. Any goroutine may call it.
	Deadline(d Direction, at time.Time) error
	// Gone reports whether the client is known to have gone, or didn't take the
	// response in time.
	Gone() bool
	// BodyWait is how long the handler has waited for the request's body.
	BodyWait() time.Duration
	// Local is the address the client has connected to; nil: not known.
	Local() net.Addr
}

type Direction uint8

const (
	Reading Direction = iota
	Writing
)

// NetWireOf returns the connection's wire below those that lie on it.
func NetWireOf(w Wire) (NetWire, bool) {
	for {
		if n, ok := w.(NetWire); ok {
			return n, true
		}
		above, ok := w.(interface{ Below() Wire })
		if !ok {
			return nil, false
		}
		w = above.Below()
	}
}

// Tunnel is a stream as a connection, which Hijack returns for an extended CONNECT. It
// lasts until the handler returns.
type Tunnel interface {
	net.Conn
	// Open sends the response, with x.Fields. The connection can be used from then on.
	Open(x *Exchange) error
}

// Sender is a wire that writes and flushes for less than both cost one after the other.
type Sender interface {
	Send(x *Exchange, p []byte) error
}

// FileSender is a wire that sends files without copying them through the
// program. It sends length bytes from offset as part of a streamed response.
type FileSender interface {
	SendFile(x *Exchange, f *os.File, offset, length int64) error
}
