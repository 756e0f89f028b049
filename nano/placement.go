package nano

import "sync/atomic"

// Placement says where a route's handler runs. Each is an [Option]:
//
//	app.Get("/report", report, nano.OnGoroutine)
type Placement uint8

const (
	// Auto runs the handler on the loop until it blocks; routes that blocked are
	// started on goroutines of their own for a while.
	Auto Placement = iota
	// OnLoop always starts the handler on the event loop. The watchdog still takes
	// the loop away from it if it blocks.
	OnLoop
	// OnGoroutine always starts the handler on a goroutine of its own: for handlers
	// that are known to block or to compute for long.
	OnGoroutine
)

func (p Placement) apply(r *Route) { r.placement = p }

// history is what a route's handler has shown so far: whether it blocks. A
// route whose handlers lost their loop to the watchdog is started on goroutines
// until many in a row have been quick; each relapse makes that many more.
type history struct {
	taken atomic.Int32 // how often a handler lost its loop since the route last ran on loops
	quick atomic.Int32 // spawned handlers in a row that were quick
	need  atomic.Int32 // so many must be quick before the route runs on loops again
}

const (
	takenToSpawn = 2
	firstNeed    = 64
	mostNeed     = 1 << 16
	quickNs      = 100_000 // what a spawned handler may take to count as quick
)

// blocked notes that a handler lost its loop.
func (m *history) blocked() {
	if m.taken.Add(1) != takenToSpawn {
		return
	}
	m.quick.Store(0)
	m.need.Store(min(max(2*m.need.Load(), firstNeed), mostNeed))
}

// spawned notes how long a handler on a goroutine of its own took.
func (m *history) spawned(ns int64) {
	if ns > quickNs {
		m.quick.Store(0)
		return
	}
	if m.quick.Add(1) == m.need.Load() {
		m.taken.Store(0)
	}
}

// spawns reports whether the route's handler has to start on a goroutine.
func (r *Route) spawns() bool {
	if r == nil {
		return false
	}
	switch r.placement {
	case OnGoroutine:
		return true
	case OnLoop:
		return false
	}
	return r.history.taken.Load() >= takenToSpawn
}
