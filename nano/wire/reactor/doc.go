// Package reactor is the event loop under the load engine and the server:
// readiness of sockets, wake-ups and deadlines, without goroutines per
// connection.
//
// A [Poller] and everything registered with it belong to one thread; only
// [Poller.Wake] may be called from others.
//
// It is part of the wire below nano and the lab, and may change with any version.
package reactor
