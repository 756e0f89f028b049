//go:build linux

package proxy

import (
	"time"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/observe"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/snapshot"
	"dyno.example/nanogate/internal/upstream"
)

// exchange is a request that is under way, with its response: one at a time for each
// client. Its head isn't read any more once it is written for the upstream.
type exchange struct {
	route    *snapshot.Route
	upstream *upstream.Upstream
	attempt
	rival    attempt       // another one, of a hedged request; its zero value: none
	head     []byte        // as it is sent; kept until no retry can need it
	body     http1.Body    // of the request, as the client frames it
	came     int64         // bytes of its content that have come
	sent     content       // of it that was sent on
	note     []byte        // of the route's observers
	fields   []byte        // that are added to the response
	withheld []string      // fields that the upstream isn't sent, in addition to the route's
	deadline int64         // of the whole; 0: none
	pause    time.Duration // before the next try
	outcome  request.Outcome
	waits    *suspended // for a decision; nil: for none
	passed   int        // how many of its route's filters have let it pass
	taken    int        // how many of the upstream's limits have

	with filter.Set // who has a hand in it,
	kept *kept      // and what they keep of it; nil: nothing

	method   method
	minor    uint8 // the client's HTTP/1.minor
	keep     bool  // the client's connection may carry another request
	final    bool  // the client has said that it sends no other one
	chunked  bool  // the request's body is sent on in chunks
	upgrade  bool  // another protocol was asked for
	extended bool  // by extended CONNECT
	moved    bool  // a guard has said where it goes, and the route doesn't rewrite its path
	tunnel   bool  // another protocol is spoken, whose bytes move as those of bodies do
	begun    bool  // of the response something has been sent on, interim ones not counted
	rewrap   bool  // the response's body goes on in chunks
	byClose  bool  // it ends with the client's connection
	silent   bool  // the response has no body for this client: HEAD
	counted  bool  // the endpoint and upstream count it
	seen     bool  // the route's observers have seen it

	// Filters say so of what they make of it.
	call       bool // the upstream is sent a call over gRPC
	needsCall  bool // and that must be over HTTP/2
	messages   bool // the content of the request is messages that come when they come
	bodyFirst  bool // its head doesn't go to the upstream before something of its body
	measured   bool // whoever makes another body of it holds that to the limit
	unsized    bool // its head doesn't say how long the body is that is sent on
	remade     bool // its response is made another one, whose end isn't that of the upstream's
	trailers   bool // the upstream sees that trailers are accepted
	background bool // no client waits for it: others come first, and get the descriptors if they are few

	refused uint8 // attempts that an endpoint didn't look at
	moves   uint8 // connections on which there was no place after all
	stale   bool  // a pooled connection was closed when it was sent on it
}

// renew readies x for the next request. Its memory stays.
func (x *exchange) renew() {
	m := x.memory()
	*x = exchange{}
	x.have(m)
}

// underWay reports whether the route's filters, limits and counters wait for its end still. That
// can be so before its client has come to a state of one that is, as much happens at once.
func (x *exchange) underWay() bool { return x.route != nil }

// memory is what one exchange leaves to the next one.
type memory struct {
	note, fields []byte
	withheld     []string
	trail        []request.Try
}

func (x *exchange) memory() memory {
	return memory{x.note[:0], x.fields[:0], x.withheld[:0], x.outcome.Trail[:0]}
}

func (x *exchange) have(m memory) {
	x.note, x.fields, x.withheld, x.outcome.Trail = m.note, m.fields, m.withheld, m.trail
}

// method is what has to be known of a request's method.
type method uint8

const (
	other      method = iota
	idempotent        // PUT, DELETE: may be sent twice
	safe              // GET, OPTIONS, TRACE too, and a pooled connection needs no look
	head              // HEAD, which is safe
)

func methodOf(b []byte) method {
	switch string(b) {
	case "GET", "OPTIONS", "TRACE":
		return safe
	case "HEAD":
		return head
	case "PUT", "DELETE":
		return idempotent
	}
	return other
}

// A request that somebody looks on at has a trail: its tries, in the order they were
// begun. Others pay nothing for it.

// observe reports a request to the route's observers.
func (l *loop) observe(x *exchange) {
	if len(x.route.Observers) > 0 {
		x.note = observe.Seen(x.route.Observers, &l.req, x.note)
		x.seen = true
	}
}

// beginTry adds a try to the trail.
func (x *exchange) beginTry(endpoint string, now int64, hedge bool) {
	if x.seen {
		x.outcome.Trail = append(x.outcome.Trail, request.Try{Endpoint: endpoint, Began: now, Hedge: hedge})
	}
}

// endTry ends the try at an endpoint.
func (x *exchange) endTry(endpoint string, now int64, status int, why request.Failure, lost bool) {
	for i := len(x.outcome.Trail) - 1; i >= 0; i-- {
		if t := &x.outcome.Trail[i]; t.Ended == 0 && t.Endpoint == endpoint {
			t.Ended, t.Status, t.Failed, t.Lost = now, status, why, lost
			return
		}
	}
}

// endTrail ends the try that is left when the exchange ends.
func (x *exchange) endTrail(now int64) {
	o := &x.outcome
	for i := range o.Trail {
		if t := &o.Trail[i]; t.Ended == 0 {
			t.Ended, t.Failed = now, o.Failed
			if o.Upstream {
				t.Status = o.Status
			}
		}
	}
}

// mark marks the head that is sent with the try that was begun last, if there was one
// before.
func (x *exchange) mark(head []byte) {
	if n := len(x.outcome.Trail); n > 1 {
		observe.Mark(x.route.Observers, head, x.note, n-1)
	}
}
