package regression

import (
	"math"

	"dyno.example/dyno/regression/threshold"
	"dyno.example/dyno/study"
)

// Rounds of slices that a pair has. With fewer than the least, a collection or two are much of
// what a version cost in it.
const (
	closePairs  = 0.03 // a threshold that takes mostRounds
	mostRounds  = 56
	leastRounds = 21
)

// PairRounds is how many rounds a pair has, of a gate in stages and slices with such thresholds,
// where the study doesn't say: as many as the closest of them takes. 0 is as many as make the
// duration of a trial, which it is if any is of a metric that takes more requests to tell.
//
// Each run takes three pairs or more however little they deviate, so that a wide threshold is
// decided the sooner the shorter a pair is.
func PairRounds(list []threshold.Threshold) int {
	closest := math.Inf(1)
	for _, t := range list {
		switch t.Metric {
		case "cpu", "cpu.user", "cpu.sys", "throughput":
			closest = min(closest, math.Abs(t.Change))
		default:
			if !t.OfErrors() {
				return 0
			}
		}
	}
	if math.IsInf(closest, 1) {
		return 0
	}
	return min(max(int(math.Ceil(mostRounds*closePairs/closest)), leastRounds), mostRounds)
}

// ShortenPairs returns the study with pairs as long as thresholds take, unless it says how many
// rounds they have, or has no more.
func ShortenPairs(s *study.Study, list []threshold.Threshold) *study.Study {
	as := s.Trial.Slices
	rounds := PairRounds(list)
	if !as.On() || as.Beside || as.Rounds > 0 || rounds == 0 || rounds >= s.Trial.RoundsIn() {
		return s
	}
	as.Rounds = rounds
	return s.WithSlices(as)
}
