package engine

import (
	"time"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/internal/netconn"
	"dyno.example/nano/wire/http1"
)

// upload collects a request whose body isn't in yet. Bodies up to
// Limits.BufferBody are collected, so that the handler can run on the loop;
// larger ones are left for the handler to read.
type upload struct {
	head  []byte
	body  []byte
	limit int64 // bytes it may have; negative: any
	dec   http1.Body
	pace  netconn.Pace
	at    int64 // when pace was last told
}

// requestWithBody serves or begins to collect the request whose head is the first
// n bytes of b.
func (l *requests) requestWithBody(c *conn, b []byte, n int) (used int, mine bool) {
	r := &l.turn.x.Req
	limits := &l.config.Limits
	limit := l.bodyLimit(b[:n])
	if limit >= 0 && r.ContentLength > limit {
		l.refuseWith(c, 413, exchange.BodyTooLarge)
		return len(b), true
	}
	whole := n + int(min(r.ContentLength, int64(limits.BufferBody)))
	if !r.Chunked && r.ContentLength <= int64(limits.BufferBody) && len(b) >= whole {
		l.turn.x.Body = exchange.Body{Whole: b[n:whole:whole], Ready: true}
		return whole, l.serve(c, b[:n:n], b[whole:], nil)
	}
	u := &upload{head: append([]byte(nil), b[:n]...), at: l.now, limit: limit}
	u.pace.Begin(netconn.RateGrace)
	u.dec.Start(r)
	if !r.Chunked && r.ContentLength > int64(limits.BufferBody) {
		raw := append([]byte(nil), b[n:]...)
		return len(b), l.stream(c, u, raw, r.Expect100 && len(raw) == 0)
	}
	c.upload = u
	if len(b) == n {
		if r.Expect100 {
			l.turn.out = append(l.turn.out, http1.Continue...)
		}
		return n, true
	}
	used, mine = l.collect(c, b[n:])
	return n + used, mine
}

// bodyLimit returns how many bytes the body may have of the request that was parsed
// from head. Its route is looked up for that only if some route has a limit of its
// own.
func (l *requests) bodyLimit(head []byte) int64 {
	if !l.config.App.BodyLimits() {
		return l.config.Limits.Body
	}
	x := l.turn.x
	x.Buf = head
	sent := x.Req // what is rewritten lies behind the head, which is all that is kept
	x.Owner.Find()
	limit := x.Owner.BodyLimit()
	x.Req = sent
	x.Owner.Forget() // it is looked up again when the body is in
	return limit
}

// receiveBody takes bytes for the body that is coming in.
func (l *requests) receiveBody(c *conn, b []byte) (mine bool) {
	t := l.turn
	t.conn, t.fd, t.out, t.sent = c, c.fd, t.out[:0], 0
	n, mine := l.collect(c, b)
	if !mine {
		return false
	}
	if c.away != nil {
		n = len(b) // the handler has the rest
	}
	return l.processMore(c, b[n:])
}

// collect decodes what belongs to the body, and serves the request when it is
// all in. It returns how much of b is done with.
func (l *requests) collect(c *conn, b []byte) (n int, mine bool) {
	u := c.upload
	n, data, err := u.dec.Feed(b)
	u.body = append(u.body, b[:data]...)
	limits := &l.config.Limits
	late := u.pace.Spend(int64(data), time.Duration(l.now-u.at), limits.MinRate, limits.ReadBody)
	u.at = l.now
	switch {
	case late && !u.dec.Done():
		c.upload = nil
		l.refuseWith(c, 408, exchange.BodyTooSlow)
		return len(b), true
	case err != nil:
		c.upload = nil
		l.refuse(c, err)
		return len(b), true
	case u.limit >= 0 && int64(len(u.body)) > u.limit:
		c.upload = nil
		l.refuseWith(c, 413, exchange.BodyTooLarge)
		return len(b), true
	case u.dec.Done():
		c.upload = nil
		x := l.turn.x
		if _, err := x.Req.Parse(u.head, &l.limits); err != nil {
			panic("nano: a head that was parsed can't be parsed: " + err.Error())
		}
		x.Body = exchange.Body{Whole: u.body, Ready: true, Chunks: &u.dec}
		return n, l.serve(c, u.head, b[n:], nil)
	case len(u.body) > limits.BufferBody:
		c.upload = nil
		x := l.turn.x
		if _, err := x.Req.Parse(u.head, &l.limits); err != nil {
			panic("nano: a head that was parsed can't be parsed: " + err.Error())
		}
		return n, l.stream(c, u, nil, false)
	}
	return n, true
}

// stream starts the handler with a body that it reads from the connection.
func (l *requests) stream(c *conn, u *upload, raw []byte, expect bool) (mine bool) {
	l.turn.x.Body = exchange.Body{}
	in := &inflow{open: true, wait: expect, dec: u.dec, data: u.body, raw: raw, size: int64(len(u.body))}
	return l.serve(c, u.head, nil, in)
}
