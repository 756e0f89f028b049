// Package clock gives the one clock that both ends of a measurement share.
//
// It is part of the wire below nano and the lab, and may change with any version.
package clock

import "time"

// origin and offset tie Go's monotonic clock to the system's: read once, never
// changed.
var (
	origin = time.Now()
	offset = calibrate()
)

// Now returns CLOCK_MONOTONIC in nanoseconds: comparable between processes of
// one machine until it reboots. It costs no system call. Where the system has
// no such clock, it counts from the process's start.
func Now() int64 { return offset + int64(time.Since(origin)) }
