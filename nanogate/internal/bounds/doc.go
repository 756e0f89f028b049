// Package bounds keeps what a gateway takes of its machine within bounds: open files,
// goroutines beside the event loops, lines of its log.
package bounds
