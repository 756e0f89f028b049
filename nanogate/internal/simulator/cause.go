//go:build linux

package simulator

import (
	"bytes"
	"slices"

	"dyno.example/nano/wire/simulated"
)

// Why a request may fail. Whatever is done to a request, or to a connection while it is on it,
// is noted with the request, and nothing else excuses it: what was done to others, or to
// its endpoint a moment before, doesn't.

// suffers are the tries of a request that came to nothing by what its endpoints did.
type suffers struct {
	stale  bool // one was sent on a connection that had been used, and was gone
	lost   int  // on connections that were gone when it came, or before it was read
	unseen int  // which an endpoint said that it hasn't looked at
	told   bool // one of the lost was sent on a connection on which the endpoint had said why it closes it
}

// refuses notes that a connection to an endpoint was refused.
func (g *Group) refuses(now int64) { g.refused = append(g.refused, now) }

// blur notes that a connection was lost when the gateway held back what it would have sent:
// which requests that were, nobody but the gateway knows.
func (w *world) blur(g *Group) { g.blurred = w.sys.Now() }

// tight is whether there are too few descriptors.
func (w *world) tight() bool { return w.Descriptors < 1<<20 }

// loses notes that an endpoint ends a connection.
func (w *world) loses(e *Endpoint, s *simulated.Socket) {
	s.Heard(func() { e.Group.left = append(e.Group.left, w.sys.Now()) })
	if s.Blocked() {
		w.blur(e.Group)
	}
}

// lost notes that an endpoint has ended a connection on which no request had come, when the gateway
// hears it: to those that wait for it that is as if it had been refused.
func (w *world) lost(e *Endpoint, s *simulated.Socket) {
	s.Heard(func() { e.Group.refuses(w.sys.Now()) })
}

// slack is how long before a request began such a connection may have been lost: a gateway
// that is late hears of it when the request is on it.
const slack = 500e6 // ns

// What endpoints haven't looked at the gateway sends again, up to so often, as long as it has
// the body: it keeps that much of what it has sent.
const (
	refusals = 3
	kept     = 64 << 10
	moves    = 8 // connections that end, or take no more, before it was written
)

// since is the moment since which what was done to connections that nobody was on
// matters to a request: a loop that is late learns of it when it has put the request there.
func (w *world) since(x *exchange) int64 { return x.begun - w.Busy - 1e6 }

// broke notes that the endpoint's connection has ended with runs on it, and with some of
// which the response may not have been read.
func broke(runs ...*run) {
	for _, one := range runs {
		one.broken = true
	}
}

// misses notes that a request was sent on a connection on which nobody read it any more. since
// is since when that has carried requests; 0: it hasn't. What is sent on one that was used
// before, and has no body, is sent once more in any case, unless that could do harm.
func (x *exchange) misses(since int64) {
	if since > 0 && x.begun > since && !x.stale && x.idempotent() && len(x.body) == 0 && !x.Route.tunnels() && !x.Route.has("hedge") {
		x.stale = true
		return
	}
	x.lost++
}

// missed finds the requests over HTTP/1.1 in what nobody has read: the head of one, as there is
// no more than one on a connection.
func (w *world) missed(b []byte, since int64) (x *exchange, whole bool) {
	end := bytes.Index(b, []byte("\r\n\r\n"))
	if end < 0 {
		return nil, false
	}
	head := bytes.ToLower(b[:end+2])
	_, rest, ok := bytes.Cut(head, []byte("\r\nx-token: "))
	if !ok {
		return nil, true
	}
	token, _, _ := bytes.Cut(rest, []byte("\r\n"))
	if bytes.Contains(head, []byte("\r\nx-mirrored:")) {
		return nil, true
	}
	if x = w.find(token); x != nil {
		x.misses(since)
	}
	return x, true
}

// suffered is whether an endpoint did something to one of its tries that it may fail of.
func (x *exchange) suffered() bool {
	refused := x.unseen
	for _, one := range x.runs {
		switch {
		case one.shadow:
		case one.broken || one.harmed:
			return true
		case one.refused:
			refused++
		}
	}
	return x.lost > 0 || refused >= refusals || refused > 0 && len(x.body) > kept
}

// meanwhile is how many of such moments of its upstreams matter to a request.
func (w *world) meanwhile(x *exchange, of func(*Group) []int64) (n int) {
	for _, g := range x.Route.Groups {
		for _, at := range of(g) {
			if at >= w.since(x) {
				n++
			}
		}
	}
	return n
}

// unconnected is whether so many connections were refused meanwhile as its route makes tries: one
// that ends before a request has been written is as good as refused if it isn't to move any more.
func (w *world) unconnected(x *exchange) bool {
	n := w.meanwhile(x, func(g *Group) []int64 { return g.refused })
	left := w.meanwhile(x, func(g *Group) []int64 { return g.left }) + w.meanwhile(x, func(g *Group) []int64 { return g.went })
	return n+max(0, left-moves) >= max(1, x.Route.retry) || n > 0 && x.partly()
}

// moved is whether so many connections took no more streams meanwhile as a request is sent on
// again, or moves on from: it may have been on its way when its endpoint said so.
func (w *world) moved(x *exchange) bool {
	n := x.unseen + w.meanwhile(x, func(g *Group) []int64 { return g.went })
	return n >= refusals || n > 0 && len(x.body) > kept
}

// parted is whether so many connections were closed meanwhile with a word why as a request is sent
// on again, or moves on from: the client may have that word before what was sent arrives where
// nobody reads it. A try that was lost before may have been that once more. On a connection that had carried nothing it is the response to the first request.
func (w *world) parted(x *exchange) bool {
	n := w.meanwhile(x, func(g *Group) []int64 { return g.parted })
	return n > 1 || n > 0 && (len(x.body) > 0 || x.stale || x.partly()) || w.meanwhile(x, func(g *Group) []int64 { return g.unused }) > 0
}

// unkept is whether a request had a place on a connection that was ended before any of it was written,
// and more of its body had come than is kept, so that it can't move on.
func (w *world) unkept(x *exchange) bool {
	return len(x.body) > kept && w.meanwhile(x, func(g *Group) []int64 { return g.left }) > 0
}

// spoilt is whether its endpoints broke HTTP/2 meanwhile on so many connections as a request of which
// nothing was written may have had places on: it moves on from one, unless it has from another loss.
func (w *world) spoilt(x *exchange) bool {
	n := w.meanwhile(x, func(g *Group) []int64 { return g.spoilt })
	return n > 1 || n > 0 && x.stale
}

// partly is whether some of its tries came to nothing for another reason.
func (x *exchange) partly() bool {
	return x.lost+x.unseen > 0 || slices.ContainsFunc(x.runs, func(one *run) bool { return !one.shadow })
}

// crowded is whether there were too few descriptors meanwhile, or when the connection came on
// which its client doesn't know yet that it has been turned away.
func (w *world) crowded(x *exchange) bool {
	return w.tight() && w.sys.Exhausted() >= w.since(x)-x.client.Think-2*x.client.Line.Latest
}

// ends is whether a request came when the gateway was to end, or about to.
func (w *world) ends(x *exchange) bool { return w.draining && x.begun > w.drained-slack/5 }

// troubled is whether something was done to a request that it may fail of.
func (w *world) troubled(x *exchange) bool {
	if x.gone || x.attacked || x.Nonsense > 0 || x.suffered() || w.crowded(x) || w.unconnected(x) || w.moved(x) || w.unkept(x) || w.spoilt(x) {
		return true
	}
	for _, g := range x.Route.Groups {
		if g.blurred != 0 && g.blurred > x.begun-slack && !x.responded() {
			return true
		}
	}
	return false
}

// responded is whether wherever a request came a whole response was sent to it, and nothing of that was
// lost: the gateway has it to read, whatever became of the connection then. One for which it asks
// another endpoint is none.
func (x *exchange) responded() (is bool) {
	for _, one := range x.runs {
		if !one.shadow && (!one.responded || one.broken || one.fault.Kind == "status" && x.Route.has("retry")) {
			return false
		}
		is = is || !one.shadow
	}
	return is
}

// shares is whether it may have waited for the response to another request for the same, and
// got what became of that.
func (w *world) shares(x *exchange) bool {
	if x.Route.Kind != "cache" {
		return false
	}
	for _, other := range w.paths[x.Path] {
		if other != x && other.begun != 0 && (!other.over || other.ended >= w.since(x)) && w.troubled(other) {
			return true
		}
	}
	return false
}

// responseIn is how long the gateway waits for a response to begin, ns; to go on it has longer.
const responseIn = 40e9

// crawls is whether a request has taken as long as the gateway waits for a response, behind more than
// the line to one of its endpoints carries in that time when it is at its slowest.
func (w *world) crawls(x *exchange) bool {
	took := w.sys.Now() - x.begun + 1e6
	if took < responseIn {
		return false
	}
	for _, g := range x.Route.Groups {
		bytes := int64(0)
		for _, other := range w.exchanges {
			if other != nil && other.begun != 0 && (!other.over || other.ended >= x.begun) && slices.Contains(other.Route.Groups, g) {
				bytes += int64(len(other.body) + other.Want + 1000) // and heads
			}
		}
		for _, e := range g.all() {
			at := int64(e.Line.Capacity)
			if e.Piece > 0 {
				at = min(at, int64(e.Piece))
			}
			if turn := w.Busy + e.Think + 2*e.Line.Latest; bytes/at*turn >= took {
				return true
			}
		}
	}
	return false
}

// late is whether a request has taken as long as its route allows; begun is whether its
// response has.
func (w *world) late(x *exchange, begun bool) bool {
	took := w.sys.Now() - x.begun + 1e6 // who couldn't respond in time isn't asked
	r := x.Route
	return r.has("timeout") && took >= r.timeout || w.crawls(x) || !begun && r.tryTimeout > 0 && r.has("retry") && took >= r.tryTimeout
}
