//go:build linux

package proxy

import (
	"math"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// room is how many files connections may have open. The process's limit is not theirs
// alone: some are kept for all else, so that whoever asks the admin address for the
// gateway's health is answered; and of the rest some for connections to endpoints,
// without which clients would be let in for nothing.
type room struct {
	most    int64 // of clients and endpoints together
	clients int64 // up to which more clients are let in
	open    atomic.Int64
	pauses  atomic.Uint64 // of accepting, for want of room
	told    told
}

// What is kept of the process's limit: a tenth, but not less or more than that.
const (
	keptLeast = 64
	keptMost  = 512
)

// measure finds out how much room there is.
func (r *room) measure() {
	r.most, r.clients = math.MaxInt64, math.MaxInt64
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
func (r *room) set(limit, there int64) {
	kept := min(max(limit/10, keptLeast), keptMost)
	r.most = max(limit-there-kept, limit/4)
	r.clients = r.most - r.most/8 - 1
}

// take takes room for a connection to an endpoint. It reports false if there is none.
func (r *room) take() bool {
	if r.open.Add(1) <= r.most {
		return true
	}
	r.open.Add(-1)
	return false
}

// full reports whether there is none left for endpoints.
func (r *room) full() bool { return r.open.Load() >= r.most }

// Files are how many files connections have open, how many they may, and how often
// accepting paused for want of room, or because client.connections were open.
func (v *Server) Files() (open, most int64, pauses uint64) {
	return v.room.open.Load(), v.room.most, v.room.pauses.Load()
}
