// Package simulated is an operating system for event loops that has no sockets, threads or
// clock: a [System] implements [loop.System] in memory, and all that happens on it (when bytes
// arrive, in which pieces, what fails) follows from a seed. The same seed gives the same
// events in the same order, so that whatever a loop does wrong it does again.
//
// Time is virtual: it stands still while something is done, and jumps to whatever is due
// next. Loops are run by calls of their step; what a loop gives to other goroutines is done
// between steps, each to its end. Loops that have no steps, for handlers on them may block, are
// run by goroutines ([System.Goroutines]), one of which goes on at a time, until it waits.
//
// Sockets behave as those of TCP under Linux do towards who reads, writes and polls them:
// what epoll says and when, half-closed connections, resets, errors that are told once, the
// lowest free descriptor for the next socket. Tests hold the same scripts against the kernel.
//
// It is part of the wire below nano and the lab, and may change with any version.
package simulated
