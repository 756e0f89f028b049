package engine

import (
	"context"
	"time"

	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/clock"
)

// Turns is an engine that sends one load after the other over the same connections, and
// holds them in between without a request under way. Run drives it from one goroutine, as
// the engine.
type Turns struct{ loop *eventLoop }

// TakeTurns returns an engine that is connected as one that takes turns; false if it can't.
func TakeTurns(e Engine) (*Turns, bool) {
	l, ok := e.(*eventLoop)
	return &Turns{l}, ok && l.tunnel == nil
}

// revivePatient is how long lost connections may take to come up before a turn.
const revivePatient = 100 * time.Millisecond

// Revive takes note of what has happened to the connections since the last turn, and makes
// those again that the server has ended.
func (t *Turns) Revive() {
	l := t.loop
	until := clock.Now() + int64(revivePatient)
	for l.now = clock.Now(); l.now < until && l.broken == nil; {
		before := l.turn
		l.expire()
		l.connector.openMore()
		l.poll(0)
		for l.broken == nil && (l.connector.making > 0 || l.connector.waiting.len() > 0) && l.now < until {
			l.connector.openMore()
			l.poll(time.Millisecond)
		}
		if l.turn == before+1 { // nothing was to be made
			return
		}
	}
}

// Load sends from instant begin to end, as Engine.Load does, and waits for all responses.
// The seed is that of an open loop's schedule. It is an error if the loop can't go on, or if
// requests were still under way when its patience was over: what the server did for them
// would be in the next turn.
func (t *Turns) Load(ctx context.Context, rec *Recorder, begin, end int64, seed uint64) error {
	l := t.loop
	l.Seed = seed
	l.Load(ctx, rec, begin, end)
	l.rec, l.sending = nil, false // the window is the collector's; lost connections are made again
	switch {
	case l.broken != nil:
		return l.broken
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	if n := t.underWay(); n > 0 {
		return i18n.Errorf("engine.turn-not-over", "%d requests had no response %v after their turn", n, l.Patience)
	}
	return nil
}

// underWay is how many requests have been given up whose responses may still come.
func (t *Turns) underWay() (n int) {
	l := t.loop
	if l.mux != nil {
		for i := range l.mux.slots {
			if s := &l.mux.slots[i]; s.waits || s.stream != nil && !s.idle() {
				n++
			}
		}
		return n
	}
	for i := range l.conns {
		if l.conns[i].state == busy {
			n++
		}
	}
	return n
}
