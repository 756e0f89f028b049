//go:build linux

package proxy

import (
	"net/netip"
	"slices"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/mirror"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/snapshot"
)

// mirroring sends copies of requests to shadows.
type mirroring struct {
	*loop

	mirrors []*snapshot.Route // whose mirrors may have something to send, see shadow.go
}

// A copy of a request goes to the shadow as a background exchange (see [nobody]). It comes after
// those that a client waits for: a loop sends a few copies when it has done all else of a
// batch of events, and reads shadows' responses when it has taken all events.

// mostShadowed is how many copies a loop sends in one turn. Events that come meanwhile wait
// for that long.
const mostShadowed = 8

// sending begins to copy a request, or doesn't: not all are.
func (l *mirroring) sending(c *client) bool {
	x := &c.x
	if x.upgrade {
		return false
	}
	if copied := x.route.Mirror.Take(&l.req, &l.local); copied != nil {
		x.join(filter.Mirror)
		l.keep(x).copy = copied
		if len(x.sent.kept) > 0 {
			copied.Request(x.sent.kept) // what is in of its body, such as the messages that were made of JSON
		}
	}
	return false
}

func (l *mirroring) uploading(c *client, piece []byte) (instead []byte, done, on bool) {
	c.x.kept.copy.Request(piece)
	return piece, false, true
}

// responded copies a response's head as it came.
func (l *mirroring) responded(c *client, _ *backend, text, _ []byte, _ tail) ([]byte, bool) {
	c.x.kept.copy.Response(l.resp.Status, l.bodies.came)
	return text, true
}

func (l *mirroring) downloading(c *client, _ *backend, piece []byte, _ bool) ([]byte, bool) {
	c.x.kept.copy.Content(piece)
	return piece, true
}

func (l *mirroring) trailed(x *exchange, lines []byte) { x.kept.copy.Trailers(lines) }

// ending hands the copy over.
func (l *mirroring) ending(c *client) {
	x := &c.x
	if x.kept.copy.End(x.head, &x.outcome, x.body.Done(), l.now) {
		l.wantTurn(x.route.Shadow)
	}
}

// shadowing has a copy's exchange compared with the original's.
type shadowing struct{ *loop }

func (l shadowing) responded(c *client, k *backend, text, rest []byte, end tail) ([]byte, bool) {
	return l.mirroring.responded(c, k, text, rest, end)
}

// downloading ends the exchange when the rest of the response makes no difference.
func (l shadowing) downloading(c *client, _ *backend, piece []byte, done bool) ([]byte, bool) {
	x := &c.x
	if x.kept.copy.Content(piece); !done && x.kept.copy.Enough() {
		l.attempts.told(x, x.outcome.Status, request.OK)
		c.to.cut(c)
		return nil, false
	}
	return piece, true
}

func (l shadowing) trailed(x *exchange, lines []byte) { x.kept.copy.Trailers(lines) }

// refusing notes why there is no response.
func (l shadowing) refusing(c *client, a *request.Reply) (*request.Reply, bool) {
	if a == replyCrowded {
		c.x.kept.copy.Drop(mirror.Files)
	}
	return a, true
}

// ending reports the outcome of a copy that was sent. There is room for another one.
func (l shadowing) ending(c *client) {
	x := &c.x
	x.kept.copy.ShadowDone(x.endpoint, &x.outcome, l.now)
	l.mirroring.wantTurn(x.route)
}

// wantTurn has a mirror be asked for what it has to send; r is its [snapshot.Route.Shadow].
func (l *mirroring) wantTurn(r *snapshot.Route) {
	if !slices.Contains(l.mirrors, r) {
		l.mirrors = append(l.mirrors, r)
	}
}

// turnMirrors sends copies, of each mirror one in turn.
func (l *mirroring) turnMirrors() {
	if l.Draining() {
		l.mirrors = l.mirrors[:0]
		return
	}
	for left := mostShadowed; left > 0 && len(l.mirrors) > 0; left-- {
		r := l.mirrors[0]
		l.mirrors = l.mirrors[:copy(l.mirrors, l.mirrors[1:])]
		if c := r.Mirror.Next(); c != nil {
			l.mirrors = append(l.mirrors, r)
			l.sendCopy(r, c)
		}
	}
}

// sendCopy sends a copy to the shadow.
func (l *mirroring) sendCopy(r *snapshot.Route, copied *mirror.Capture) {
	c, id := l.clients.Add()
	defer l.survive(clientEvent(id))
	c.begin(nobody{l.loop}, noDescriptor, id, netip.AddrPort{})
	c.readable = false
	text := copied.Head()
	l.head.Reset()
	n, err := l.head.Parse(text, &ownLimits)
	x := &c.x
	x.start(&l.head, text, l.now)
	x.route, x.upstream, x.background = r, r.Mirror.Upstream, true
	l.keep(x).copy = copied
	x.join(filter.Shadow)
	if n == 0 || err != nil { // which it was for its own endpoint
		l.giveUpMirrored(c, mirror.NoResponse)
		return
	}
	x.head = copied.AppendHead(l.buffers.Take(), &l.head)
	x.body, x.chunked = http1.Body{}, false // it is all there, and the head says how long it is
	x.sent.kept = copied.Body(l.buffers.Take())
	x.sent.taken = int64(len(x.sent.kept))
	x.endpoint = copied.Endpoint()
	l.exchanges.limitTime(c)
	l.attempts.begin(c)
}

// giveUpMirrored ends the request of a copy before the shadow has responded.
func (l *mirroring) giveUpMirrored(c *client, why mirror.Reason) {
	c.x.kept.copy.Drop(why)
	c.to.cut(c)
}

// giveUpMirroring does so with all of them, when the gateway ends: no client waits for them.
func (l *mirroring) giveUpMirroring() {
	l.clients.Each(func(c *client) {
		if c.x.with.Has(filter.Shadow) {
			l.giveUpMirrored(c, mirror.Closed)
		}
	})
}
