//go:build linux

package proxy

import (
	"dyno.example/nanogate/internal/cache"
	"dyno.example/nanogate/internal/snapshot"
)

// giveStored gives a client a response that is stored: all of it, a part, or that it has not
// changed. status is the upstream's; 0: it wasn't asked.
//
// It is written from where it is stored, a read's length at a time: a client that takes it
// slowly holds no more than that in addition.
func (l *caching) giveStored(c *client, v *cache.Response, a *cache.RequestFields, result cache.Result, status int) {
	x := &c.x
	if x.background {
		c.to.cut(c)
		return
	}
	rules := x.route.Cache
	k := &l.keep(x).cached
	if k.asking != nil {
		k.asking.result = result
	} else {
		rules.Counts.Of(l.local.Loop).Count(result)
	}
	out, body := l.out[:0], v.Body
	x.outcome.Status, x.outcome.Upstream = v.Status, result == cache.Revalidated
	if v.Unchanged(a.NoneMatch, a.ModifiedSince) {
		out, body, x.outcome.Status = v.AppendNotModified(out, l.now), nil, 304
	} else if part, ranged := v.Range(a.Range, a.IfRange); a.Range == nil || x.silent || ranged == cache.Whole {
		out = v.AppendFields(out, l.now)
	} else if ranged == cache.Partial {
		out, body, x.outcome.Status = v.AppendPart(out, part, l.now), body[part.From:part.To], 206
	} else {
		out, body, x.outcome.Status = v.AppendUnsatisfiable(out, l.date), nil, 416
	}
	if rules.CacheStatus {
		out = cache.AppendStatus(out, result, v.Left(l.now), status)
	}
	if x.head == nil { // the loop's request is this one still
		out = append(append(out, l.req.Responds()...), x.route.Response.Lines...)
	} else {
		out = append(out, x.fields...)
	}
	if l.server.Draining() {
		x.keep = false
	}
	l.out = endHead(out, x)
	if x.silent {
		body = nil
	}
	rules.Counts.Of(l.local.Loop).Gave(len(body))
	k.rest = body
	l.giveRest(c)
}

// giveRest gives the next piece of a response that is stored, behind what is in the loop's
// buffer.
func (l *caching) giveRest(c *client) {
	x := &c.x
	k := &x.kept.cached
	piece := k.rest[:min(len(k.rest), readBuffer)]
	k.rest = k.rest[len(piece):]
	x.outcome.Sent += int64(len(piece))
	done := len(k.rest) == 0
	if done {
		l.exchanges.end(c)
	}
	if c.of != nil {
		if len(l.out) > 0 {
			c.private = c.private[:0]
			l.streams.sendHeadOn(c, done && len(piece) == 0)
		}
		if len(piece) > 0 {
			l.muxes.send(&c.sink, piece, done, nil)
		}
	} else {
		l.out, piece = joined(l.out, piece)
		if errno := c.out.write(l.Sys, c.fd, l.out, piece); errno != 0 {
			l.exchanges.clientGone(c)
			return
		}
	}
	if done {
		l.exchanges.endOfResponse(c)
		return
	}
	l.deadlines.await(c, stateStored)
	if c.out.empty() {
		l.later(c)
	}
}

// small is up to which size a body is copied behind its head, to be written as one piece.
const small = 2 << 10

func joined(head, piece []byte) (out, rest []byte) {
	if len(piece) > small {
		return head, piece
	}
	return append(head, piece...), nil
}

// giveAndRefresh gives a response that isn't fresh, and asks the upstream for a newer one
// in the background, so that the client has its response whatever that leads to.
func (l *caching) giveAndRefresh(c *client, v *cache.Response, key cache.Key, known []byte) {
	route, of, ends := c.x.route, *c.conn(), c.x.kept.ends
	headOnly, kind := c.x.method == head, l.kind
	if ends != nil {
		ends.open++ // until it is known whether there is another exchange
	}
	l.giveStored(c, v, &l.asked, cache.HitStale, 0)
	flight := (*cache.Flight)(nil)
	if !headOnly && l.revalidations < mostRevalidations {
		flight = l.refreshes(route.Cache, v, key, known)
	}
	if flight != nil {
		l.refresh(route, &of, &asking{rules: route.Cache, key: key, kind: kind, stale: v, why: "stale", result: cache.Expired, flight: flight, ends: ends})
	} else if ends != nil {
		l.exchanges.tellEnds(ends, nil)
	}
}

// refreshes says whether it is for this request to have a newer response asked for: then it
// leads the flight of all that wait for that.
func (l *caching) refreshes(rules *snapshot.Caching, v *cache.Response, key cache.Key, known []byte) *cache.Flight {
	kind := rules.Store.FlightKey(key, l.kind, known, &l.sent, &l.chosen)
	flight, leads := rules.Store.Lead(kind, l.now)
	if !leads {
		return nil
	}
	if again, _ := l.find(rules, key); again != v { // another loop has stored a newer one since
		flight.End(cache.Stored, 0)
		return nil
	}
	return flight
}

// revalidation is a background request for a newer response.
type revalidation struct{ nobody }

func (l revalidation) leave(*client) { l.caching.revalidations-- }

// refresh asks for it, with the loop's request. Its client's connection was like of.
func (l *caching) refresh(route *snapshot.Route, of *client, m *asking) {
	r := &l.req
	k, id := l.clients.Add()
	k.begin(revalidation{nobody{l.loop}}, noDescriptor, id, of.peer)
	k.readable = false
	l.revalidations++
	k.forwards, k.forwardsOf, k.trusted = append(k.forwards[:0], of.forwards...), of.forwardsOf, of.trusted
	k.requests++
	k.serial++
	k.x.start(r.Head, r.Buf, l.now)
	k.x.route, k.x.background = route, true
	r.Drop("range")
	r.Drop("if-range")
	l.ask(&k.x, m)
	m.asked = cache.RequestFields{Control: cache.NoDirectives, Authorized: m.asked.Authorized}
	l.exchanges.forward(k)
}

// mostRevalidations is how many background revalidations a loop has at most.
const mostRevalidations = 256
