package load

import (
	"context"
	"time"
)

// Limits of all engines.
const (
	connectPatient = 5 * time.Second // for all connections to come up before the load begins
	maxBacklog     = 1 << 20         // arrivals that may wait for a connection, per loop
)

// engine sends one loop's share of a load. Run drives it from one goroutine.
type engine interface {
	// connect opens the share's connections and returns when all are up or have
	// failed once, or after a few seconds. It fails if none is up.
	connect(ctx context.Context) error
	// load sends from instant begin until the share is done or ctx ends.
	load(ctx context.Context, rec *recorder, begin, end int64)
	// usage is the CPU time the engine has used so far.
	usage() (user, sys time.Duration)
	// close releases everything. It is called from the same goroutine.
	close()
}
