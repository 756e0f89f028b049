package statstest

import (
	"math/rand/v2"

	"dyno.example/dyno/stats"
)

// Rule gives the interval of a ratio from the pairs so far.
type Rule func(a, b []float64) stats.Interval

// Studies is what a number of studies that stop early came to.
type Studies struct {
	Different Rate    `json:"different"` // ended with a difference
	Same      Rate    `json:"same"`      // ended with being the same within the margin
	Missed    Rate    `json:"missed"`    // any of the intervals looked at was without the true ratio
	Blocks    float64 `json:"blocks"`    // mean number until the end
}

// Looks says after which blocks a study is tested, and what counts as the same; the
// study stops as soon as a look decides.
type Looks struct {
	First, Last int
	Margin      float64
}

// Add counts a study with all the pairs that it could have. truth is the true
// ratio, or 0 if that is not known.
func (s *Studies) Add(a, b []float64, rule Rule, looks Looks, truth float64) {
	missed := false
	var end stats.Comparison
	blocks := 0
	for n := looks.First; n <= looks.Last; n++ {
		interval := rule(a[:n], b[:n])
		missed = missed || interval.Level > 0 && !interval.Contains(truth)
		if blocks == 0 {
			if end = stats.Judge(interval, looks.Margin); end.Outcome != stats.CantTell || n == looks.Last {
				blocks = n
			}
		}
	}
	s.Different.Add(end.Different())
	s.Same.Add(end.Outcome == stats.IsSame)
	s.Missed.Add(missed)
	s.Blocks += (float64(blocks) - s.Blocks) / float64(s.Different.Of)
}

// Sequential simulates studies of two subjects, of which the first is truth
// times as high.
func Sequential(noise Noise, rule Rule, looks Looks, truth float64, studies int, seed uint64) Studies {
	r := rand.New(rand.NewPCG(seed, 0x736571))
	var s Studies
	for range studies {
		a, b := Pairs(noise, looks.Last, truth, r)
		s.Add(a, b, rule, looks, truth)
	}
	return s
}

// RatioCoverage is how often the interval of [stats.Ratio], after so many
// blocks, holds the true ratio.
func RatioCoverage(noise Noise, blocks, studies int, level float64, seed uint64) (covered Rate) {
	const truth = 1.25
	r := rand.New(rand.NewPCG(seed, 0x636f76))
	for range studies {
		a, b := Pairs(noise, blocks, truth, r)
		covered.Add(stats.Ratio(a, b, level).Contains(truth))
	}
	return covered
}
