package stats

import (
	"cmp"
	"slices"
)

// Bucket is a value and how often it was seen.
type Bucket struct {
	Value float64 // +Inf for what is only known to be larger than all others
	Count uint64
}

// Counts is a sparse histogram, such as that of the requests of one window: one
// bucket for each value that was seen, by value.
type Counts []Bucket

// Total is the number of observations.
func (c Counts) Total() (n uint64) {
	for _, b := range c {
		n += b.Count
	}
	return n
}

// Above is the number of observations above x.
func (c Counts) Above(x float64) (n uint64) {
	after, found := slices.BinarySearchFunc(c, x, func(b Bucket, x float64) int { return cmp.Compare(b.Value, x) })
	if found {
		after++
	}
	return c[after:].Total()
}
