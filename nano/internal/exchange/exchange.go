// Package exchange has what the wires and the code that serves requests share: a
// request and its response, as far as both know them, and how a response is framed.
package exchange

import (
	"context"
	"crypto/tls"
	"net/netip"
	"time"

	"dyno.example/nano/wire/http1"
)

// Exchange is a request and its response, whatever wire they travel on. It belongs to
// whoever runs the handler, and is reused.
type Exchange struct {
	Owner Owner
	Wire  Wire

	// The request. Spans of Req refer to Buf.
	Buf    []byte
	Req    http1.Request
	HTTP2  bool // it came over HTTP/2: Req is what HTTP/1.1 would have made of it
	Remote netip.AddrPort
	// Unnamed says that Remote is a proxy whose PROXY protocol header named no client:
	// the requests may be any client's.
	Unnamed bool
	TLS     *tls.ConnectionState // nil without TLS
	Body    Body
	Tunnel  TunnelState

	// The response.
	Status int
	Fields []byte // "Name: value\r\n" lines set before the response begins; reused

	History *History // of the route; nil if it says where its handlers run, and without a route
}

// Owner serves an exchange. It outlives its uses.
type Owner interface {
	// Find looks up the request's handler. spawn: it has to start on a goroutine of its
	// own.
	Find() (spawn bool)
	// Serve runs what Find has found, to the end of the response. It never panics.
	Serve()
	// Forget takes Find back.
	Forget()
	// Recycle ends this use of the exchange.
	Recycle()
	// BodyLimit is how many bytes the request's body may have; negative: any.
	BodyLimit() int64
	// BodyPace is how a body that the handler reads must come: how long it may make no
	// progress, and bytes per second; neither positive: as it likes.
	BodyPace() (stall time.Duration, rate int)
	// WholeBody reports whether the handler has no use for a body that isn't all in.
	WholeBody() bool
	// Suspends reports whether the handler is to be suspended where it waits for its
	// client, on wires that can do that. On others Find has returned spawn.
	Suspends() bool
	// Timed makes the context of a handler that has run for so long.
	Timed(parent context.Context, ran time.Duration) (context.Context, context.CancelCauseFunc)
	// Ignored reports a field that the handler has set but the wire sets itself.
	Ignored(line []byte)
	// Unfinished reports a response that can't be completed.
	Unfinished(err error)
}

// TunnelState is the state of an extended CONNECT, which asks for another protocol on
// its stream (RFC 8441): Req is a GET with an Upgrade field.
type TunnelState uint8

const (
	NoTunnel    TunnelState = iota
	TunnelAsked             // Wire.Hijack returns a Tunnel; other responses than errors become a 501
	TunnelOpen
)

// Body is the request's body: whole in memory, or to be read from the wire.
type Body struct {
	Whole  []byte      // valid if ready
	Chunks *http1.Body // of a Whole that came in chunks: it has the trailers
	Ready  bool
	At     int // of Whole that a reader has had
}

// Details of the problems that refuse bodies.
const (
	BodyTooLarge = "the request's body is larger than the server allows"
	BodyTooSlow  = "the request's body came too slowly"
)
