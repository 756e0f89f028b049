package request

import (
	"context"
	"time"
)

// Deferred is the part of a check that a loop can't wait for: a password that takes long
// to verify by design, a response from the network. A guard or limit puts it into the
// reply that it returns ([Reply.Deferred]); whoever doesn't know of it gives that reply,
// so that what isn't decided is refused.
type Deferred struct {
	// Work is done on a goroutine outside of the loops. It has copies of all that it
	// needs of the request. ctx ends when its time is over or the client has gone.
	// What it returns is called on the request's loop, as Check or Check would be; nil
	// is no decision.
	Work func(ctx context.Context) func(r *Request) *Reply
	// Asks says that the work mostly waits for the network: then it doesn't take a worker
	// from what computes.
	Asks bool
	// Content, if it isn't nil, is called with the whole body of the request, or of the
	// response if that is what is decided about, before the work is done: on the loop, with
	// memory that it may keep. A request body of more than Most bytes becomes a 413, a
	// response's a 502. One whose body is a stream (gRPC, another protocol) gets the reply
	// for no decision.
	Content func(body []byte)
	Most    int
	// By has a job done on another goroutine, and reports whether there is room for it; it
	// doesn't wait. nil: the gateway's workers do it.
	By func(job func()) bool
	// Missed is called on a loop, in place of what Work has returned, if the request has ended
	// by then; nil: not.
	Missed func()
	// Over is called once when the work is done or given up, on any goroutine; nil: not.
	Over func()
	// Within is how long it may take, the wait for its turn included.
	Within time.Duration
	// Pass lets the request pass when there is no decision in time, or no room to wait
	// for one. Without it, which is right for guards, the reply is given.
	Pass bool
}

// End says that the work is done or given up.
func (l *Deferred) End() {
	if l.Over != nil {
		l.Over()
	}
}

// Undecided is the reply without a decision; nil lets the request pass.
func (a *Reply) Undecided() *Reply {
	if a.Deferred.Pass {
		return nil
	}
	refusal := *a
	refusal.Deferred = nil
	return &refusal
}

// Findings are what checks have found out about a request so far, for the rest of them
// after a wait.
type Findings struct {
	lines, added []byte
	drops        []string
	found        []found
	trace        Trace
}

// Save copies the current findings into f, whose memory is reused.
func (r *Request) Save(f *Findings) {
	f.lines, f.added, f.drops = append(f.lines[:0], r.lines...), append(f.added[:0], r.added...), append(f.drops[:0], r.drops...)
	f.found, f.trace = append(f.found[:0], r.found...), r.Trace
}

// Forget lets go of what others keep with the request; the memory is used again.
func (f *Findings) Forget() {
	clear(f.found)
	f.found = f.found[:0]
}

// Resume goes on with what was found out before, after [Request.Begin].
func (r *Request) Resume(f Findings) {
	r.lines, r.added, r.drops = append(r.lines[:0], f.lines...), append(r.added[:0], f.added...), append(r.drops[:0], f.drops...)
	r.found, r.Trace = append(r.found[:0], f.found...), f.trace
}

// Recall has the request know again what was verified of it, and what is kept with it.
func (r *Request) Recall(f *Findings) {
	r.found, r.Trace = append(r.found[:0], f.found...), f.trace
}
