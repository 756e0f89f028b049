package nano

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

// spawns reports whether the route's handler has to start on a goroutine.
func (r *Route) spawns() bool {
	switch r.placement {
	case OnGoroutine:
		return true
	case OnLoop:
		return false
	}
	return r.history.Blocks()
}
