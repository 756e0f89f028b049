// Package anytime compares how often something happens in two groups, with tests and
// intervals that hold whenever they are evaluated: after each event, each second, and at
// a moment chosen because of their result. It is pure: no clock, no random numbers.
package anytime

import (
	"math"
	"slices"
)

// Counts are the events of a while in which each thing had the same chance, Share, to be
// in the group that is looked at: the requests that failed while a twentieth of them was
// sent to a new version.
type Counts struct {
	Share  float64 // more than 0, less than 1
	Events uint64  // of both groups
	Group  uint64  // of these, the group's
}

// multiples are how many times the rate is what it is supposed to be, in the alternatives
// that evidence is gathered for. They are spread so that what lies between two of them is
// found nearly as fast as they are.
var multiples = [...]float64{1.02, 1.1, 1.25, 1.6, 2, 3, 5, 10, 30, 100}

// Against is how much speaks against the group's rate of events being at most ratio times
// that of the others: the logarithm of an e-value. If it isn't higher, the chance that
// Against is ever log(1/α) or more is at most α, however often it is looked at and whenever
// one stops.
//
// Only events are looked at. With a share w in the group, and rates that are in a
// proportion of ρ at that moment, an event is the group's with the chance wρ/(wρ+1−w),
// whatever the rates are and however they change: load, time of day and an outage that
// both have don't matter. The likelihood ratio of a higher ρ to the one supposed,
// multiplied event by event, is a martingale from 1 if the one supposed is true, and falls
// on average if ρ is lower, then or at times; so is the mean over several higher ones, and
// by Ville's inequality it exceeds 1/α with the chance α at most. (Lindon, Sanden and
// Shirikian, "Rapid Regression Detection in Software Deployments through Sequential
// Testing", KDD 2022, and Lindon and Malek, "Anytime-Valid Inference for Multinomial Count
// Data", NeurIPS 2022, which both mix over a continuum; Robbins, "Statistical methods
// related to the law of the iterated logarithm", Annals of Mathematical Statistics 41,
// 1970, has the method of mixtures.)
//
// This holds if each request is assigned to its group at random, independently of those
// before, and if one failure doesn't cause others. Where a client retries a failed request,
// and the retry is assigned again, the failures of one cause are spread over both groups,
// which hides differences and invents none.
func Against(all []Counts, ratio float64) float64 { return evidence(all, ratio, 1) }

// evidence is against a ratio being at most (direction 1) or at least (−1) what is
// supposed.
func evidence(all []Counts, ratio, direction float64) float64 {
	if ratio <= 0 {
		if direction > 0 && grouped(all) > 0 {
			return math.Inf(1)
		}
		return 0
	}
	var logs [len(multiples)]float64
	for _, c := range all {
		if c.Share <= 0 || c.Share >= 1 || c.Events == 0 {
			continue // nothing is left to chance, or nothing has happened
		}
		// Of the chances wρ/(wρ+1−w) of both the denominators are all that stays of an
		// event of the others.
		odds := c.Share / (1 - c.Share) * ratio
		supposed := math.Log1p(odds)
		for i, factor := range multiples {
			if direction < 0 {
				factor = 1 / factor
			}
			logs[i] += float64(c.Group)*math.Log(factor) - float64(c.Events)*(math.Log1p(odds*factor)-supposed)
		}
	}
	highest, sum := slices.Max(logs[:]), 0.0
	for _, l := range logs {
		sum += math.Exp(l - highest)
	}
	return highest + math.Log(sum/float64(len(logs)))
}

func grouped(all []Counts) (n uint64) {
	for _, c := range all {
		if c.Share > 0 && c.Share < 1 {
			n += c.Group
		}
	}
	return n
}

// most is the greatest ratio that is distinguished from greater ones.
const most = 1e9

// Interval holds the ratio of the group's rate of events to that of the others: the chance
// that any of the intervals, at whatever times it is looked at, misses it is at most
// 1−level. high is infinite, and low 0, where nothing is known.
func Interval(all []Counts, level float64) (low, high float64) {
	limit := math.Log(2 / (1 - level))
	if evidence(all, 1/most, 1) >= limit {
		low = bisect(func(ratio float64) bool { return evidence(all, ratio, 1) >= limit })
	}
	high = math.Inf(1)
	if evidence(all, most, -1) >= limit {
		high = bisect(func(ratio float64) bool { return evidence(all, ratio, -1) < limit })
	}
	return low, high
}

// bisect finds where below stops being true.
func bisect(below func(ratio float64) bool) float64 {
	low, high := math.Log(1/most), math.Log(most)
	for range 60 {
		if middle := (low + high) / 2; below(math.Exp(middle)) {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Exp((low + high) / 2)
}

// Ratio is the estimate in the middle: NaN where there are no events, infinite where all
// of them are the group's. Of several shares it is the one of greatest likelihood.
func Ratio(all []Counts) float64 {
	var events, group uint64
	for _, c := range all {
		if c.Share > 0 && c.Share < 1 {
			events, group = events+c.Events, group+c.Group
		}
	}
	switch {
	case events == 0:
		return math.NaN()
	case group == 0:
		return 0
	case group == events:
		return math.Inf(1)
	}
	return bisect(func(ratio float64) bool { // fewer of the group would be expected
		expected := 0.0
		for _, c := range all {
			if c.Share > 0 && c.Share < 1 {
				odds := c.Share / (1 - c.Share) * ratio
				expected += float64(c.Events) * odds / (1 + odds)
			}
		}
		return expected < float64(group)
	})
}
