package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// hierarchy holds the histograms of windows within restarts so that quantiles of
// any combination of windows are found fast.
type hierarchy struct {
	restarts [][]Counts // without empty windows and restarts
	first    []int      // number of the first window of each restart
	windows  int
	values   []float64  // all that were seen, ascending
	below    [][]uint32 // [value][window]: observations at or below the value
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
			h.restarts, h.first = append(h.restarts, kept), append(h.first, h.windows)
			h.windows += len(kept)
		}
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
	all := make([]uint32, len(h.values)*h.windows)
	h.below = make([][]uint32, len(h.values))
	for v := range h.below {
		h.below[v] = all[v*h.windows : (v+1)*h.windows]
	}
	for r, windows := range h.restarts {
		for i, w := range windows {
			column, next, sum := h.first[r]+i, 0, uint32(0)
			for v, value := range h.values {
				for next < len(w) && cmp.Compare(w[next].Value, value) <= 0 {
					sum += uint32(w[next].Count)
					next++
				}
				h.below[v][column] = sum
			}
		}
	}
}

// quantile is the smallest value that at least the share q of the observations
// does not exceed, each window being there as often as its weight says.
func (h *hierarchy) quantile(q float64, weights []uint64) float64 {
	total := weighted(h.below[len(h.values)-1], weights)
	rank := max(1, uint64(math.Ceil(q*float64(total))))
	return h.values[sort.Search(len(h.values)-1, func(v int) bool { return weighted(h.below[v], weights) >= rank })]
}

func weighted(counts []uint32, weights []uint64) (sum uint64) {
	for i, w := range weights {
		sum += w * uint64(counts[i])
	}
	return sum
}

// once is the weights of the windows as they were measured.
func (h *hierarchy) once() []uint64 { return slices.Repeat([]uint64{1}, h.windows) }

// drawRestarts fills the weights with restarts drawn with replacement, each with
// all its windows.
func (h *hierarchy) drawRestarts(random *rand.Rand, weights []uint64) {
	clear(weights)
	for range h.restarts {
		r := random.IntN(len(h.restarts))
		for i := range h.restarts[r] {
			weights[h.first[r]+i]++
		}
	}
}

// drawBlocks fills the weights with blocks of so many consecutive windows of one
// restart, drawn with replacement until there are as many windows as it has; the
// first follows the last (the circular block bootstrap of Politis and Romano,
// 1992, in which each window is drawn as often as any other).
func (h *hierarchy) drawBlocks(random *rand.Rand, restart, length int, weights []uint64) {
	n := len(h.restarts[restart])
	start := 0
	for i := range n {
		if i%length == 0 {
			start = random.IntN(n)
		}
		weights[h.first[restart]+(start+i%length)%n]++
	}
}
