package study

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
)

func TestOrdersHoldEachCellOnce(t *testing.T) {
	for n := range 14 {
		for _, order := range orders(n, 9, uint64(n)) {
			if !slices.Equal(slices.Sorted(slices.Values(order)), upTo(n)) {
				t.Fatalf("%d cells: a block is %v", n, order)
			}
		}
	}
}

func upTo(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// TestOrdersAreBalanced counts how often each cell is at each position, block by
// block, and after each other cell over whole squares.
func TestOrdersAreBalanced(t *testing.T) {
	for _, c := range []struct{ n, square, most int }{{1, 2, 0}, {2, 2, 1}, {3, 6, 2}, {4, 4, 1}, {7, 14, 2}, {8, 8, 1}, {12, 12, 1}, {13, 26, 2}} {
		all := orders(c.n, 2*c.square, 5)
		positions := make([][]int, c.n) // of each cell
		follows := make([][]int, c.n)
		for i := range c.n {
			positions[i], follows[i] = make([]int, c.n), make([]int, c.n)
		}
		for block, order := range all {
			for at, cell := range order {
				positions[cell][at]++
				if at > 0 {
					follows[cell][order[at-1]]++
				}
			}
			whole := (block+1)%c.square == 0
			for _, counts := range positions {
				if spread := slices.Max(counts) - slices.Min(counts); spread > c.most || whole && spread > 0 {
					t.Fatalf("%d cells, block %d: positions %v", c.n, block+1, positions)
				}
			}
			for cell, counts := range follows {
				others := slices.Delete(slices.Clone(counts), cell, cell+1)
				if whole && len(others) > 0 && slices.Max(others) != slices.Min(others) {
					t.Fatalf("%d cells, block %d: followers %v", c.n, block+1, follows)
				}
			}
		}
	}
}

// TestPairsOfBlocksCancelADrift: the places of a cell in two blocks add up to
// the same for all cells.
func TestPairsOfBlocksCancelADrift(t *testing.T) {
	for n := 1; n < 12; n++ {
		for pair := range slices.Chunk(orders(n, 20, 3), 2) {
			for at, cell := range pair[0] {
				if other := slices.Index(pair[1], cell); at+other != n-1 {
					t.Fatalf("%d cells: %v and %v", n, pair[0], pair[1])
				}
			}
		}
	}
}

// TestOrdersOfMoreBlocks: a longer run of the same study begins as the shorter.
func TestOrdersOfMoreBlocks(t *testing.T) {
	for n := 1; n < 8; n++ {
		long := orders(n, 40, 9)
		for blocks := range 40 {
			if short := orders(n, blocks, 9); len(short) != blocks || blocks > 0 && !reflect.DeepEqual(short, long[:blocks]) {
				t.Fatalf("%d cells: %d blocks are %v, want %v", n, blocks, short, long[:blocks])
			}
		}
	}
}

func TestOrdersAreRandom(t *testing.T) {
	const n, seeds = 5, 4000
	if !reflect.DeepEqual(orders(n, 7, 1), orders(n, 7, 1)) {
		t.Error("the same seed gives other orders")
	}
	first := make([]float64, n) // how often a cell begins a run
	different := make(map[string]bool)
	for seed := range uint64(seeds) {
		order := orders(n, 1, seed)[0]
		first[order[0]]++
		different[fmt.Sprint(order)] = true
	}
	for cell, count := range first {
		// A binomial count strays by more than six standard deviations less than
		// once in a hundred million; the seeds are fixed.
		if sigma := math.Sqrt(seeds * (1.0 / n) * (1 - 1.0/n)); math.Abs(count-seeds/n) > 6*sigma {
			t.Errorf("cell %d begins %v of %d runs", cell, count, seeds)
		}
	}
	if len(different) != 120 {
		t.Errorf("%d different orders of %d cells, want all 120", len(different), n)
	}
}
