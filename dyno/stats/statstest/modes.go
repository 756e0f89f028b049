package statstest

import (
	"math/rand/v2"

	"dyno.example/dyno/stats"
)

// Kinds draws cells of so many starts, of which the share given is slower by so much
// on the log scale, and counts in how many two groups of two at least are seen, and in
// how many these or a single start apart; and how many have no
// slow start.
func Kinds(starts int, share, by float64, cells int, seed uint64) (plateau, any, missed Rate) {
	r := rand.New(rand.NewPCG(seed, 0x6b696e64))
	for range cells {
		logs, slow := make([]float64, starts), 0
		for i := range logs {
			if logs[i] = quiet(r); r.Float64() < share {
				logs[i] -= by
				slow++
			}
		}
		two := stats.SplitModes(logs, 2).Apart()
		plateau.Add(two)
		any.Add(two || stats.SplitModes(logs, 1).Apart())
		missed.Add(slow == 0)
	}
	return plateau, any, missed
}
