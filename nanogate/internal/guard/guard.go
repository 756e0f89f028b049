// Package guard decides whether a request may pass: who sends it, from where, with
// what. A guard is made when its route is built; a route whose guard can't be made
// answers 503 and never reaches an upstream.
package guard

import "dyno.example/nanogate/internal/request"

// Guard looks at each request of a route. It is called by event loops, several at a
// time, so it doesn't block, waits for no lock for long, and doesn't allocate when
// it lets a request pass. What it needs from elsewhere (keys, lists) it refreshes
// beside the path; while it hasn't got that it refuses.
type Guard interface {
	// Check returns nil to let the request pass, or what to answer instead. It may
	// give the upstream fields by [request.Request.Forward] and the client some by
	// [request.Request.Respond].
	Check(r *request.Request) *request.Reply
}

// Keeper is a guard that has requests keep what it has verified of them
// ([request.Request.Verified]), if anybody asks for that later. It is told before the first
// request.
type Keeper interface{ KeepClaims() }

// Starter is a guard that asks others for what it needs, such as keys. It begins with that
// when its route is served: of a configuration that is only checked nobody hears.
type Starter interface{ Start() }

// Closer is a guard that has something to end when no route uses it any more.
type Closer interface{ Close() }
