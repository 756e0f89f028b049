// Package engine sends loads: each [Engine] one loop's [Share] of a load, which is
// resolved before, and records what comes back window by window.
//
// The event loop is the engine for Linux: one thread that owns its connections, with
// io_uring or epoll below it as its backend. The portable engine, a goroutine for each
// connection, serves elsewhere. A loop allocates nothing per request and shares nothing
// with others but the [ErrorLog]. With HTTP/2 its multiplexer has several requests
// under way on each connection. It fills a [Recorder], which hands over a [Slot] each
// second; what a window is made of and what it is worth is for package load to say.
//
// Instants are nanoseconds of CLOCK_MONOTONIC.
package engine
