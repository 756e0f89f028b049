// Package limit bounds how much a route takes on: rates, requests under way, and what
// an upstream that fails or lags is still sent.
package limit

import "dyno.example/nanogate/internal/request"

// Limit admits requests. Its methods are called by event loops, several at a time:
// they don't block and don't allocate.
type Limit interface {
	// Admit returns nil to let the request pass, or what to answer instead, such as
	// 429 with Retry-After.
	Admit(r *request.Request) *request.Reply
	// Done is called once for each request that was admitted, when it has ended.
	// The request may not be looked at any more.
	Done(o *request.Outcome)
}

// Starter is a limit that asks others for something. It begins with that when its route is
// served: of a configuration that is only checked nobody hears.
type Starter interface{ Start() }

// Closer is a limit that has something to end when no route uses it any more.
type Closer interface{ Close() }
