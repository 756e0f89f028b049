package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// hierarchy holds the histograms of windows within restarts so that quantiles of
// any combination of what is resampled are found fast: of restarts, or of the
// windows of a single one.
type hierarchy struct {
	restarts [][]Counts // without empty windows and restarts
	windows  int
	columns  [][]Counts // what is resampled as a unit: its windows
	values   []float64  // all that were seen, ascending
	below    [][]uint64 // [value][column]: observations at or below the value
}

func newHierarchy(restarts [][]Counts) *hierarchy {
	h := &hierarchy{}
	for _, windows := range restarts {
		var kept []Counts
		for _, w := range windows {
			if w.Total() > 0 {
				kept = append(kept, w)
			}
		}
		if len(kept) > 0 {
			h.restarts = append(h.restarts, kept)
			h.windows += len(kept)
		}
	}
	h.columns = h.restarts
	if len(h.restarts) == 1 {
		h.columns = slices.Collect(slices.Chunk(h.restarts[0], 1))
	}
	h.values = valuesOf(h.restarts)
	h.accumulate()
	return h
}

// valuesOf lists the values of all buckets once, ascending.
func valuesOf(restarts [][]Counts) []float64 {
	seen := make(map[float64]struct{})
	for _, windows := range restarts {
		for _, w := range windows {
			for _, b := range w {
				seen[b.Value] = struct{}{}
			}
		}
	}
	values := make([]float64, 0, len(seen))
	for v := range seen {
		values = append(values, v)
	}
	slices.Sort(values)
	return values
}

// accumulate fills in below.
func (h *hierarchy) accumulate() {
	all := make([]uint64, len(h.values)*len(h.columns))
	h.below = make([][]uint64, len(h.values))
	for v := range h.below {
		h.below[v] = all[v*len(h.columns) : (v+1)*len(h.columns)]
	}
	for c, windows := range h.columns {
		for _, w := range windows {
			for _, b := range w {
				v, _ := slices.BinarySearch(h.values, b.Value)
				h.below[v][c] += b.Count
			}
		}
		for v := 1; v < len(h.values); v++ {
			h.below[v][c] += h.below[v-1][c]
		}
	}
}

// quantile is the smallest value that at least the share q of the observations
// does not exceed, each column being there as often as its weight says.
func (h *hierarchy) quantile(q float64, weights []uint64) float64 {
	total := weighted(h.below[len(h.values)-1], weights)
	rank := max(1, uint64(math.Ceil(q*float64(total))))
	return h.values[sort.Search(len(h.values)-1, func(v int) bool { return weighted(h.below[v], weights) >= rank })]
}

func weighted(counts, weights []uint64) (sum uint64) {
	for i, w := range weights {
		sum += w * counts[i]
	}
	return sum
}

// once is the weights of the columns as they were measured.
func (h *hierarchy) once() []uint64 { return slices.Repeat([]uint64{1}, len(h.columns)) }

// drawRestarts fills the weights with restarts drawn with replacement.
func drawRestarts(random *rand.Rand, weights []uint64) {
	clear(weights)
	for range weights {
		weights[random.IntN(len(weights))]++
	}
}

// drawBlocks fills the weights with blocks of so many consecutive windows of a
// restart, drawn with replacement until there are as many windows as it has; the
// first follows the last (the circular block bootstrap of Politis and Romano,
// 1992, in which each window is drawn as often as any other).
func drawBlocks(random *rand.Rand, length int, weights []uint64) {
	clear(weights)
	n, start := len(weights), 0
	for i := range weights {
		if i%length == 0 {
			start = random.IntN(n)
		}
		weights[(start+i%length)%n]++
	}
}
