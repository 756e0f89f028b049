//go:build linux

package proxy

import (
	"time"

	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/upstream"
)

// forward picks an endpoint and sends the request there.
func (l *exchanges) forward(c *client) {
	x, r := &c.x, &l.req
	route := x.route
	if x.upstream == nil { // else the request has waited for a place there
		l.slots.upstream.any(x, route.With, func(f atUpstream) bool { f.chooseUpstream(c); return x.upstream != nil })
		if x.upstream == nil {
			x.upstream = route.Target(&l.local)
		}
	}
	for x.taken < len(x.upstream.Limits) {
		if reply := x.upstream.Limits[x.taken].Check(r); reply != nil {
			l.suspensions.decided(c, reply)
			return
		}
		x.taken++
	}
	l.attempts.allowance(x).Earn(route.Config.Retry.Budget)
	if l.slots.endpoint.any(x, route.With, func(f atEndpoint) bool { f.chooseEndpoint(c); return x.endpoint != nil }); x.endpoint == nil {
		x.endpoint = x.upstream.Pick(r, &l.local, nil)
	}
	if x.endpoint == nil {
		x.outcome.Failed = request.NoEndpoint
		l.heads.refuse(c, replyNobody)
		return
	}
	l.limitTime(c)
	if x.deadline != 0 && x.deadline-l.now < int64(time.Millisecond)/2 { // no endpoint could respond in that
		x.outcome.Failed = request.TimedOut
		l.heads.refuse(c, replyLate)
		return
	}
	if h := route.Config.Hedge; h != nil {
		route.Hedges[l.local.Loop%len(route.Hedges)].Earn(h.Budget)
	}
	x.fields = append(append(x.fields[:0], r.Responds()...), route.Response.Lines...)
	if x.extended {
		l.bodies.giveKey(r)
	}
	x.head = l.heads.requestHead(l.buffers.Take(), c, r)
	if !l.slots.sending.any(x, route.With, func(f atSending) bool { return f.sending(c) }) {
		l.attempts.begin(c)
	}
}

// limitTime sets until when the response must have come, unless that has been done.
func (l *exchanges) limitTime(c *client) {
	x := &c.x
	if x.deadline != 0 {
		return
	}
	t := l.deadlines.timeLimit(c, &l.req)
	if t <= 0 {
		return
	}
	x.deadline = x.outcome.Began + int64(t)
	if t == x.route.Config.Timeout && l.now == x.outcome.Began {
		l.deadlines.soon(c, t, wholeOver) // in the queue of all that are so long
	} else {
		l.deadlines.soonWhole(c)
	}
}

// partFrom takes a request off its connection or stream when its response is all read.
func (l *exchanges) partFrom(c *client, k *backend) {
	c.x.back = nil
	k.client = nil
	if k.call != nil {
		l.multiplexed.hangUp(k.call)
		return
	}
	l.pools.release(k.connection)
}

// sendHead sends the request on a connection that is up: its head, and with it what is
// in of its body.
func (l *exchanges) sendHead(c *client) {
	x := &c.x
	if x.needsCall && x.back.call == nil { // it speaks HTTP/1.1, as TLS has agreed on
		l.failed(c, request.BadResponse)
		return
	}
	if !x.body.Done() {
		l.deadlines.await(c, stateRequest)
		return // the caller goes on with the body, and the head before it
	}
	k := x.back
	if k.call != nil || x.chunked || len(x.sent.kept) > 0 {
		l.bodies.sendPart(c, nil)
		return
	}
	if errno := k.out.write(l.Sys, k.fd, x.head, nil); errno != 0 {
		l.attempts.ends(c, k, loss{how: tryLost})
		return
	}
	x.headIn = true
	l.deadlines.await(c, stateResponse)
}

// pause lets a request wait before its next try, as a filter of the phase Forwarding wants it: from
// now on, not from when the loop's batch began, which may have been long before.
func (l *exchanges) pause(c *client, d time.Duration, by string) {
	c.x.heldBy(filter.Forwarding, by)
	c.x.pause, l.now = d, l.Sys.Now()
	l.deadlines.soon(c, d, delayOver)
	l.deadlines.await(c, stateDelay)
}

// open makes what a request can be sent on to an endpoint that has no idle connection.
func (l *exchanges) open(x *exchange, e *upstream.Endpoint) (*backend, error) {
	if x.background && l.server.files.Full() { // what may be opened still is for those that somebody waits for
		return nil, errNoRoom
	}
	if e.Address.HTTP2 || multiplexes(e) && (!x.upgrade || x.extended && l.bodies.offersTunnels(e)) {
		k, err := l.multiplexed.callTo(e, x.upstream)
		if err != nil {
			return nil, err
		}
		return &k.backend, nil
	}
	k, err := l.pools.connect(e, x.upstream, x.upgrade)
	if err != nil {
		return nil, err
	}
	return &k.backend, nil
}
