package engine

import (
	"context"
	"time"
)

// Limits of all engines.
const (
	ConnectPatient = 5 * time.Second // for all connections to come up before the load begins
	maxBacklog     = 1 << 20         // arrivals that may wait for a connection, per loop
)

// Engine sends one loop's share of a load. Run drives it from one goroutine.
type Engine interface {
	// Connect opens the share's connections and returns when all are up or have
	// failed once, or after a few seconds. It fails if none is up.
	Connect(ctx context.Context) error
	// Load sends from instant begin until the share is done or ctx ends.
	Load(ctx context.Context, rec *Recorder, begin, end int64)
	// Usage is the CPU time the engine has used so far.
	Usage() (user, sys time.Duration)
	// Close releases everything. It is called from the same goroutine.
	Close()
}
