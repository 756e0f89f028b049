package request

import (
	"context"
	"time"
)

// Later is the part of a check that a loop can't wait for: a password that takes long
// to verify by design, an answer from the network. A guard or limit puts it into the
// answer that it returns ([Answer.Later]); whoever doesn't know of it gives that answer,
// so that what isn't decided is refused.
type Later struct {
	// Work is done on a goroutine outside of the loops. It has copies of all that it
	// needs of the request. ctx ends when its time is over or the client has gone.
	// What it returns is called on the request's loop, as Check or Admit would be; nil
	// is no decision.
	Work func(ctx context.Context) func(r *Request) *Answer
	// Over is called once when the work is done or given up, on any goroutine; nil: not.
	Over func()
	// Within is how long it may take, the wait for its turn included.
	Within time.Duration
	// Pass lets the request pass when there is no decision in time, or no room to wait
	// for one. Without it, which is right for guards, the answer is given.
	Pass bool
}

// End says that the work is done or given up.
func (l *Later) End() {
	if l.Over != nil {
		l.Over()
	}
}

// Undecided is what is answered without a decision; nil lets the request pass.
func (a *Answer) Undecided() *Answer {
	if a.Later.Pass {
		return nil
	}
	refusal := *a
	refusal.Later = nil
	return &refusal
}

// Findings are what checks have found out about a request so far, for the rest of them
// after a wait.
type Findings struct {
	lines, answer []byte
	drops         []string
	trace         Trace
}

// Save copies what there is now into f, whose memory is used again.
func (r *Request) Save(f *Findings) {
	f.lines, f.answer, f.drops = append(f.lines[:0], r.lines...), append(f.answer[:0], r.answer...), append(f.drops[:0], r.drops...)
	f.trace = r.Trace
}

// Resume goes on with what was found out before, after [Request.Begin].
func (r *Request) Resume(f Findings) {
	r.lines, r.answer, r.drops = append(r.lines[:0], f.lines...), append(r.answer[:0], f.answer...), append(r.drops[:0], f.drops...)
	r.Trace = f.trace
}
