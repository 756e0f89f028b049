//go:build linux

package proxy

import (
	"dyno/gate/observe"
	"dyno/gate/request"
)

// A request that somebody looks on at has a trail: its tries, in the order they were
// begun. Others pay nothing for it.

// observe tells the route's observers of a request.
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
