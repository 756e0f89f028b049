//go:build linux

// Package simulator drives whole gateways through random worlds, without sockets, clock or
// goroutines: the loops of package proxy run on a [simulated.System], and clients and
// upstreams are state machines beside them. What there is in a world and all that happens
// in it follows from a seed: the same seed gives the same trace, byte for byte.
//
// Each request and each response has content of its own, so that whatever is lost, doubled,
// mixed up or sent elsewhere is seen. What must hold: judge.go for responses, ledger.go for
// what upstreams see, rest.go for the gateway itself. A world in which something doesn't is
// made smaller (shrink.go) before it is shown.
package simulator
