//go:build linux

package proxy

// Hedging: a request whose response doesn't begin in time, be it that there is no
// connection yet, is sent to a second endpoint too, and the response that begins first is
// taken (Dean and Barroso 2013). The other connection is closed: its response is not
// needed. Only requests that are safe and have no body are hedged.

// mayHedge reports whether a request may be sent twice at once.
func (x *exchange) mayHedge() bool {
	return x.route.Config.Hedge != nil && (x.method == safe || x.method == head) && !x.upgrade && x.body.Done() && (x.sent.taken == 0 && !x.chunked || x.remade)
}

// hedge begins a second attempt in addition to the first.
func (l *attempts) hedge(c *client) {
	x := &c.x
	if x.undecided() || !x.again() || !x.mayHedge() {
		return
	}
	e := x.upstream.Pick(l.heads.reread(x), &l.local, x.endpoint)
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
	k.client, x.rival = c, attempt{endpoint: e, back: k, tried: l.now}
	x.outcome.Hedged = true
	x.beginTry(e.Name, l.now, true)
	e.Begin()
	if k.up {
		l.sendBeside(c, k)
	}
}

// sendBeside sends the request on what its second attempt is on, which is up.
func (l *attempts) sendBeside(c *client, k *backend) {
	x := &c.x
	if x.needsCall && k.call == nil { // it speaks HTTP/1.1, as TLS has agreed on
		l.throwAway(c, k)
		return
	}
	head := x.head
	if rehosted := l.heads.rehosted(x, k.endpoint); rehosted != nil {
		head = rehosted
	} else if x.seen {
		l.out = append(l.out[:0], x.head...)
		head = l.out
	}
	x.mark(head)
	if k.call != nil {
		if x.rival.headIn = l.multiplexed.openCall(k.call, head, c.private, len(x.sent.kept) == 0); x.rival.headIn && len(x.sent.kept) > 0 { // the message of a call
			l.muxes.send(&k.call.sink, x.sent.kept, true, nil)
		}
		return
	}
	x.rival.headIn = true
	if errno := k.out.write(l.Sys, k.fd, head, nil); errno != 0 {
		l.throwAway(c, k)
	}
}
