//go:build linux

package bounds

import (
	"math"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// Files bounds the file descriptors of connections. Some of the process's limit are
// reserved for everything else, so that the admin address still responds to health
// checks; and of the rest some for connections to endpoints, without which accepted
// clients couldn't be served.
type Files struct {
	Most    int64 // of clients and endpoints together
	Clients int64 // up to which more clients are let in
	Open    atomic.Int64
	Pauses  atomic.Uint64 // of accepting, for want of room
	Log     ThrottledLog
}

// What is kept of the process's limit: a tenth, but not less or more than that.
const (
	keptLeast = 64
	keptMost  = 512
)

// Measure finds out how much room there is.
func (r *Files) Measure() {
	r.Most, r.Clients = math.MaxInt64, math.MaxInt64
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > math.MaxInt32 {
		return
	}
	there := 0
	if f, err := os.Open("/proc/self/fd"); err == nil {
		names, _ := f.Readdirnames(-1) // what can't be counted is in what is kept
		there = len(names)
		f.Close()
	}
	r.set(int64(limit.Cur), int64(there))
}

// set divides a limit, of which some are taken already.
func (r *Files) set(limit, there int64) {
	kept := min(max(limit/10, keptLeast), keptMost)
	r.Most = max(limit-there-kept, limit/4)
	r.Clients = r.Most - r.Most/8 - 1
}

// Take takes room for a connection to an endpoint. It reports false if there is none.
func (r *Files) Take() bool {
	if r.Open.Add(1) <= r.Most {
		return true
	}
	r.Open.Add(-1)
	return false
}

// Full reports whether there is none left for endpoints.
func (r *Files) Full() bool { return r.Open.Load() >= r.Most }
