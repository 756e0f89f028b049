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
	r.family("nanogate_canary_weight", gauge, "The share of a route's requests that is drawn for its canary: 0 when it was rolled back.")
	for i, one := range routes {
		r.level(all[i].Weight, "route", one.Name)
	}
	r.family("nanogate_canary_rolled_back", gauge, "Whether a route's canary was rolled back.")
	for i, one := range routes {
		r.level(truth(all[i].State == canary.RolledBack), "route", one.Name)
	}
	for _, of := range []struct {
		name, help string
		value      func(canary.Side) uint64
	}{
		{"nanogate_canary_requests_total", "Requests that were drawn for a canary or against it.", func(s canary.Side) uint64 { return s.Requests }},
		{"nanogate_canary_failed_total", "Of these, those that failed.", func(s canary.Side) uint64 { return s.Failed }},
		{"nanogate_canary_slow_total", "And those that were slow.", func(s canary.Side) uint64 { return s.Slow }},
	} {
		r.family(of.name, counter, of.help)
		for i, one := range routes {
			r.count(float64(of.value(all[i].Stable)), all[i].Began, "route", one.Name, "side", "stable")
			r.count(float64(of.value(all[i].Canary)), all[i].Began, "route", one.Name, "side", "canary")
		}
	}
	r.family("nanogate_canary_ratio", gauge, "How many times as often requests fail or are slow at a canary: the ends of the interval.")
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
