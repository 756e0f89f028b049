//go:build linux

package proxy

import (
	"slices"

	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/snapshot"
)

// failed deals with a try that came to nothing: it is made again with another endpoint
// if the route says so, or the client is told.
func (l *exchanges) failed(c *client, why request.Failure) {
	x := &c.x
	l.detach(c)
	l.tried(x, 0, why)
	x.uncount()
	if l.mayRetry(c, why) {
		l.retry(c)
		return
	}
	if x.begun && l.slots.broken.back(x.with, func(f atBreak) bool { return f.breaking(c, why) }) {
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

// tried tells those who watch the upstream how a try ended.
func (l *exchanges) tried(x *exchange, status int, why request.Failure) {
	took := l.now - x.tried
	x.endTry(x.endpoint.Name, l.now, status, why, false)
	for _, d := range x.upstream.Detectors {
		d.Tried(x.endpoint, status, why, took)
	}
}

// allowance is the loop's of the route's budget of retries.
func (l *exchanges) allowance(x *exchange) *snapshot.Allowance {
	return &x.route.Retries[l.local.Loop%len(x.route.Retries)]
}

// mayRetry reports whether a request is sent once more after a failure.
func (l *exchanges) mayRetry(c *client, why request.Failure) bool {
	x := &c.x
	if !x.again() || x.outcome.Tries >= x.route.Config.Retry.Attempts {
		return false
	}
	on := x.route.Config.Retry.On
	switch why {
	case request.ConnectFailed, request.Untrusted:
		return slices.Contains(on, "connect") // nobody has had work with it: the budget isn't for that
	case request.UpstreamGone:
		if x.unseen && slices.Contains(on, "connect") {
			break
		}
		if x.method == other || !slices.Contains(on, "reset") {
			return false
		}
	case request.TimedOut:
		if x.method == other || !slices.Contains(on, "timeout") || x.deadline != 0 && l.now >= x.deadline {
			return false
		}
	default:
		return false
	}
	return l.allowance(x).Spend(l.now)
}

// retriesStatus sends a request to another endpoint whose response has a status that the
// route retries. It reports whether it did.
func (l *exchanges) retriesStatus(c *client, status int) bool {
	x := &c.x
	retry := &x.route.Config.Retry
	if len(retry.Statuses) == 0 || !slices.Contains(retry.Statuses, status) || x.method == other ||
		!x.again() || x.outcome.Tries >= retry.Attempts || !l.allowance(x).Spend(l.now) {
		return false
	}
	l.tryElsewhere(c, status)
	return true
}

// tryElsewhere sends a request to another endpoint after a response that isn't passed on.
func (l *exchanges) tryElsewhere(c *client, status int) {
	l.tryEnded(c, status)
	l.retry(c)
}

// tryEnded ends a try whose response isn't passed on.
func (l *exchanges) tryEnded(c *client, status int) {
	l.tried(&c.x, status, request.OK)
	l.detach(c)
	c.x.uncount()
}

// retry sends the request to another endpoint, if there is another. What the picking
// looks at is read from the head as it was sent.
func (l *exchanges) retry(c *client) {
	x := &c.x
	e := x.upstream.Pick(l.hedging.reread(x), &l.local, x.endpoint)
	if e == nil {
		x.outcome.Failed = request.NoEndpoint
		l.heads.refuse(c, replyNobody)
		return
	}
	if head := l.hedging.rehosted(x, e); head != nil {
		x.head = append(x.head[:0], head...)
	}
	x.endpoint, x.headIn = e, false
	x.unseen, x.wasReset = false, false
	l.try(c)
	if c.fd >= 0 && c.state == stateRequest {
		l.bodies.upload(c)
	}
}

// clientGone ends what is under way for a client that has closed its connection, and
// closes the connection to the upstream: nobody wants the response.
func (l *exchanges) clientGone(c *client) {
	if c.state.busy() {
		c.x.outcome.Failed = request.ClientGone
		c.severed = true
		l.detach(c)
		l.end(c)
	}
	l.drop(c)
}
