//go:build linux

package proxy

import (
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/upstream"
)

// hedging has a second endpoint asked beside the first.
type hedging struct {
	*loop
}

// Hedging: a request whose response doesn't begin in time, be it that there is no
// connection yet, is sent to a second endpoint too, and the response that begins first is
// taken (Dean and Barroso 2013). The other connection is closed: what it would say is
// nobody's. Only requests that are safe and have no body are hedged.

// mayHedge reports whether a request may be sent twice at once.
func (x *exchange) mayHedge() bool {
	return x.route.Config.Hedge != nil && (x.method == safe || x.method == head) && !x.upgrade && x.body.Done() && (x.sent.taken == 0 && !x.chunked || x.remade)
}

// hedge sends the request to a second endpoint.
func (l *hedging) hedge(c *client) {
	x := &c.x
	if x.hedge != nil || !x.again() || !x.mayHedge() {
		return
	}
	r := l.reread(x)
	e := x.upstream.Pick(r, &l.local, x.endpoint)
	if e == nil || e == x.endpoint || !x.route.Hedges[l.local.Loop%len(x.route.Hedges)].Spend(l.now) {
		return
	}
	var k *backend
	if pooled := l.pools.pooledOf(e, true); pooled != nil {
		k = &pooled.backend
	} else if opened, err := l.exchanges.open(x, e); err == nil {
		k = opened
	} else {
		return // the first one goes on
	}
	l.deadlines.retime(c)
	k.client, x.hedge = c, k
	x.outcome.Hedged = true
	x.beginTry(e.Name, l.now, true)
	e.Begin()
	if k.up {
		l.sendHedge(c, k)
	}
}

// sendHedge sends the request on the second connection, which is up.
func (l *hedging) sendHedge(c *client, k *backend) {
	x := &c.x
	if x.needsCall && k.call == nil { // it speaks HTTP/1.1, as TLS has agreed on
		l.unhedge(c, k)
		return
	}
	head := x.head
	if rehosted := l.rehosted(x, k.endpoint); rehosted != nil {
		head = rehosted
	} else if x.seen {
		l.out = append(l.out[:0], x.head...)
		head = l.out
	}
	x.mark(head)
	if k.call != nil {
		if l.multiplexed.openCall(k.call, head, c.private, len(x.sent.kept) == 0) && len(x.sent.kept) > 0 { // the message of a call
			l.muxes.send(&k.call.sink, x.sent.kept, true, nil)
		}
		return
	}
	if errno := k.out.write(l.Sys, k.fd, head, nil); errno != 0 {
		l.unhedge(c, k)
	}
}

// unhedge gives one of the two connections up; the request goes on on the other one.
func (l *hedging) unhedge(c *client, k *backend) {
	x := &c.x
	x.endTry(k.endpoint.Name, l.now, 0, request.OK, true)
	if k == x.hedge {
		k.endpoint.End()
	} else {
		x.endpoint.End()
		x.back, x.endpoint = x.hedge, x.hedge.endpoint
		l.hedgeIsLeft(c)
	}
	x.hedge = nil
	k.client = nil
	l.exchanges.closeBackend(k)
}

// hedgeIsLeft goes on with the second connection as if it were the first: it waits for what
// that waits for, and the head says whose it is.
func (l *hedging) hedgeIsLeft(c *client) {
	x := &c.x
	if head := l.rehosted(x, x.endpoint); head != nil {
		x.head = append(x.head[:0], head...)
	}
	k := x.back
	x.headIn = k.up && (k.call == nil || k.call.sink.stream != nil)
	switch {
	case !x.headIn:
		l.deadlines.await(c, stateConnect)
	case c.state == stateConnect:
		l.deadlines.await(c, stateResponse)
	}
}

// goesOn gives up a try that came to nothing, if another one is under way: it reports whether
// there is one.
func (l *hedging) goesOn(c *client, k *backend) bool {
	if c.x.hedge == nil {
		return false
	}
	l.unhedge(c, k)
	return true
}

// settle takes the response that begins on k: of two tries the other one is given up.
func (l *hedging) settle(c *client, k *backend) {
	x := &c.x
	if x.hedge == nil {
		return
	}
	if loser := x.hedge; loser != k {
		l.unhedge(c, loser)
	} else {
		l.unhedge(c, x.back)
	}
}

// reread reads the request anew from its head as it was sent, for who picks an endpoint.
func (l *hedging) reread(x *exchange) *request.Request {
	l.head.Reset()
	if n, err := l.head.Parse(x.head, &ownLimits); n > 0 && err == nil {
		l.req.Begin(&l.head, x.head)
		l.req.Path = l.head.Path.Of(x.head)
	}
	return &l.req
}

// rehosted returns the head with another endpoint's name as the host, if the endpoint's
// name is what the route sends; nil if it isn't. It lies in the loop's buffer.
func (l *hedging) rehosted(x *exchange, e *upstream.Endpoint) []byte {
	if x.route.Config.Host != "upstream" {
		return nil
	}
	l.reread(x)
	at := l.head.Host
	l.out = append(l.out[:0], x.head[:at.Start]...)
	l.out = appendName(l.out, e)
	l.out = append(l.out, x.head[at.End:]...)
	return l.out
}
