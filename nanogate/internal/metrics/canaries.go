//go:build linux

package metrics

import (
	"math"
	"slices"

	"dyno.example/nanogate/internal/canary"
	"dyno.example/nanogate/internal/snapshot"
)

// canaries writes how canaries fare.
func (r *report) canaries() {
	routes := slices.DeleteFunc(slices.Clone(r.s.Routes), func(one *snapshot.Route) bool { return one.Canary == nil })
	if len(routes) == 0 {
		return
	}
	all := make([]canary.Report, len(routes))
	for i, one := range routes {
		all[i] = one.Canary.Report()
	}
	r.family("nanogate_canary_weight", gauge, "Share of a route's requests that is sent to its canary, from 0 to 1; 0 when it is rolled back.")
	for i, one := range routes {
		r.level(all[i].Weight, "route", one.Name)
	}
	r.family("nanogate_canary_rolled_back", gauge, "Whether a route's canary is rolled back: 1 or 0.")
	for i, one := range routes {
		r.level(truth(all[i].State == canary.RolledBack), "route", one.Name)
	}
	for _, of := range []struct {
		name, help string
		value      func(canary.Side) uint64
	}{
		{"nanogate_canary_requests_total", "Requests of routes with a canary, by the side that they were sent to.", func(s canary.Side) uint64 { return s.Requests }},
		{"nanogate_canary_failed_total", "Requests of routes with a canary that failed, by side.", func(s canary.Side) uint64 { return s.Failed }},
		{"nanogate_canary_slow_total", "Requests of routes with a canary that were slow, by side.", func(s canary.Side) uint64 { return s.Slow }},
	} {
		r.family(of.name, counter, of.help)
		for i, one := range routes {
			r.count(float64(of.value(all[i].Stable)), all[i].Began, "route", one.Name, "side", "stable")
			r.count(float64(of.value(all[i].Canary)), all[i].Began, "route", one.Name, "side", "canary")
		}
	}
	r.family("nanogate_canary_ratio", gauge, "How many times as often requests fail, or are slow, at a canary as at the stable upstream: ends of the confidence interval.")
	for i, one := range routes {
		for _, of := range []struct {
			name string
			canary.Ratio
		}{{"failed", all[i].Failed}, {"slow", all[i].Slow}} {
			if math.IsNaN(of.Estimate) {
				continue
			}
			r.level(of.Low, "route", one.Name, "of", of.name, "bound", "low")
			if !math.IsInf(of.High, 0) {
				r.level(of.High, "route", one.Name, "of", of.name, "bound", "high")
			}
		}
	}
}
