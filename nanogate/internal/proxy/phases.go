//go:build linux

package proxy

// phase is the state of a client's connection, or of a request on one over HTTP/2: what it
// waits for. It decides which deadline counts, and [moves] says which may follow.
type phase uint8

const (
	phaseIdle     phase = iota // the first byte of a request
	phaseHead                  // the rest of a head
	phaseCheck                 // a decision that is taken elsewhere
	phaseShared                // the response to another request like it
	phaseDelay                 // a fault's delay, or the time until the next try
	phaseConnect               // a connection to the upstream
	phaseRequest               // the rest of the request's body, or the upstream to take it
	phaseResponse              // the response to begin
	phaseStored                // the client, to take a part of a response that is stored
	phaseBody                  // the rest of a response
	phaseWrite                 // the client, to take its response
	phaseTunnel                // bytes from either side
	phaseLinger                // the client, to read the last response and close
	phaseStreams               // what comes on a connection over HTTP/2
	phaseHello                 // the first byte of a handshake
	phaseTurn                  // others, to be done with their handshakes
	phaseShake                 // the handshake
)

// String is the phase's name, as the log and the docs have it.
func (p phase) String() string {
	return [...]string{"idle", "head", "check", "shared", "delay", "connect", "request", "response", "stored", "body", "write", "tunnel", "linger", "streams", "hello", "turn", "handshake"}[p]
}

// busy reports whether a request is under way.
func (p phase) busy() bool { return p >= phaseCheck && p <= phaseBody || p == phaseTunnel }

// moves are the phases that may follow each, besides its end. A request that begins goes to
// any phase of one that is under way: with all that it needs at hand it gets through
// several at once. The table is in nanogate/docs/design/request.md too, and a test holds the
// one to the other.
var moves = [...][]phase{
	phaseIdle:     {phaseIdle, phaseHead, phaseCheck, phaseShared, phaseDelay, phaseConnect, phaseRequest, phaseResponse, phaseStored, phaseBody, phaseWrite, phaseLinger, phaseStreams, phaseHello},
	phaseHead:     {phaseIdle, phaseHead, phaseCheck, phaseShared, phaseDelay, phaseConnect, phaseRequest, phaseResponse, phaseStored, phaseBody, phaseWrite, phaseLinger, phaseStreams},
	phaseCheck:    {phaseIdle, phaseCheck, phaseShared, phaseDelay, phaseConnect, phaseRequest, phaseResponse, phaseStored, phaseBody, phaseWrite, phaseLinger},
	phaseShared:   {phaseIdle, phaseCheck, phaseShared, phaseDelay, phaseConnect, phaseRequest, phaseResponse, phaseStored, phaseBody, phaseWrite, phaseLinger},
	phaseDelay:    {phaseIdle, phaseDelay, phaseConnect, phaseRequest, phaseResponse, phaseStored, phaseBody, phaseWrite, phaseLinger},
	phaseConnect:  {phaseIdle, phaseDelay, phaseConnect, phaseRequest, phaseResponse, phaseStored, phaseBody, phaseWrite, phaseTunnel, phaseLinger},
	phaseRequest:  {phaseIdle, phaseCheck, phaseShared, phaseDelay, phaseConnect, phaseRequest, phaseResponse, phaseStored, phaseBody, phaseWrite, phaseTunnel, phaseLinger},
	phaseResponse: {phaseIdle, phaseCheck, phaseDelay, phaseConnect, phaseRequest, phaseResponse, phaseStored, phaseBody, phaseWrite, phaseTunnel, phaseLinger},
	phaseStored:   {phaseIdle, phaseStored, phaseWrite, phaseLinger},
	phaseBody:     {phaseIdle, phaseCheck, phaseDelay, phaseConnect, phaseRequest, phaseResponse, phaseStored, phaseBody, phaseWrite, phaseLinger},
	phaseWrite:    {phaseIdle, phaseWrite, phaseLinger},
	phaseTunnel:   {phaseWrite, phaseTunnel, phaseLinger},
	phaseLinger:   {phaseLinger},
	phaseStreams:  {phaseIdle, phaseLinger, phaseStreams},
	phaseHello:    {phaseTurn, phaseShake},
	phaseTurn:     {phaseShake},
	phaseShake:    {phaseIdle, phaseHead},
}

// mayMove has a bit for each of moves.
var mayMove = func() (bits [len(moves)]uint32) {
	for from, all := range moves {
		for _, to := range all {
			bits[from] |= 1 << to
		}
	}
	return bits
}()

// move puts a client into a phase. One that can't follow is a mistake of the gateway's own,
// which is told.
func move(l *loop, c *client, p phase) {
	if mayMove[c.phase]&(1<<p) == 0 {
		l.violated("a client went from a phase to one that can't follow", "from", c.phase.String(), "to", p.String())
	}
	c.phase = p
}
