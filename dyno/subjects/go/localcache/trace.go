package main

import (
	"math"
	"math/rand/v2"
	"sort"
)

// The trace is YCSB's default (Cooper et al., "Benchmarking cloud serving systems with YCSB",
// SoCC 2010): keys by Zipf's law with the constant 0.99. Among them there may be scans of keys
// that nobody wants otherwise, each as long as the cache is large, which LRU-K was made
// against (O'Neil, O'Neil and Weikum, SIGMOD 1993, example 1.2).
const (
	popular  = 100_000 // keys by Zipf's law
	constant = 0.99
	capacity = 5_000 // entries of the cache
	scanned  = 50_000
)

type trace struct {
	random *rand.Rand
	share  []float64 // cumulated
	scans  float64   // share of the accesses that are of scans
	left   int       // of the scan that goes on
	at     int       // key of the scan
}

// newTrace is the same for the same seed.
func newTrace(scans int, seed uint64) *trace {
	t := &trace{random: rand.New(rand.NewPCG(seed, 2)), share: make([]float64, popular), scans: float64(scans) / 100}
	sum := 0.0
	for i := range t.share {
		sum += 1 / math.Pow(float64(i+1), constant)
		t.share[i] = sum
	}
	for i := range t.share {
		t.share[i] /= sum
	}
	return t
}

// next is the key that is accessed next. Scans begin so often that they are their share
// of the accesses.
func (t *trace) next() int {
	if t.left == 0 && t.scans > 0 && t.random.Float64() < t.scans/(1-t.scans)/capacity {
		t.left = capacity
	}
	if t.left > 0 {
		t.left--
		t.at = (t.at + 1) % scanned
		return popular + t.at
	}
	return sort.SearchFloat64s(t.share, t.random.Float64())
}
