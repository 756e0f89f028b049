package wasm

import (
	"sync/atomic"

	"dyno.example/nanogate/internal/stats"
)

// Counts are a plug-in's, since it is there.
type Counts struct {
	Requests  atomic.Uint64 // that it was called for
	Responses atomic.Uint64
	Replied   atomic.Uint64 // of the requests, those that it has responded to itself
	Failed    [Reasons]atomic.Uint64
	Took      stats.Timing // of each call, the wait for its turn not counted
}
