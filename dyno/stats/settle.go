package stats

import (
	"math"
	"slices"
)

// settleWindows is how many windows a decision takes.
const settleWindows = 4

// Settling says from where on a series that began cold is as it is at its end.
type Settling struct {
	Steady bool // it is so for the better half of the windows
	From   int  // first window that is as the last ones are; of one that is not steady a guess
}

// Settle says whether windows that began with a cold start have settled, by several
// costs at once (see [Steadiness]), each with one value per window and with the share
// by which it may differ from its level at the end without that mattering. It is made
// to be called again after each window.
//
// Two known rules go together. The first is the settling time of control engineering: a
// cost has settled when it stays within a band about its last level, here the median of
// the second half, on the log scale. The second says where that begins though single
// windows leave the band: MSER (White, "An effective truncation heuristic for bias
// reduction in simulation output", Simulation 69, 1997) leaves out as many windows as
// makes the standard error of the mean of what is left least. As Hoad, Robinson and
// Davies ("Automating warm-up length estimation", JORS 61, 2010, who compared 46
// methods) do it, there is a result only if what is left out is less than half;
// otherwise more windows are needed. So it takes twice as long to say that something
// settled as that took, and two windows more.
//
// What it can't do is to see ahead: a program that is as fast for a while and then
// gets faster at once is steady while it lasts. The caller has a least length for that.
//
// A window whose value is not a number above zero counts as not settled.
func Settle(costs [][]float64, bands []float64) Settling {
	n := math.MaxInt
	for _, values := range costs {
		n = min(n, len(values))
	}
	if len(costs) == 0 {
		return Settling{}
	}
	s := Settling{}
	for i, values := range costs {
		s.From = max(s.From, settledFrom(values[:n], bands[i]))
	}
	s.Steady = n >= settleWindows && s.From < n/2
	return s
}

// settledFrom is the first window from which on a cost is as at its end.
func settledFrom(values []float64, band float64) int {
	first := 0
	logs := make([]float64, len(values))
	for i, v := range values {
		if logs[i] = math.Log(v); math.IsNaN(logs[i]) || math.IsInf(logs[i], 0) {
			first = i + 1
		}
	}
	logs = logs[first:]
	if len(logs) == 0 {
		return first
	}
	level := medianOfSorted(slices.Sorted(slices.Values(logs[len(logs)/2:])))
	for i, v := range logs {
		logs[i] = beyond(v-level, band)
	}
	return first + truncation(logs)
}

// beyond is by how much x is outside of a band about zero.
func beyond(x, band float64) float64 {
	return math.Copysign(max(0, math.Abs(x)-band), x)
}

// truncation is how many values of the first half to leave out, so that the standard
// error of the mean of the others is least; of several such, the fewest.
func truncation(values []float64) int {
	half, least := len(values)/2, math.Inf(1)
	at, sum, squares := half, 0.0, 0.0
	for i := len(values) - 1; i >= 0; i-- {
		sum += values[i]
		squares += values[i] * values[i]
		if i > half {
			continue
		}
		kept := float64(len(values) - i)
		if e := max(0, squares-sum*sum/kept) / (kept * kept); e <= least {
			least, at = e, i
		}
	}
	return at
}
