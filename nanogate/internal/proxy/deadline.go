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

// await puts a client into a phase, with the deadline of that phase. A client has one
// deadline, and putting it off is a memory write; it is kept up to 67 ms late.
func (l *loop) await(c *client, p phase) {
	move(l, c, p)
	limits := &l.snap.Config.Client
	x := &c.x
	var d time.Duration
	switch p {
	case phaseIdle:
		d = limits.Idle
	case phaseHead:
		d = limits.ReadHead
	case phaseCheck, phaseShared:
		d = time.Duration(x.waits.until - l.now)
	case phaseDelay:
		d = x.pause
	case phaseConnect:
		d = x.upstream.Config.Connect
	case phaseRequest:
		if d = limits.ReadBody; c.grpc || x.json != nil && x.json.Streams() { // messages come when they come
			d = x.upstream.Config.Idle
		}
	case phaseResponse:
		if d = x.upstream.Config.Response; x.route.Config.Retry.Timeout > 0 {
			d = min(d, x.route.Config.Retry.Timeout)
		}
	case phaseBody, phaseTunnel:
		if d = x.upstream.Config.Idle; p == phaseBody && !c.out.empty() {
			d = limits.Write // it is the client that is waited for
		}
	case phaseWrite, phaseStored:
		d = limits.Write
	case phaseLinger:
		d = time.Duration(lingerTime)
	case phaseStreams:
		d = time.Duration(muxEvery)
	case phaseHello:
		d = limits.Handshake
	}
	due := l.now + int64(d)
	if p == phaseRequest || p == phaseBody || p == phaseWrite || p == phaseStored {
		due = min(due, max(l.now+1, l.tooSlow(c, d)))
	}
	if x.deadline != 0 && p.busy() && p != phaseTunnel && p != phaseStored {
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
	begun, bytes := x.outcome.Began, x.sent+x.took
	switch {
	case c.phase == phaseBody && c.out.empty() && x.upstream != nil && x.upstream.Config.Rate > 0:
		c.stalled = 0
		begun, bytes, rate = x.outcome.Responded, x.outcome.Sent, x.upstream.Config.Rate // it is the upstream that is waited for
		if x.waits != nil {                                                              // for all of a response, nothing of which has been sent on
			begun, bytes = x.passage.came, int64(len(x.passage.content))
		}
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

// expire is expired, of which a panic costs that client only.
func (l *loop) expire(id int32) {
	defer l.survive(clientEvent(id))
	l.current = nil
	l.expired(id)
}

// expired deals with a client whose deadline has passed.
func (l *loop) expired(id int32) {
	c := l.clients.At(id)
	if c.fd < 0 {
		return
	}
	x := &c.x
	if c.phase == phaseShared {
		l.waitedEnough(c)
		return
	}
	if x.deadline != 0 && c.phase != phaseStored && c.phase.busy() && c.phase != phaseTunnel && l.now >= x.deadline {
		if s := x.waits; s != nil && x.endpoint == nil { // by a limit of its upstream: nobody has been asked yet
			if s.queue == nil {
				l.resume(c.id, s.ticket, nil)
			} else if s.queue.Leave(s.ticket, true) { // else its turn has come, and the loop is about to hear of it
				x.outcome.Failed = request.TimedOut
				l.wakeUp(c, replyLate, nil)
			}
			return
		}
		x.outcome.Failed = request.TimedOut
		l.failed(c, request.TimedOut)
		return
	}
	switch c.phase {
	case phaseHead:
		l.turnAway(c, replySlow)
	case phaseCheck:
		if x.waits.queue != nil {
			l.waitOver(c)
		} else {
			l.resume(c.id, x.waits.ticket, nil)
		}
	case phaseDelay:
		if x.outcome.Tries > 0 {
			l.retry(c)
			return
		}
		l.try(c)
		if c.fd >= 0 && c.phase == phaseRequest {
			l.upload(c)
		}
	case phaseConnect:
		if x.hedge != nil {
			l.unhedge(c, x.back)
			return
		}
		l.failed(c, request.ConnectFailed)
	case phaseRequest:
		l.lateBody(c)
	case phaseResponse, phaseBody:
		l.late(c)
	case phaseStored:
		l.clientGone(c)
	case phaseTunnel:
		l.detach(c)
		l.end(c)
		l.drop(c)
	case phaseStreams:
		l.tickHTTP2(c)
	default:
		if c.mux != nil {
			l.closeIdle(c)
			return
		}
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
	l.refuse(c, replySlow)
}

// longestAsked bounds the time that a client may ask for: more is none.
const longestAsked = 24 * time.Hour

// callDeadline is how calls over gRPC say how much time there is, and are told.
var callDeadline = &config.Deadline{Header: grpc.FieldTimeout, Unit: config.GRPC}

// deadlineRules are how a request's time is told; nil: it isn't.
func (c *client) deadlineRules() *config.Deadline {
	rules := c.x.route.Config.Deadline
	if rules == nil && (c.grpc || c.x.json != nil) {
		return callDeadline
	}
	return rules
}

// timeLimit is how long a request may take: what its route says, or less, if the client
// has less time.
func (l *loop) timeLimit(c *client, r *request.Request) (d time.Duration) {
	d = c.x.route.Config.Timeout
	rules := c.deadlineRules()
	if rules == nil {
		return d
	}
	value, said := r.Header(rules.Header)
	if said || rules != callDeadline {
		r.Drop(rules.Header) // it is told anew
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
func (l *loop) timeLeft(x *exchange) (left time.Duration, limited bool) {
	left = x.route.Config.Retry.Timeout
	if whole := time.Duration(x.deadline - l.now); x.deadline != 0 && (left == 0 || whole < left) {
		return whole, true
	}
	return left, left > 0
}

// retime writes how much time is left into a head that is sent once more.
func (l *loop) retime(c *client) {
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
func (l *loop) soonWhole(c *client) {
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
