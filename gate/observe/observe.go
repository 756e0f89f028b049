// Package observe is for those who look on: access logs, traces, metrics of their own.
package observe

import "dyno/gate/request"

// Observer hears of each request of a route when it comes and when it has ended. It is
// called by event loops, several at a time: it doesn't block, and what it can't take
// it drops and counts.
type Observer interface {
	// Seen is called when a request's head is in, before it is guarded. It appends to
	// note what it will want to know at the end, when the request can't be looked at
	// any more: a few hundred bytes at most.
	Seen(r *request.Request, note []byte) []byte
	// Ended is called once for each that was seen, with what Seen had appended. It
	// keeps neither.
	Ended(o *request.Outcome, note []byte)
}

// Closer is an observer that has something to end when no route uses it any more.
type Closer interface{ Close() }
