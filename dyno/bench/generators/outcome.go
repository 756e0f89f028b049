//go:build linux

package main

import "dyno.example/dyno/bench/rounds"

// outcome is what a load generator says about its own run.
type outcome struct {
	Requests float64            // with a response
	Errors   float64            // failed or dropped, as far as it tells
	Latency  map[string]float64 // µs, by name: "p50", "p99.9", "max"
	Lag      map[string]float64 // µs, how late it says it sent; nil if it says nothing
	Says     []string           // what it remarks about its own run
	Windows  []rounds.Window    // dyno only
}

// quantiles that are asked of every tool; most know only some of them.
var quantiles = []struct {
	name string
	at   float64
}{{"p50", 50}, {"p90", 90}, {"p99", 99}, {"p99.9", 99.9}, {"p99.99", 99.99}}
