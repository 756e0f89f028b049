//go:build linux

package proxy

import (
	"time"

	"dyno/gate/request"
)

// await puts a client into a phase, with the deadline of that phase. A client has one
// deadline, and putting it off is a memory write; it is kept up to 67 ms late.
func (l *loop) await(c *client, p phase) {
	c.phase = p
	limits := &l.snap.Config.Client
	x := &c.x
	var d time.Duration
	switch p {
	case phaseIdle:
		d = limits.Idle
	case phaseHead:
		d = limits.ReadHead
	case phaseCheck:
		d = time.Duration(x.waits.until - l.now)
	case phaseDelay:
		d = x.route.Config.Fault.Delay
	case phaseConnect:
		d = x.upstream.Config.Connect
	case phaseRequest:
		d = limits.ReadBody
	case phaseAnswer:
		if d = x.upstream.Config.Response; x.route.Config.Retry.Timeout > 0 {
			d = min(d, x.route.Config.Retry.Timeout)
		}
	case phaseBody, phaseTunnel:
		if d = x.upstream.Config.Idle; p == phaseBody && !c.out.empty() {
			d = limits.Write // it is the client that is waited for
		}
	case phaseWrite:
		d = limits.Write
	case phaseLinger:
		d = time.Duration(lingerTime)
	case phaseHello:
		d = limits.Handshake
	}
	due := l.now + int64(d)
	if p == phaseRequest || p == phaseBody || p == phaseWrite {
		due = min(due, max(l.now+1, l.tooSlow(c, d)))
	}
	if x.deadline != 0 && p.busy() && p != phaseTunnel {
		due = min(due, x.deadline)
	}
	l.wheel.Set(c.id, due)
}

// tooSlow is when a side that sends or takes a little now and then, so that it is never
// idle, has taken too long for that: it has the time that it may be idle, and what all
// bytes take at the rate that is the least.
func (l *loop) tooSlow(c *client, d time.Duration) int64 {
	const never = 1<<63 - 1
	x, rate := &c.x, l.snap.Config.Client.Rate
	begun, bytes := x.outcome.Began, x.sent
	switch {
	case c.phase == phaseBody && c.out.empty() && x.upstream != nil && x.upstream.Config.Rate > 0:
		c.stalled = 0
		begun, bytes, rate = x.outcome.Answered, x.outcome.Sent, x.upstream.Config.Rate // it is the upstream that is waited for
	case rate == 0:
		return never
	case c.phase != phaseRequest:
		if c.out.empty() {
			c.stalled = 0
			return never
		}
		if c.stalled == 0 {
			c.stalled = l.now
		}
		begun, bytes = c.stalled, int64(len(c.out.b))
	case x.back != nil && !x.back.out.empty():
		return never // it is the upstream that takes its time
	}
	return begun + int64(d) + int64(time.Second/time.Duration(rate))*bytes
}

// progress puts the deadline of the present phase off: something moved.
func (l *loop) progress(c *client) { l.await(c, c.phase) }

// expired deals with a client whose deadline has passed.
func (l *loop) expired(id int32) {
	c := l.clients.at(id)
	if c.fd < 0 {
		return
	}
	x := &c.x
	if x.deadline != 0 && c.phase.busy() && c.phase != phaseTunnel && l.now >= x.deadline {
		x.outcome.Failed = request.TimedOut
		l.failed(c, request.TimedOut)
		return
	}
	switch c.phase {
	case phaseHead:
		l.turnAway(c, answerSlow)
	case phaseCheck:
		l.resume(c.id, c.serial, nil)
	case phaseDelay:
		l.try(c)
		if c.fd >= 0 && c.phase == phaseRequest {
			l.upload(c)
		}
	case phaseConnect:
		l.failed(c, request.ConnectFailed)
	case phaseRequest:
		l.lateBody(c)
	case phaseAnswer, phaseBody:
		l.late(c)
	case phaseTunnel:
		l.detach(c)
		l.end(c)
		l.drop(c)
	default:
		l.drop(c)
	}
}

// late deals with a response that doesn't begin or go on in time.
func (l *loop) late(c *client) {
	if !c.out.empty() { // the client doesn't take it
		l.clientGone(c)
		return
	}
	l.failed(c, request.TimedOut)
}

// lateBody deals with a request's body that doesn't move: either the client doesn't
// send or the upstream doesn't take.
func (l *loop) lateBody(c *client) {
	x := &c.x
	if k := x.back; k != nil && !k.out.empty() {
		l.failed(c, request.TimedOut)
		return
	}
	x.outcome.Failed = request.ClientGone
	if x.begun {
		l.cut(c)
		return
	}
	c.unread = true
	l.refuse(c, answerSlow)
}
