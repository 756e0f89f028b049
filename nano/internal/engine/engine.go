// Package engine is nano's event loops on Linux: sockets, connections and their
// deadlines, requests out of bytes, and handlers that run on the loop until they
// block. What a request means is its exchange's owner's to know. See nano/docs/loop.md.
package engine

import (
	"log/slog"
	"net"
	"net/netip"
	"time"

	"dyno.example/nano/internal/exchange"
)

// Config is how loops serve.
type Config struct {
	App    App
	Loops  int // 0: one per CPU
	Limits Limits
	H2C    bool // connections may begin with the preface of HTTP/2
	Debug  bool // what handlers were given is overwritten: buffers are not changed under it
	Logger *slog.Logger

	BodyTooLarge, BodyTooSlow error // what reading a body fails with
}

// Limits are those of package nano by the same names, with their defaults.
type Limits struct {
	Head, URI, Fields       int
	Body                    int64
	BufferBody              int
	Connections, PerAddress int
	Requests                int

	Handshake, ReadHead, ReadBody time.Duration
	MinRate                       int
	Idle, WriteStall              time.Duration
	MinTake                       int
	Handler, Drain                time.Duration
}

// App is what is served. Its methods may be called by any goroutine.
type App interface {
	// NewExchange returns an exchange with its owner.
	NewExchange() *exchange.Exchange
	// BodyLimits reports whether some route has a limit of its own for bodies.
	BodyLimits() bool
	// AwaitsProxy reports whether connections of the peer begin with a header of the
	// PROXY protocol.
	AwaitsProxy(peer netip.AddrPort) bool
	// Refuse appends the response to what can't be served, which closes the
	// connection; date is the Date field's line.
	Refuse(out, date []byte, status int, detail string, from netip.AddrPort) []byte
	// KeepsSockets reports whether the files of unix sockets are another process'.
	KeepsSockets() bool
	// RefusalBody is the content of the response to what can't be served, which
	// doesn't end the connection.
	RefusalBody(status int, detail string, from netip.AddrPort) []byte
	// Violated takes note of a client that breaks the rules of HTTP/2, which ends its
	// stream or its connection.
	Violated(err error, from netip.AddrPort)
	// TakeOver has net/http serve a connection whose handshake has agreed on a protocol
	// that loops don't speak. It may block.
	TakeOver(c net.Conn)
	// BadBody makes the error of a body that isn't framed as it should be, BodyCut
	// that of one which the client didn't send to its end; err may be nil.
	BadBody(status int, detail string, err error) error
	BodyCut(err error) error
}
