// Package filter says what a filter of a route is: something that is done with each of its
// requests apart from sending it on, such as a check of a token or a limit.
//
// A route's filters stand in the order of [Phase], and within a phase in the order of the
// table of all kinds, in nanogate/internal/snapshot/filters.go.
package filter

import "dyno.example/nanogate/internal/request"

// Filter looks at each request of a route. It is called by event loops, several at a time,
// so it doesn't block, waits for no lock for long, and doesn't allocate when it lets a
// request pass. What it needs from elsewhere (keys, lists) it refreshes beside the path;
// while it hasn't got that it refuses.
type Filter interface {
	// Check returns nil to let the request pass, or what to respond instead, such as 429
	// with Retry-After. It may give the upstream fields by [request.Request.Forward] and
	// the client some by [request.Request.Respond].
	Check(r *request.Request) *request.Reply
}

// Ender is a filter that hears of the end of each request that it let pass, once. The
// request may not be looked at any more.
type Ender interface{ Done(o *request.Outcome) }

// Starter is a filter that asks others for what it needs, such as keys. It begins with that
// when its route is served: of a configuration that is only checked nobody hears.
type Starter interface{ Start() }

// Closer is a filter that has something to end when no route uses it any more.
type Closer interface{ Close() }

// Phase is a place on the way of a request. Each has one meaning, and a request comes to
// them in this order.
type Phase uint8

const (
	Access        Phase = iota // may this be asked at all? by address, origin, rate; nothing is known of who asks
	Identity                   // who asks? by certificate, key, password, token, login
	Authorization              // may they? by rules over what is known by then
	Middleware                 // programs of users, for requests that may pass
	Limits                     // is there room for it?
	Content                    // what becomes of it: a response of the gateway's own, or one that is stored, or a call
	Forwarding                 // which upstream and endpoint it is sent to, how often, and who is sent a copy
)

// Phases are all of them in their order.
var Phases = [...]Phase{Access, Identity, Authorization, Middleware, Limits, Content, Forwarding}

// String is the phase's name, as explain and the docs have it.
func (p Phase) String() string {
	return [...]string{"access", "identity", "authorization", "middleware", "limits", "content", "forwarding"}[p]
}
