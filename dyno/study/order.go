package study

import (
	"math/rand/v2"
	"slices"
)

// orders returns the order of n cells in each of the blocks: random, but
// balanced, so that neither a drift within blocks nor what ran just before
// favours a cell.
//
// They are rows of Williams squares with random labels (Williams, "Experimental
// designs balanced for the estimation of residual effects of treatments",
// Australian Journal of Scientific Research A 2, 1949), in random order, each
// followed by its mirror image:
//
//   - two blocks that follow each other put each cell as far from the beginning
//     in one as from the end in the other, so that a steady drift cancels;
//   - after n blocks if n is even, 2n if it is odd, each cell has been at each
//     position equally often, and each cell right after each other one equally
//     often; before, the counts for a position differ by at most 1, for odd n 2;
//   - further squares have labels of their own.
//
// It is a pure function of its arguments.
func orders(n, blocks int, seed uint64) [][]int {
	rng := rand.New(rand.NewPCG(seed, 1))
	all := make([][]int, 0, blocks)
	for len(all) < blocks {
		labels := rng.Perm(n)
		// Of an even square the second half mirrors the first; an odd one has
		// its mirror image apart.
		rows := n
		if n%2 == 0 {
			rows = n / 2
		}
		for _, shift := range rng.Perm(max(rows, 1)) {
			row := williams(labels, shift)
			mirror := slices.Clone(row)
			slices.Reverse(mirror)
			if rng.IntN(2) == 1 {
				row, mirror = mirror, row
			}
			all = append(all, row, mirror)
		}
	}
	return all[:blocks:blocks]
}

// williams is a row of the square: the zigzag 0, n-1, 1, n-2, …, shifted, with
// labels for its numbers.
func williams(labels []int, shift int) []int {
	n := len(labels)
	row := make([]int, n)
	for i := range row {
		at := i / 2
		if i%2 == 1 {
			at = n - 1 - i/2
		}
		row[i] = labels[(at+shift)%n]
	}
	return row
}
