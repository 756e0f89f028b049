//go:build linux

package proxy

import (
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/request"
)

// An exchange has slots, at which filters have a hand in it. The exchange itself knows none of
// them: it calls whoever is at a slot, requests in the order of [filter.ID], responses in the
// reverse order. A filter is at those slots whose methods it has.
//
// The first slots are for filters that the route has ([snapshot.Route.With]). One that has a
// hand in this exchange joins it there, and is called at the other slots too, until the
// exchange ends: what it keeps meanwhile lies in the exchange.

// Slots for filters that the route has, in the order in which requests come to them.
type (
	// atRoute: the route is found, and none of its filters has been asked about the head.
	atRoute interface{ routed(c *client) }
	// atContent: the request may pass. It reports whether it is dealt with, so that no
	// upstream is asked.
	atContent interface{ respond(c *client) bool }
	// atUpstream: an upstream is looked for. It may set the exchange's.
	atUpstream interface{ chooseUpstream(c *client) }
	// atEndpoint: an endpoint of the upstream is looked for. It may set the exchange's.
	atEndpoint interface{ chooseEndpoint(c *client) }
	// atSending: the head for the upstream is written. It reports whether the request is
	// dealt with.
	atSending interface{ sending(c *client) bool }
)

// Slots for filters that have joined the exchange.
type (
	// atUpload: content of the request has come. It returns what goes on in its place, with
	// done if nothing is to be done about it any more: the exchange goes on if on says so.
	atUpload interface {
		uploading(c *client, piece []byte) (instead []byte, done, on bool)
	}
	// atText: a response's head has come over HTTP/2, and isn't looked at yet. It returns what
	// is, which is the filter's until the next one.
	atText interface {
		translated(x *exchange, text []byte, end bool) []byte
	}
	// atHead: the head of a response is in text, and in the loop's resp; rest came behind it over
	// HTTP/1.1. Nothing of it has been sent on. It returns the head that goes on; false: it
	// doesn't go on now.
	atHead interface {
		responded(c *client, k *backend, text, rest []byte, end tail) ([]byte, bool)
	}
	// atBegin: the response goes on, with that head. It reports whether it has written one
	// itself into the loop's buffer.
	atBegin interface {
		beginning(c *client, text []byte) bool
	}
	// atDownload: content of the response has come, done says that it is the last. It returns
	// what goes on in its place; false: nothing does now.
	atDownload interface {
		downloading(c *client, k *backend, piece []byte, done bool) ([]byte, bool)
	}
	// atTrailers: a response's trailers have come over HTTP/2.
	atTrailers interface {
		trailed(x *exchange, lines []byte)
	}
	// atRefusal: the gateway responds itself, as there is no response that could go on. It
	// returns what it responds with; false: the client has been given something else.
	atRefusal interface {
		refusing(c *client, a *request.Reply) (*request.Reply, bool)
	}
	// atReply: a response of the gateway's own is written. It reports whether it has
	// been, in another form.
	atReply interface {
		replying(c *client, a *request.Reply) bool
	}
	// atBreak: a response that has begun can't go on. It reports whether its client has been
	// notified, so that there is nothing to cut off.
	atBreak interface {
		breaking(c *client, why request.Failure) bool
	}
	// atCut: it is about to be cut off. It reports whether that isn't needed any more.
	atCut interface{ cutting(c *client) bool }
	// atEnd: the exchange is over, and its outcome known. What the filter kept of it goes.
	atEnd interface{ ending(c *client) }
)

// slot is one of them: which filters are at it.
type slot[F any] struct {
	is filter.Slot
	of filter.Set
	at [filter.IDs]F
}

// fill puts a filter there if it has the slot's method.
func (s *slot[F]) fill(is filter.Slot, id filter.ID, f any) {
	if at, ok := f.(F); ok {
		s.is, s.of, s.at[id] = is, s.of.With(id), at
	}
}

// slots are all of them.
type slots struct {
	route    slot[atRoute]
	content  slot[atContent]
	upstream slot[atUpstream]
	endpoint slot[atEndpoint]
	sending  slot[atSending]

	upload   slot[atUpload]
	text     slot[atText]
	head     slot[atHead]
	begin    slot[atBegin]
	download slot[atDownload]
	trailers slot[atTrailers]
	refusal  slot[atRefusal]
	reply    slot[atReply]
	broken   slot[atBreak]
	cut      slot[atCut]
	end      slot[atEnd]
}

// fill puts a filter at its slots.
func (s *slots) fill(id filter.ID, f any) {
	s.route.fill(filter.AtRoute, id, f)
	s.content.fill(filter.AtContent, id, f)
	s.upstream.fill(filter.AtUpstream, id, f)
	s.endpoint.fill(filter.AtEndpoint, id, f)
	s.sending.fill(filter.AtSending, id, f)
	s.upload.fill(filter.AtUpload, id, f)
	s.text.fill(filter.AtText, id, f)
	s.head.fill(filter.AtHead, id, f)
	s.begin.fill(filter.AtBegin, id, f)
	s.download.fill(filter.AtDownload, id, f)
	s.trailers.fill(filter.AtTrailers, id, f)
	s.refusal.fill(filter.AtRefusal, id, f)
	s.reply.fill(filter.AtReply, id, f)
	s.broken.fill(filter.AtBreak, id, f)
	s.cut.fill(filter.AtCut, id, f)
	s.end.fill(filter.AtEnd, id, f)
}

// fillSlots puts all filters at their slots, each with what carries it out.
func (l *loop) fillSlots() {
	for id, f := range [...]any{
		filter.GRPCWeb:    &l.web,
		filter.Invalidate: invalidating{l},
		filter.Respond:    responding{l},
		filter.Redirect:   redirecting{l},
		filter.GRPCJSON:   &l.transcoding,
		filter.Cache:      &l.caching,
		filter.Canary:     dividing{l},
		filter.Sticky:     sticking{l},
		filter.Responses:  &l.responders,
		filter.Mirror:     &l.mirroring,
		filter.Shadow:     shadowing{l},
		filter.Fault:      faulting{l},
	} {
		l.slots.fill(filter.ID(id), f)
	}
}

// join has a filter called at the slots of this exchange too.
func (x *exchange) join(id filter.ID) { x.with = x.with.With(id) }

// asked are the filters that the route has, and those that all have.
func (l *loop) asked(x *exchange) filter.Set { return x.route.With | l.snap.With }

// any asks those among with that are at the slot, in the order of requests, until one says
// yes. One without any pays for a look at a set.
func (s *slot[F]) any(x *exchange, with filter.Set, f func(F) bool) bool {
	return with&s.of != 0 && s.first(x, with&s.of, f)
}

func (s *slot[F]) first(x *exchange, with filter.Set, f func(F) bool) bool {
	for with != 0 {
		var id filter.ID
		if id, with = with.First(); s.ask(x, id, f) {
			return true
		}
	}
	return false
}

// back is any in the order of responses.
func (s *slot[F]) back(x *exchange, with filter.Set, f func(F) bool) bool {
	return with&s.of != 0 && s.last(x, with&s.of, f)
}

func (s *slot[F]) last(x *exchange, with filter.Set, f func(F) bool) bool {
	for with != 0 {
		var id filter.ID
		if id, with = with.Last(); s.ask(x, id, f) {
			return true
		}
	}
	return false
}

// ask asks one of them, and notes how long that takes if somebody wants to know.
func (s *slot[F]) ask(x *exchange, id filter.ID, f func(F) bool) bool {
	e := x.explained()
	if e == nil {
		return f(s.at[id])
	}
	e.enter(s.is, id)
	yes := f(s.at[id])
	if x.explained() == e { // else the exchange is over
		e.leave()
	}
	return yes
}

// throughUpload has filters take content of the request's body, see [atUpload].
func (l *loop) throughUpload(c *client, piece []byte) (instead []byte, done, on bool) {
	on = true
	done = l.slots.upload.any(&c.x, c.x.with, func(f atUpload) (done bool) {
		piece, done, on = f.uploading(c, piece)
		return done
	})
	return piece, done, on
}

// throughHead has those among with look at the head of a response, see [atHead].
func (l *loop) throughHead(c *client, k *backend, text, rest []byte, end tail, with filter.Set) ([]byte, bool) {
	stays := l.slots.head.back(&c.x, with, func(f atHead) bool {
		var ok bool
		text, ok = f.responded(c, k, text, rest, end)
		return !ok
	})
	return text, !stays
}

// throughDownload has those among with take content of a response, see [atDownload].
func (l *loop) throughDownload(c *client, k *backend, piece []byte, done bool, with filter.Set) ([]byte, bool) {
	stays := l.slots.download.back(&c.x, with, func(f atDownload) bool {
		var ok bool
		piece, ok = f.downloading(c, k, piece, done)
		return !ok
	})
	return piece, !stays
}

// throughRefusal has filters look at a response of the gateway's own, see [atRefusal].
func (l *loop) throughRefusal(c *client, a *request.Reply) (*request.Reply, bool) {
	instead := l.slots.refusal.back(&c.x, c.x.with, func(f atRefusal) bool {
		var ok bool
		a, ok = f.refusing(c, a)
		return !ok
	})
	return a, !instead
}
