package nano

import (
	"net"
	"time"
)

// netWire is a wire that ends in a connection. It has what net/http's handlers
// ask for beside what nano's do.
type netWire interface {
	wire
	// inform sends an interim answer (RFC 9110 15.2) with "Name: value\r\n" lines.
	// After 101 no other answer follows.
	inform(x *exchange, status int, lines []byte) error
	// trailers calls f for each trailer field of a request whose body was read to
	// its end.
	trailers(x *exchange, f func(name, value string))
	// deadline bounds reads or writes; a zero time puts the limits of the app in
	// force again. Any goroutine may call it.
	deadline(d direction, at time.Time) error
	// gone reports whether the client is known to have gone, or didn't take the
	// answer in time.
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
