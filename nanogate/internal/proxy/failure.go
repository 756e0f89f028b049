//go:build linux

package proxy

import "dyno.example/nanogate/internal/request"

// failed deals with a failed try: it is made again with another endpoint if the route says
// so, or the client gets an error.
func (l *exchanges) failed(c *client, why request.Failure) {
	x := &c.x
	l.attempts.over(c, 0, why)
	if l.attempts.retriesFailure(c, why) {
		l.attempts.next(c)
		return
	}
	if x.begun && l.slots.broken.back(x, x.with, func(f atBreak) bool { return f.breaking(c, why) }) {
		return
	}
	x.outcome.Failed = why
	if x.begun || c.grpc && x.wasReset && !x.remade {
		l.cut(c)
		return
	}
	switch why {
	case request.ConnectFailed:
		l.heads.refuse(c, replyConnecting)
	case request.Untrusted:
		l.heads.refuse(c, replyUntrusted)
	case request.BadResponse:
		l.heads.refuse(c, replyBad)
	case request.TimedOut:
		l.heads.refuse(c, replyLate)
	default:
		l.heads.refuse(c, replyGone)
	}
}

// clientGone ends what is under way for a client that has closed its connection, and
// closes the connection to the upstream: nobody wants the response.
func (l *exchanges) clientGone(c *client) {
	if c.state.busy() || c.x.underWay() {
		c.x.outcome.Failed = request.ClientGone
		c.severed = true
		l.attempts.giveUp(c)
		l.end(c)
	}
	l.drop(c)
}
