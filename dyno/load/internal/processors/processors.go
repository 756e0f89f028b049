// Package processors accounts for the processors of Go's scheduler that the event loops
// of loads hold.
package processors

import (
	"runtime"
	"sync"
)

// processors accounts for the scheduler's processors (GOMAXPROCS) that event
// loops hold: a loop doesn't give its own back while it waits. Their number is
// the process's, so the account is too.
type processors struct {
	mu     sync.Mutex
	held   int // by the loops of all loads that run
	before int // GOMAXPROCS when the first of them began
}

var loopProcessors processors

// Hold makes sure that the scheduler has more processors than there are loops once n
// more of them run. release must be called when they have ended.
func Hold(n int) (release func()) { return loopProcessors.hold(n) }

// hold makes sure that the scheduler has more processors than there are loops
// once n more of them run: the rest of the program, such as the collector or a
// server in the same process, needs one. release must be called when the loops
// have ended; the last one sets back what was changed.
func (p *processors) hold(n int) (release func()) {
	p.change(n)
	return func() { p.change(-n) }
}

func (p *processors) change(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held == 0 {
		p.before = runtime.GOMAXPROCS(0)
	}
	p.held += n
	want := p.before
	if p.held > 0 {
		want = max(want, p.held+1)
	}
	if want != runtime.GOMAXPROCS(0) { // setting it stops the world
		runtime.GOMAXPROCS(want)
	}
}
