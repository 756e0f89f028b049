package nano

import (
	"context"
	"net"
	"time"
)

// wire carries an exchange: an HTTP/1.1 connection of a loop, or a
// net/http.ResponseWriter. Its methods are called by the goroutine that runs the
// handler.
type wire interface {
	// respond sends a whole response with x.status and x.fields. It does not keep
	// body.
	respond(x *exchange, body []byte) error
	// begin sends the head of a streamed response of length bytes; -1: not known.
	begin(x *exchange, length int64) error
	// write sends a part of a streamed response. It blocks while the client is slow.
	write(x *exchange, p []byte) (int, error)
	// flush sends what is buffered.
	flush(x *exchange) error
	// end ends a streamed response; trailers are "Name: value\r\n" lines or nil.
	end(x *exchange, trailers []byte) error
	// read reads the request's body as it comes. It blocks.
	read(x *exchange, p []byte) (int, error)
	// abort closes the connection, so that the client sees a cut response.
	abort(x *exchange)
	// context makes the request's context. It ends when the client goes away or
	// the app shuts down.
	context(x *exchange) (context.Context, context.CancelCauseFunc)
	// hijack gives the connection away, with what was read of it and not used. The
	// exchange is over for the wire.
	hijack(x *exchange) (net.Conn, []byte, error)
}

// netWire is a wire that ends in a connection. It has what net/http's handlers
// ask for beside what nano's do.
type netWire interface {
	wire
	// inform sends an interim response (RFC 9110 15.2) with "Name: value\r\n" lines.
	// After 101 no other response follows.
	inform(x *exchange, status int, lines []byte) error
	// trailers calls f for each trailer field of a request whose body was read to
	// its end.
	trailers(x *exchange, f func(name, value string))
	// deadline bounds reads or writes; a zero time puts the limits of the app in
	// force again. Any goroutine may call it.
	deadline(d direction, at time.Time) error
	// gone reports whether the client is known to have gone, or didn't take the
	// response in time.
	gone() bool
	// bodyWait is how long the handler has waited for the request's body.
	bodyWait() time.Duration
	// local is the address the client has connected to; nil: not known.
	local() net.Addr
}

type direction uint8

const (
	reading direction = iota
	writing
)

// netWireOf returns the connection's wire below those that lie on it.
func netWireOf(w wire) (netWire, bool) {
	for {
		if n, ok := w.(netWire); ok {
			return n, true
		}
		above, ok := w.(interface{ below() wire })
		if !ok {
			return nil, false
		}
		w = above.below()
	}
}

func (h *hooks) below() wire { return h.wire }
