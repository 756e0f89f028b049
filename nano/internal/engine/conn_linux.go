package engine

import (
	"net/netip"

	"dyno.example/nano/internal/netconn"
)

// conn is one connection. It belongs to a loop. While a handler of HTTP/1.1 has it
// (away), only the handler reads and writes the socket; one of HTTP/2 is always the
// loop's.
type conn struct {
	fd       int // -1: closed
	id       int32
	phase    phase
	opening  opening
	ending   bool         // the client has closed its side, and everything it sent was read
	readable bool         // the kernel may have more to read
	hungUp   bool         // the client has closed its side; what it sent may not be read yet
	unseen   bool         // in holds requests that were not looked at
	unread   bool         // the client sent more than was read: see retire
	closing  bool         // close when out is sent
	cut      bool         // close now
	unnamed  bool         // its PROXY protocol header named nobody
	reset    bool         // with a reset, so that the client sees an error
	requests int32        // served so far
	sent     int          // bytes of out that are sent
	drained  int          // bytes thrown away while lingering
	queued   int          // bytes that the client hadn't acknowledged when last asked
	asked    int64        // when that was
	taken    netconn.Pace // how it takes its responses

	in     []byte  // the start of a request, or requests that wait for their turn
	out    []byte  // what the client hasn't taken yet of its responses
	upload *upload // the body that is coming in
	away   *turn   // has the connection
	remote netip.AddrPort
	secure *netconn.Secured // TLS; nil without
	h2     *h2conn          // HTTP/2; nil for HTTP/1.1
}

// phase is what a connection waits for; it decides which deadline counts.
type phase uint8

const (
	phaseIdle    phase = iota // the first byte of a request
	phaseHead                 // the rest of a head
	phaseBody                 // the rest of a body that is collected
	phaseAway                 // a handler
	phaseWrite                // the client, to take its response
	phaseLinger               // the client, to read the last response and close
	phaseStreams              // anything, over HTTP/2 with requests under way
	phaseHello                // a PROXY header before TLS, and the handshake
)

// begin makes c the connection of a socket.
func (c *conn) begin(fd int, id int32, from netip.AddrPort) {
	*c = conn{fd: fd, id: id, remote: from, readable: true}
}
