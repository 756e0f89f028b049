//go:build linux

package proxy

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strconv"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/acme"
	"dyno.example/nanogate/internal/request"
)

// refuse gives a client a response of the gateway's own, and ends the exchange.
func (l *heads) refuse(c *client, a *request.Reply) {
	x := &c.x
	l.attempts.giveUp(c)
	a, ok := l.throughRefusal(c, a)
	if !ok {
		return
	}
	if a.Close || !x.body.Done() {
		x.keep = false // the rest of the body stands between us and the next request
	}
	x.outcome.Status, x.outcome.Upstream = a.Status, false
	if a.Why != request.NotRefused {
		l.refused(c, a)
	}
	if l.slots.reply.back(x, x.with, func(f atReply) bool { return f.replying(c, a) }) {
		return
	}
	if c.grpc {
		l.grpc.refuseCall(c, a)
		return
	}
	out, body := append(l.out[:0], http1.StatusLine(a.Status)...), a.Body
	out = append(append(out, l.date...), a.Fields...)
	out = append(out, l.addedFields(x)...)
	if a.Status == 204 || a.Status == 304 {
		body = nil
	} else {
		out = append(out, "Content-Length: "...)
		out = append(strconv.AppendInt(out, int64(len(body)), 10), "\r\n"...)
	}
	if x.silent {
		body = nil
	}
	x.outcome.Sent = int64(len(body))
	l.giveWhole(c, out, body)
}

// giveWhole gives a client a response of the gateway's own, and ends the exchange. lines are its
// head without what it says about the connection.
func (l *heads) giveWhole(c *client, lines, body []byte) {
	l.out = endHead(lines, &c.x)
	c.private = c.private[:0]
	l.exchanges.end(c)
	if c.to.send(c, body, nil, true) {
		l.exchanges.endOfResponse(c)
	}
}

// refused notes why a request is refused, for observers.
func (l *heads) refused(c *client, a *request.Reply) {
	c.x.outcome.Refused = a.Why
	if l.log().Enabled(context.Background(), slog.LevelDebug) && l.server.refusals.Takes(l.now) {
		l.log().Debug("request refused", "why", a.Why.String(), "status", a.Status, "route", c.x.route.Name, "peer", c.peer.Addr())
	}
}

// addedFields are those that the route adds to a response.
func (l *heads) addedFields(x *exchange) []byte {
	if x.route != nil && x.head == nil { // the loop's request is this one still
		return l.req.Responds()
	}
	return x.fields
}

// refuseHead responds to a head that can't be parsed; the connection can't be used any
// more.
func (l *heads) refuseHead(c *client, err error) {
	status, detail := 400, "this is not an HTTP/1.1 request"
	if e := (*http1.Error)(nil); errors.As(err, &e) {
		status, detail = e.Status, e.Message
	}
	why := request.RefusedHead
	if status == 431 || status == 414 {
		why = request.RefusedHeadTooLarge
	}
	l.turnAway(c, request.Refuse(status, detail, "").For(why))
}

// turnAway responds to what isn't a complete request.
func (l *heads) turnAway(c *client, a *request.Reply) {
	c.x.renew()
	c.x.outcome.Began, c.x.minor = l.now, 1
	c.grpc = c.grpc && c.of != nil // the request before may have been made a call
	c.unread = true
	c.in = c.in[:0]
	l.head.Reset()
	l.req.Begin(&l.head, nil)
	l.req.Path, l.req.Peer, l.req.Client, l.req.Secure, l.req.Now, l.req.HTTP2 = nil, c.peer, c.peer.Addr(), false, l.now, c.of != nil
	l.exchanges.unrouted(c, a)
}

// endHead appends what ends the head of a response that isn't an interim one: how the
// request was handled, for a client that asks for that, and the fields about its connection.
func endHead(dst []byte, x *exchange) []byte {
	if e := x.explained(); e != nil {
		dst = e.appendTo(dst, x)
	}
	switch {
	case !x.keep:
		dst = append(dst, "Connection: close\r\n"...)
	case x.minor == 0:
		dst = append(dst, "Connection: keep-alive\r\n"...)
	}
	return append(dst, "\r\n"...)
}

// respondACMEChallenge gives an authority what proves that a name is ours (RFC 8555 8.3), before
// any route. It reports whether it did: a token that isn't known here goes to the routes, as
// others behind the gateway may have promised it.
func (l *heads) respondACMEChallenge(c *client, r *request.Request) bool {
	token, ok := bytes.CutPrefix(r.Path, []byte(acme.Path))
	if !ok || c.x.method != safe && c.x.method != head {
		return false
	}
	authorization, ok := l.server.issuer.KeyAuthorization(token)
	if ok {
		l.exchanges.unrouted(c, &request.Reply{Status: 200, Fields: []byte("Content-Type: text/plain\r\nCache-Control: no-store\r\n"), Body: []byte(authorization)})
	}
	return ok
}
