package exchange

import "sync/atomic"

// History is what a route's handler has shown so far: whether it blocks. A
// route whose handlers lost their loop to the watchdog is started on goroutines
// until many in a row have been quick; each relapse makes that many more.
type History struct {
	taken atomic.Int32 // how often a handler lost its loop since the route last ran on loops
	quick atomic.Int32 // Spawned handlers in a row that were quick
	tried atomic.Uint32
	need  atomic.Int32 // so many must be quick before the route runs on loops again
}

const (
	takenToSpawn = 2
	triesOneOf   = 16
	firstNeed    = 64
	mostNeed     = 1 << 16
	quickNs      = 100_000 // what a spawned handler may take to count as quick
)

// Blocked notes that a handler lost its loop.
func (m *History) Blocked() {
	if m.taken.Add(1) != takenToSpawn {
		return
	}
	m.quick.Store(0)
	m.need.Store(min(max(2*m.need.Load(), firstNeed), mostNeed))
}

// Spawned notes how long a handler on a goroutine of its own took.
func (m *History) Spawned(ns int64) {
	if ns > quickNs {
		m.quick.Store(0)
		return
	}
	if m.quick.Add(1) == m.need.Load() {
		m.taken.Store(0)
	}
}

// Stayed notes that a handler which is suspended where it waits for its client came to
// its end without losing the loop.
func (m *History) Stayed() {
	if m.taken.Load() != 0 {
		m.taken.Store(0)
	}
}

// Tries reports whether a handler of a route that Blocks is to run on the loop all the
// same, as one of many does, to find out whether it still blocks.
func (m *History) Tries() bool { return m.tried.Add(1)%triesOneOf == 0 }

// Blocks reports whether the route's handlers have to start on goroutines.
func (m *History) Blocks() bool { return m.taken.Load() >= takenToSpawn }
