//go:build linux

package proxy

import (
	"bytes"
	"time"

	"dyno.example/nano/wire/grpc"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/translate"
)

// deadlines says until when a client waits for what, and deals with what is too late.
type deadlines struct {
	*loop

	queues []*queue
}

// await puts a client into a state, with the deadline of that state. A client has one
// deadline, and putting it off is a memory write; it is kept up to 67 ms late.
func (l *deadlines) await(c *client, p state) {
	enter(l.loop, c, p)
	limits := &l.snap.Config.Client
	x := &c.x
	var d time.Duration
	switch p {
	case stateIdle:
		d = limits.Idle
	case stateHead:
		d = limits.ReadHead
	case stateCheck, stateShared:
		d = time.Duration(x.waits.until - l.now)
	case stateDelay:
		d = x.pause
	case stateConnect:
		d = x.upstream.Config.Connect
	case stateRequest:
		if d = limits.ReadBody; c.grpc || x.messages { // messages come when they come
			d = x.upstream.Config.Idle
		}
	case stateResponse:
		if d = x.upstream.Config.Response; x.route.Config.Retry.Timeout > 0 {
			d = min(d, x.route.Config.Retry.Timeout)
		}
	case stateBody, stateTunnel:
		if d = x.upstream.Config.Idle; p == stateBody && !c.out.empty() {
			d = limits.Write // it is the client that is waited for
		}
	case stateWrite, stateStored:
		d = limits.Write
	case stateLinger:
		d = time.Duration(lingerTime)
	case stateStreams:
		d = time.Duration(muxEvery)
	case stateHello:
		d = limits.Handshake
	}
	due := l.now + int64(d)
	if p == stateRequest || p == stateBody || p == stateWrite || p == stateStored {
		due = min(due, max(l.now+1, l.tooSlow(c, d)))
	}
	if x.deadline != 0 && p.busy() && p != stateTunnel && p != stateStored {
		due = min(due, x.deadline)
	}
	l.wheel.Set(c.id, due)
}

// tooSlow is when a side that sends or takes a little now and then, so that it is never
// idle, has taken too long for that: it has the time that it may be idle, and what all
// bytes take at the rate that is the least.
func (l *deadlines) tooSlow(c *client, d time.Duration) int64 {
	const never = 1<<63 - 1
	x, rate := &c.x, l.snap.Config.Client.Rate
	begun, bytes := x.outcome.Began, x.came
	switch {
	case c.state == stateBody && c.out.empty() && x.upstream != nil && x.upstream.Config.Rate > 0:
		c.stalled = 0
		begun, bytes, rate = x.outcome.Responded, x.outcome.Sent, x.upstream.Config.Rate // it is the upstream that is waited for
		if x.waits != nil {                                                              // for all of a response, nothing of which has been sent on
			bytes = x.waits.gathered
		}
	case rate == 0:
		return never
	case c.state != stateRequest:
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

// progress puts the deadline of the present state off: something moved.
func (l *deadlines) progress(c *client) { l.await(c, c.state) }

// expire is expired, where a panic costs only that client.
func (l *deadlines) expire(id int32) {
	defer l.survive(clientEvent(id))
	l.current = nil
	l.expired(id)
}

// expired deals with a client whose deadline has passed.
func (l *deadlines) expired(id int32) {
	c := l.clients.At(id)
	if c.fd < 0 {
		return
	}
	x := &c.x
	if c.state == stateShared {
		l.suspensions.waitedEnough(c)
		return
	}
	if x.deadline != 0 && c.state != stateStored && c.state.busy() && c.state != stateTunnel && l.now >= x.deadline {
		if s := x.waits; s != nil && x.endpoint == nil { // by a limit of its upstream: no endpoint has been chosen yet
			if s.queue == nil {
				l.suspensions.resume(c.id, s.ticket, nil)
			} else if s.queue.Leave(s.ticket, true) { // else its turn has come, and the loop is about to hear of it
				x.outcome.Failed = request.TimedOut
				l.suspensions.wakeUp(c, replyLate, nil)
			}
			return
		}
		x.outcome.Failed = request.TimedOut
		l.exchanges.failed(c, request.TimedOut)
		return
	}
	switch c.state {
	case stateHead:
		l.heads.turnAway(c, replySlow)
	case stateCheck:
		if x.waits.queue != nil {
			l.suspensions.waitOver(c)
		} else {
			l.suspensions.resume(c.id, x.waits.ticket, nil)
		}
	case stateDelay:
		x.goesOn()
		if x.outcome.Tries > 0 {
			l.attempts.next(c)
			return
		}
		l.attempts.begin(c)
		l.attempts.goOn(c)
	case stateConnect:
		l.attempts.ends(c, x.back, loss{why: request.ConnectFailed})
	case stateRequest:
		l.lateBody(c)
	case stateResponse, stateBody:
		l.late(c)
	case stateStored:
		l.exchanges.clientGone(c)
	case stateTunnel:
		l.attempts.giveUp(c)
		l.exchanges.end(c)
		l.exchanges.drop(c)
	case stateStreams:
		l.streams.tickHTTP2(c)
	default:
		if c.mux != nil {
			l.streams.closeIdle(c)
			return
		}
		l.exchanges.drop(c)
	}
}

// late deals with a response that doesn't begin or go on in time.
func (l *deadlines) late(c *client) {
	if !c.out.empty() { // the client doesn't take it
		l.exchanges.clientGone(c)
		return
	}
	l.exchanges.failed(c, request.TimedOut)
}

// lateBody deals with a request's body that doesn't move: either the client doesn't
// send or the upstream doesn't take.
func (l *deadlines) lateBody(c *client) {
	x := &c.x
	if k := x.back; k != nil && !k.out.empty() {
		l.exchanges.failed(c, request.TimedOut)
		return
	}
	x.outcome.Failed = request.ClientGone
	if x.begun {
		l.exchanges.cut(c)
		return
	}
	c.unread = true
	l.heads.refuse(c, replySlow)
}

// longestAsked bounds the time that a client may ask for: more is none.
const longestAsked = 24 * time.Hour

// callDeadline is how calls over gRPC say how much time is left, in both directions.
var callDeadline = &config.Deadline{Header: grpc.FieldTimeout, Unit: config.GRPC}

// deadlineRules are how a request's time limit is passed on; nil: it isn't.
func (c *client) deadlineRules() *config.Deadline {
	rules := c.x.route.Config.Deadline
	if rules == nil && (c.grpc || c.x.call) {
		return callDeadline
	}
	return rules
}

// timeLimit is how long a request may take: what its route says, or less, if the client
// has less time.
func (l *deadlines) timeLimit(c *client, r *request.Request) (d time.Duration) {
	d = c.x.route.Config.Timeout
	rules := c.deadlineRules()
	if rules == nil {
		return d
	}
	value, said := r.Header(rules.Header)
	if said || rules != callDeadline {
		r.Drop(rules.Header) // it is set again
	}
	if !said {
		return d
	}
	if asked, ok := translate.ParseTime(value, rules.Unit); ok && asked < longestAsked && (d == 0 || asked < d) {
		return max(asked, 1)
	}
	return d
}

// timeLeft is how much time an upstream has for a try: what is left for the request, or
// what one try may take.
func (l *deadlines) timeLeft(x *exchange) (left time.Duration, limited bool) {
	left = x.route.Config.Retry.Timeout
	if whole := time.Duration(x.deadline - l.now); x.deadline != 0 && (left == 0 || whole < left) {
		return whole, true
	}
	return left, left > 0
}

// retime writes how much time is left into a head that is sent once more.
func (l *deadlines) retime(c *client) {
	x, rules := &c.x, c.deadlineRules()
	if rules == nil {
		return
	}
	left, limited := l.timeLeft(x)
	if !limited {
		return
	}
	end := len(x.head) - len("\r\n\r\n")
	at := bytes.LastIndex(x.head[:end], []byte("\r\n")) + len("\r\n")
	x.head = append(translate.AppendTimeLeft(x.head[:at], rules, left), "\r\n"...)
}

// soonWhole notes when a request as a whole is over. Clients ask for any time, and each
// length would be a queue: they wait for a power of two of milliseconds at a time.
func (l *deadlines) soonWhole(c *client) {
	left := time.Duration(c.x.deadline - l.now)
	if left > soonest {
		return // the wheel has it; it is late by less than a tenth of that
	}
	step := time.Millisecond
	for step*2 <= left {
		step *= 2
	}
	l.soon(c, step, wholeOver)
}
