//go:build linux

package proxy

// state is the state of a client's connection, or of a request on one over HTTP/2: what it
// waits for. It decides which deadline counts, and [moves] says which may follow.
type state uint8

const (
	stateIdle     state = iota // the first byte of a request
	stateHead                  // the rest of a head
	stateCheck                 // a decision that is taken elsewhere
	stateShared                // the response to another request like it
	stateDelay                 // a fault's delay, or the time until the next try
	stateConnect               // a connection to the upstream
	stateRequest               // the rest of the request's body, or the upstream to take it
	stateResponse              // the response to begin
	stateStored                // the client, to take a part of a response that is stored
	stateBody                  // the rest of a response
	stateWrite                 // the client, to take its response
	stateTunnel                // bytes from either side
	stateLinger                // the client, to read the last response and close
	stateStreams               // what comes on a connection over HTTP/2
	stateHello                 // the first byte of a handshake
	stateTurn                  // others, to be done with their handshakes
	stateShake                 // the handshake
	stateGone                  // nothing any more
)

// String is the state's name, as the log and the docs have it.
func (p state) String() string {
	return [...]string{"idle", "head", "check", "shared", "delay", "connect", "request", "response", "stored", "body", "write", "tunnel", "linger", "streams", "hello", "turn", "handshake", "gone"}[p]
}

// busy reports whether a request is under way.
func (p state) busy() bool { return p >= stateCheck && p <= stateBody || p == stateTunnel }

// moves are the states that may follow each. A request that begins goes to
// any state of one that is under way: with all that it needs at hand it gets through
// several at once. The table is in nanogate/docs/design/request.md too, and a test holds the
// one to the other.
var moves = [...][]state{
	stateIdle:     {stateIdle, stateHead, stateCheck, stateShared, stateDelay, stateConnect, stateRequest, stateResponse, stateStored, stateBody, stateWrite, stateLinger, stateStreams, stateHello, stateGone},
	stateHead:     {stateIdle, stateHead, stateCheck, stateShared, stateDelay, stateConnect, stateRequest, stateResponse, stateStored, stateBody, stateWrite, stateLinger, stateStreams, stateGone},
	stateCheck:    {stateIdle, stateCheck, stateShared, stateDelay, stateConnect, stateRequest, stateResponse, stateStored, stateBody, stateWrite, stateLinger, stateGone},
	stateShared:   {stateIdle, stateCheck, stateShared, stateDelay, stateConnect, stateRequest, stateResponse, stateStored, stateBody, stateWrite, stateLinger, stateGone},
	stateDelay:    {stateIdle, stateDelay, stateConnect, stateRequest, stateResponse, stateStored, stateBody, stateWrite, stateLinger, stateGone},
	stateConnect:  {stateIdle, stateDelay, stateConnect, stateRequest, stateResponse, stateStored, stateBody, stateWrite, stateTunnel, stateLinger, stateGone},
	stateRequest:  {stateIdle, stateCheck, stateShared, stateDelay, stateConnect, stateRequest, stateResponse, stateStored, stateBody, stateWrite, stateTunnel, stateLinger, stateGone},
	stateResponse: {stateIdle, stateCheck, stateDelay, stateConnect, stateRequest, stateResponse, stateStored, stateBody, stateWrite, stateTunnel, stateLinger, stateGone},
	stateStored:   {stateIdle, stateStored, stateWrite, stateLinger, stateGone},
	stateBody:     {stateIdle, stateCheck, stateDelay, stateConnect, stateRequest, stateResponse, stateStored, stateBody, stateWrite, stateLinger, stateGone},
	stateWrite:    {stateIdle, stateWrite, stateLinger, stateGone},
	stateTunnel:   {stateWrite, stateTunnel, stateLinger, stateGone},
	stateLinger:   {stateLinger, stateGone},
	stateStreams:  {stateIdle, stateLinger, stateStreams, stateGone},
	stateHello:    {stateTurn, stateShake, stateGone},
	stateTurn:     {stateShake, stateGone},
	stateShake:    {stateIdle, stateHead, stateGone},
	stateGone:     {stateGone},
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

// enter puts a client into a state. One that can't follow is a mistake of the gateway's own,
// which is reported.
func enter(l *loop, c *client, p state) {
	if mayMove[c.state]&(1<<p) == 0 {
		l.violated("a client went from a state to one that can't follow", "from", c.state.String(), "to", p.String())
	}
	c.state = p
}
