// Package calibrate measures the load generator itself, on the machine where it
// is used: what it reaches against a server that costs next to nothing, the
// shortest time it can see, how exact its timer is, and whether it tells a stall
// of the server from one of its own.
//
// [Run] does so in under a second before a load; [Test] takes its time. Both
// start the null server as a child process of dyno's own executable, on the
// loopback only. The program that calls them must hand over to [ChildMain] at
// its beginning if [IsChild] says so.
package calibrate

import "errors"

// ErrUnsupported says that there is no null server on this system.
var ErrUnsupported = errors.New("calibration needs Linux")
