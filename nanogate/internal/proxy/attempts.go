//go:build linux

package proxy

import (
	"dyno.example/nano/wire/http2"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/upstream"
)

// attempt is one try of an exchange at an endpoint: where, on what, and how far it has come. The
// next one is another value.
type attempt struct {
	endpoint *upstream.Endpoint // that it is sent to, or is to be
	back     *backend           // that it is on; nil: nothing
	tried    int64              // when it began
	reset    http2.ErrCode      // why the upstream has reset its stream,
	wasReset bool               // if it has
	headIn   bool               // the head has been sent, or is in the backend's outbox
	unseen   bool               // the endpoint said that it didn't look at it
}

// attempts tries exchanges at endpoints, and decides what follows an attempt that failed.
//
// An exchange has one attempt at a time, and while it is hedged a second one, its rival: the
// one whose response begins first is taken, and the other is thrown away. No other code has to
// know whether there are two: what finds that an attempt failed calls [attempts.ends], what
// finds that its response begins calls [attempts.responds]. When there may be another attempt,
// and where, is for the rules in retry.go and hedge.go.
type attempts struct{ *loop }

// loss is how an attempt failed.
type loss struct {
	how      how
	why      request.Failure // of tryFailed
	reset    http2.ErrCode   // of a stream that the upstream has reset,
	wasReset bool            // if it has
}

type how uint8

const (
	tryFailed  how = iota // it is counted as a failure, and tried again if the route says so
	tryLost               // its connection ended before its response did
	tryUnsent             // nothing of it was sent: it may have another connection to the endpoint
	trySpoilt             // nothing was, as the endpoint had broken the protocol there: it may have another one once
	tryRefused            // the endpoint says that it hasn't looked at it (RFC 9113 8.7)
)

const (
	mostRefused = 3 // attempts that an endpoint hasn't looked at
	// mostMoves is from how many connections a request moves on. After that it waits where it
	// is: an endpoint that takes no streams at all isn't given ever more connections.
	mostMoves = 8
)

// begin sends the request to the endpoint that was picked.
func (l *attempts) begin(c *client) {
	x := &c.x
	x.count()
	if x.outcome.Tries > 0 {
		l.deadlines.retime(c)
	}
	x.tried = l.now
	if x.outcome.Forwarded == 0 {
		x.outcome.Forwarded = l.now
	}
	x.outcome.Tries++
	x.beginTry(x.endpoint.Name, l.now, false)
	x.mark(x.head)
	l.deadlines.soon(c, x.route.Config.Retry.Timeout, tryOver)
	if x.mayHedge() && x.outcome.Tries == 1 {
		l.deadlines.soon(c, x.route.Config.Hedge.After, hedgeDue)
	}
	if k := l.pools.pooledOf(x.endpoint, x.method != other && x.body.Done()); k != nil {
		l.attach(c, &k.backend)
		l.exchanges.sendHead(c)
		return
	}
	l.connect(c)
}

// connect opens a connection for the attempt, or a stream of one.
func (l *attempts) connect(c *client) {
	x := &c.x
	k, err := l.exchanges.open(x, x.endpoint)
	if err == errNoRoom {
		x.outcome.Failed = request.ConnectFailed
		l.heads.refuse(c, replyCrowded)
		return
	}
	if err != nil {
		l.exchanges.failed(c, request.ConnectFailed)
		return
	}
	l.attach(c, k)
	if !k.up {
		l.deadlines.await(c, stateConnect)
		return
	}
	l.exchanges.sendHead(c)
}

// attach puts the attempt on what it is sent on.
func (l *attempts) attach(c *client, k *backend) { k.client, c.x.back = c, k }

// up sends the request on what has come up.
func (l *attempts) up(k *backend) {
	c := k.client
	if k == c.x.rival.back {
		l.sendBeside(c, k)
		return
	}
	l.exchanges.sendHead(c)
	if c.x.back == k {
		l.goOn(c)
	}
}

// goOn goes on with the request's body, if its turn has come.
func (l *attempts) goOn(c *client) {
	if c.fd >= 0 && c.state == stateRequest {
		l.bodies.upload(c)
	}
}

// responds takes the response that begins on k: of two attempts the other one is thrown away.
func (l *attempts) responds(c *client, k *backend) {
	x := &c.x
	switch x.rival.back {
	case nil:
	case k:
		l.throwAway(c, x.back)
	default:
		l.throwAway(c, x.rival.back)
	}
}

// undecided reports whether the response that is taken may be that of another attempt.
func (x *exchange) undecided() bool { return x.rival.back != nil }

// backs are what the exchange's attempts are on.
func (x *exchange) backs() [2]*backend { return [2]*backend{x.back, x.rival.back} }

// isOn reports whether one of the attempts is on k.
func (x *exchange) isOn(k *backend) bool { return x.back == k || x.rival.back == k }

// replace puts the attempt that is on one backend on another one.
func (x *exchange) replace(k, by *backend) {
	if by.client, k.client = k.client, nil; x.rival.back == k {
		x.rival.back = by
		return
	}
	x.back = by
}

// throwAway gives one of two attempts up; the request goes on with the other one.
func (l *attempts) throwAway(c *client, k *backend) {
	x := &c.x
	x.endTry(k.endpoint.Name, l.now, 0, request.OK, true)
	k.endpoint.End()
	first := k == x.back
	if first {
		x.attempt = x.rival
	}
	x.rival = attempt{}
	if first {
		l.keepRival(c)
	}
	k.client = nil
	l.exchanges.closeBackend(k)
}

// keepRival goes on with what was the rival as the only attempt: the exchange waits for what
// that waits for, and the head says whose it is.
func (l *attempts) keepRival(c *client) {
	x := &c.x
	if head := l.heads.rehosted(x, x.endpoint); head != nil {
		x.head = append(x.head[:0], head...)
	}
	switch {
	case !x.headIn:
		l.deadlines.await(c, stateConnect)
	case c.state == stateConnect:
		l.deadlines.await(c, stateResponse)
	}
}

// ends decides what follows when the attempt on k has failed: the other one goes on, it is
// made again, or the exchange has failed.
func (l *attempts) ends(c *client, k *backend, e loss) {
	x := &c.x
	if x.undecided() {
		l.throwAway(c, k)
		return
	}
	if e.how == tryLost && !x.headIn && !k.reused && k.call == nil {
		e.how = tryUnsent // what has just come up was closed while the request's body was waited for
	}
	switch again := x.again(); e.how {
	case tryUnsent:
		if again && x.moves < mostMoves {
			x.moves++
			l.sameAgain(c)
			return
		}
		e.why = request.ConnectFailed
	case trySpoilt:
		if again && !x.stale {
			x.stale = true
			l.sameAgain(c)
			return
		}
		e.why = request.BadResponse
	case tryRefused:
		if again && x.refused < mostRefused {
			x.refused++
			l.elsewhere(c)
			return
		}
		x.unseen, e.why = true, request.UpstreamGone
	case tryLost:
		// The endpoint closed the connection while it was idle, most likely, and never
		// saw the request; at worst it sees it twice, which is the same as once
		// (RFC 9112 9.3.1).
		last := k.lastWord()
		if again && k.reused && (!k.begun || last != otherWord) && !x.stale && (x.method != other || !x.headIn || last == farewell) {
			x.stale = true
			l.sameAgain(c)
			return
		}
		e.why = request.UpstreamGone
	}
	x.reset, x.wasReset = e.reset, e.wasReset
	l.exchanges.failed(c, e.why)
}

// sameAgain sends the request on a new connection to the same endpoint: it is the same attempt.
func (l *attempts) sameAgain(c *client) {
	l.giveUp(c)
	c.x.headIn = false
	l.connect(c)
	l.goOn(c)
}

// elsewhere sends a request that its endpoint hasn't looked at to another one, if there is one.
// No endpoint has worked on it: it counts as a retry neither in the attempts nor in the budget.
func (l *attempts) elsewhere(c *client) {
	x := &c.x
	l.giveUp(c)
	x.outcome.Tries--
	x.endTry(x.endpoint.Name, l.now, 0, request.UpstreamGone, false)
	x.uncount()
	l.next(c)
}

// next sends the request to another endpoint, if there is another. What the picking looks at
// is read from the head as it was sent.
func (l *attempts) next(c *client) {
	x := &c.x
	e := x.upstream.Pick(l.heads.reread(x), &l.local, x.endpoint)
	if e == nil {
		x.outcome.Failed = request.NoEndpoint
		l.heads.refuse(c, replyNobody)
		return
	}
	if head := l.heads.rehosted(x, e); head != nil {
		x.head = append(x.head[:0], head...)
	}
	x.attempt = attempt{endpoint: e}
	l.begin(c)
	l.goOn(c)
}

// over ends an attempt of whose response nothing is passed on.
func (l *attempts) over(c *client, status int, why request.Failure) {
	l.giveUp(c)
	l.told(&c.x, status, why)
	c.x.outcome.Responded = 0
	c.x.uncount()
}

// told reports to the upstream's observers how an attempt ended.
func (l *attempts) told(x *exchange, status int, why request.Failure) {
	took := l.now - x.tried
	x.endTry(x.endpoint.Name, l.now, status, why, false)
	for _, d := range x.upstream.Detectors {
		d.Tried(x.endpoint, status, why, took)
	}
}

// giveUp takes a request from all that its attempts are on, which can't be used any more.
func (l *attempts) giveUp(c *client) {
	x := &c.x
	if x.undecided() {
		l.throwAway(c, x.rival.back)
	}
	if k := x.back; k != nil {
		if w := x.waits; w != nil && w.of == k { // for its response
			l.suspensions.unsuspend(x)
		}
		x.back = nil
		k.client = nil
		l.exchanges.closeBackend(k)
	}
}

// count counts the request at the endpoint that it is sent to.
func (x *exchange) count() {
	if x.counted {
		return
	}
	x.counted = true
	x.endpoint.Begin()
	if x.upstream.Counts() {
		x.upstream.Count(1)
	}
}

// uncount ends that.
func (x *exchange) uncount() {
	if !x.counted {
		return
	}
	x.counted = false
	x.endpoint.End()
	if x.upstream.Counts() {
		x.upstream.Count(-1)
	}
}
