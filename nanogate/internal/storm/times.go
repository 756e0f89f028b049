//go:build linux

package storm

import "time"

// How long things may take is far more than they do: a machine that is busy with other things may keep
// a process from running for many seconds. What hangs does so for ever: it is found too, only later.
const (
	stepTime  = 40 * time.Second        // what the gateway waits for one thing of an upstream
	wholeTime = 2 * time.Minute         // and for a request as a whole
	patience  = wholeTime + time.Minute // how long a peer waits for anything before it is taken for hung
	drainTime = 4 * time.Minute         // what the gateway gives requests that are under way when it ends
	long      = drainTime - time.Minute // which is more than any of them takes
	connTime  = 6 * time.Minute         // over which a connection of HTTP/2 is read
)

// tiny is the window, in bytes, of an endpoint that takes bodies by drops, and trickle the longest body
// that is sent to a group with one: some hundreds of turns of both sides.
const (
	tiny    = 17
	trickle = 4000
)
