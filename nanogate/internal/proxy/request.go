//go:build linux

package proxy

import (
	"strings"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/route"
	"dyno.example/nanogate/internal/snapshot"
	"dyno.example/nanogate/internal/translate"
)

// exchanges takes requests through their filters to an endpoint, again if need be, and to their
// end.
type exchanges struct {
	*loop

	rewritten, wasRewritten []byte // heads of requests that guards have changed
}

// Responses of the gateway's own that are the same for all routes.
var (
	replyNoRoute          = request.Refuse(404, "no route matches", "").For(request.RefusedNoRoute)
	replyNoTunnel         = request.Refuse(501, "the upstream takes no WebSocket over HTTP/2", "")
	replyConnect          = request.Refuse(501, "CONNECT is not for gateways", "").For(request.RefusedHead)
	replyTooLarge         = request.Refuse(413, "the body is larger than the limit", "").For(request.RefusedBodyTooLarge)
	replyTarget           = request.Refuse(400, "the request target is not a path", "").For(request.RefusedPath)
	replyOptions          = request.Refuse(400, "too many names in Connection", "").For(request.RefusedHead)
	replyNobody           = request.Refuse(503, "no healthy upstream", "Retry-After: 1\r\n")
	replyCrowded          = request.Refuse(503, "no connection to the upstream can be opened now", "Retry-After: 1\r\n").For(request.RefusedConnections)
	replyConnecting       = request.Refuse(502, "the upstream can't be reached", "")
	replyUnclear          = request.Refuse(400, route.ErrUnclear.Error(), "").For(request.RefusedAmbiguous)
	replyUntrusted        = request.Refuse(502, "TLS with the upstream failed", "")
	replyGone             = request.Refuse(502, "the upstream closed the connection", "")
	replyBad              = request.Refuse(502, "the upstream's response is not HTTP/1.1 as it should be", "")
	replyLate             = request.Refuse(504, "the upstream took too long", "")
	replySlow             = request.Refuse(408, "the request came too slowly", "").For(request.RefusedSlow)
	replyDeclined         = request.Refuse(400, "this body is not framed as it should be", "").For(request.RefusedBody)
	replyResponseTooLarge = request.Refuse(502, "the upstream's response is larger than a plug-in may see", "")
	replyRewritten        = request.Refuse(500, "the gateway's own request isn't valid", "")
	replyHeadTooLarge     = request.Refuse(431, "the request's head is larger than the limit, or has more fields", "").For(request.RefusedHeadTooLarge)
)

// request takes a request whose head was parsed from b.
func (l *exchanges) request(c *client, b []byte) {
	q, x, r := &l.head, &c.x, &l.req
	c.requests++
	c.serial++
	x.start(q, b, l.now)
	c.grpc = c.grpc && c.of != nil
	x.extended = x.upgrade && c.of != nil
	x.keep, x.final = q.KeepAlive && !l.server.Draining(), !q.KeepAlive
	r.Begin(q, b)
	r.Peer, r.Now, r.HTTP2 = c.peer, l.now, c.of != nil
	l.heads.identify(c.conn(), r)
	if l.named.Read(q.Fields, b); l.named.Many {
		l.unrouted(c, replyOptions)
		return
	}
	if reply := l.canonical(r); reply != nil {
		l.unrouted(c, reply)
		return
	}
	if l.overload.respondReadiness(c, r) || l.server.issuer.Pending() && l.heads.respondACMEChallenge(c, r) {
		return
	}
	if len(l.snap.Config.ToHTTPS) > 0 && l.toHTTPS(c, r) {
		return
	}
	route := l.snap.Find(r, &l.found)
	if l.found.Unclear {
		l.unrouted(c, replyUnclear)
		return
	}
	if route == nil {
		l.noRoute(c)
		return
	}
	x.route, r.Params = route, l.found.Params[:l.found.N]
	x.call = c.grpc
	if may := l.snap.Config.Explain; len(may) > 0 {
		l.explains(x, may, r)
	}
	l.slots.route.any(x, l.asked(x), func(f atRoute) bool { f.routed(c); return false })
	r.Importance = importanceOf(r, &route.Config.Importance)
	l.observe(x)
	if route.Broken != nil {
		l.heads.refuse(c, route.Broken)
		return
	}
	if l.overload.shouldShed(r.Importance) {
		l.heads.refuse(c, replyBusy)
		return
	}
	l.check(c)
}

// check asks the route's filters, those that haven't been asked yet, and goes on with what
// all of them let pass.
func (l *exchanges) check(c *client) {
	x, r := &c.x, &l.req
	chain := x.route.Chain
	for {
		if r.Rewritten() {
			if reply := l.rewrite(x); reply != nil {
				l.awaitEnd(x, r)
				l.heads.refuse(c, reply)
				return
			}
		}
		if x.passed == len(chain) {
			break
		}
		if reply := x.ask(&chain[x.passed], r); reply != nil {
			l.suspensions.decided(c, reply)
			return
		}
		x.passed++
	}
	l.awaitEnd(x, r)
	l.passed(c)
}

// ask asks a filter.
func (x *exchange) ask(s *snapshot.Step, r *request.Request) *request.Reply {
	if e := x.explained(); e != nil {
		return e.check(s, r)
	}
	return s.Check(r)
}

// rewrite makes the request's head the one that a guard wants: all that follows reads that,
// and parts of the path that the route was found by aren't parts of it.
func (l *exchanges) rewrite(x *exchange) *request.Reply {
	r := &l.req
	text := r.AppendRewritten(l.wasRewritten[:0])
	l.rewritten, l.wasRewritten = text, l.rewritten // the head may lie in the other one
	l.head.Reset()
	if n, err := l.head.Parse(text, &ownLimits); n != len(text) || err != nil {
		return replyRewritten
	}
	if body, ok := r.Content(); ok {
		if !x.body.Done() || x.upgrade { // the client's is still to come, and would be taken for its next request, or for what follows an upgrade
			return replyRewritten
		}
		l.bodies.refill(x, body)
	}
	r.Renew(text)
	l.named.Read(l.head.Fields, text)
	x.method, x.moved, l.found.N = methodOf(r.Method()), true, 0
	if l.canonical(r) != nil {
		return replyRewritten
	}
	return nil
}

// passed does what the route says with a request that may pass.
func (l *exchanges) passed(c *client) {
	x, r := &c.x, &l.req
	if e := x.explained(); e != nil {
		e.passed = true
	}
	if reply := l.tooLarge(x, r.Head); reply != nil {
		l.heads.refuse(c, reply)
		return
	}
	if reply := request.CountDown(r); reply != nil {
		l.heads.refuse(c, reply)
		return
	}
	if !l.slots.content.any(x, l.asked(x), func(f atContent) bool { return f.respond(c) }) {
		l.forward(c)
	}
}

// start readies x for a request.
func (x *exchange) start(q *http1.Request, b []byte, now int64) {
	x.renew()
	x.outcome.Began, x.minor, x.method, x.upgrade, x.chunked = now, q.Minor, methodOf(q.Method.Of(b)), q.Upgrade, q.Chunked
	x.silent = x.method == head
	x.body.Start(q)
	x.upgrade = x.upgrade && x.body.Done() // whose end would be what follows it?
}

var root = []byte("/")

// canonical finds the path that counts.
func (l *exchanges) canonical(r *request.Request) *request.Reply {
	q := r.Head
	switch q.Form {
	case http1.AuthorityForm:
		return replyConnect
	case http1.AsteriskForm: // it is about the server as a whole: its root's route has it
		r.Path = root
		return nil
	}
	raw := q.Path.Of(r.Buf)
	if request.Clean(raw, q.Escaped) {
		r.Path = raw
		return nil
	}
	path, err := request.AppendCanonical(l.path[:0], raw, request.Keeps(l.snap.Config.Paths))
	if err != nil {
		return request.Refuse(400, err.Error(), "").For(request.RefusedPath)
	}
	l.path, r.Path = path, path
	return nil
}

// tooLarge holds the body's length against the route's limit.
func (l *exchanges) tooLarge(x *exchange, q *http1.Request) *request.Reply {
	if most := l.mostBody(x); most > 0 && q.ContentLength > most && !x.unsized {
		return replyTooLarge
	}
	return nil
}

// mostBody is how many bytes the body may have; 0: any number.
func (l *exchanges) mostBody(x *exchange) int64 {
	if most := x.route.Config.Body; most >= 0 {
		return most
	}
	return l.snap.Config.Client.Body
}

// noRoute responds to a request that no route matches.
func (l *exchanges) noRoute(c *client) {
	if !l.found.WrongMethod {
		l.unrouted(c, replyNoRoute)
		return
	}
	allowed := l.snap.Allowed(&l.req)
	l.unrouted(c, request.Refuse(405, "", "Allow: "+strings.Join(allowed, ", ")+"\r\n").For(request.RefusedMethod))
}

// unrouted responds to a request before a route is found for it.
func (l *exchanges) unrouted(c *client, a *request.Reply) {
	c.x.route = l.snap.Unrouted
	l.observe(&c.x)
	l.heads.refuse(c, a)
}

// identify finds out which client sent a request: the peer, or the one that trusted proxies
// name. The fields that tell the upstream are made once for a connection, unless a trusted
// proxy may send another client's with each request.
func (l *heads) identify(c *client, r *request.Request) {
	c.recheckCertificate()
	if c.forwardsOf != l.snap {
		c.forwardsOf = l.snap
		c.trusted = translate.Trusts(l.snap.Config.Trust, c.peer.Addr())
		if !c.trusted {
			c.forwards = translate.AppendForwards(l.appendCertificate(c.forwards[:0], c, nil), l.snap.Config.Forwarded, c.peer.Addr(), c.secure != nil, nil)
		}
	}
	r.Client, r.Secure, r.Port, r.Certificate = c.peer.Addr(), c.secure != nil, c.conn().port, c.certificate
	if !c.trusted {
		return
	}
	var before []byte
	before, r.Client, r.Secure = translate.Believed(l.chain[:0], r, l.snap.Config.Trust)
	l.chain = before
	var shown []byte
	if l.snap.Config.Certificates {
		shown, _ = r.Header("x-forwarded-client-cert")
	}
	c.forwards = translate.AppendForwards(l.appendCertificate(c.forwards[:0], c, shown), l.snap.Config.Forwarded, c.peer.Addr(), r.Secure, before)
}
