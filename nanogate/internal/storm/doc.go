//go:build linux

// Package storm drives a built gateway with everything at once: clients and upstreams that
// speak all the versions and misbehave at random, features switched on at random, changes of
// its configuration and an end while requests are under way. Each request and each response
// has content of its own, so that whatever is lost, doubled, mixed up or sent elsewhere is
// seen; what must hold is in ledger.go and judge.go.
//
// A run is drawn from its seed: the configuration, the requests of each client, and the
// faults. Timing isn't, so the same seed finds the same thing often, not always.
package storm
