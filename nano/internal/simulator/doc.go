// Package simulator drives whole apps of package nano through random worlds, without sockets or
// a clock: their loops, and the handlers that lose them, are goroutines of a [simulated.System],
// of which one goes on at a time. Clients are state machines beside them. What there is in a world
// and all that happens in it follows from a seed: the same seed gives the same trace, byte for byte.
//
// What a handler does, and what its client sends and expects, is drawn beforehand for each request
// (draw.go), and its content is its own, so that whatever is lost, doubled, mixed up or kept too
// long is seen. What must hold: judge.go for responses, handler.go for what handlers see, left.go
// for what is left.
package simulator
