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

// Plus is the histogram of the observations of both.
func (c Counts) Plus(o Counts) Counts {
	both := make(Counts, 0, max(len(c), len(o)))
	for len(c) > 0 && len(o) > 0 {
		switch cmp.Compare(c[0].Value, o[0].Value) {
		case -1:
			both, c = append(both, c[0]), c[1:]
		case 1:
			both, o = append(both, o[0]), o[1:]
		default:
			both = append(both, Bucket{c[0].Value, c[0].Count + o[0].Count})
			c, o = c[1:], o[1:]
		}
	}
	return append(append(both, c...), o...)
}
