package probe

import (
	"slices"
	"testing"
	"time"
)

func TestNewBuckets(t *testing.T) {
	uppers := []float64{0, 1, 2}
	got := newBuckets(uppers, []uint64{5, 0, 7, 1}, []uint64{6, 0, 10, 3})
	want := []bucket{{0, 0, 1}, {1, 2, 3}, {2, 2, 2}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := newBuckets(uppers, nil, []uint64{0, 2, 0, 0}); !slices.Equal(got, []bucket{{0, 1, 2}}) {
		t.Errorf("from the beginning: got %v", got)
	}
	if got := newBuckets(uppers, []uint64{0, 9, 0, 0}, []uint64{0, 2, 0, 0}); got != nil {
		t.Errorf("a count that went back: got %v, want none", got)
	}
}

func TestHistogram(t *testing.T) {
	ms := func(low, high float64, count uint64) bucket { return bucket{low / 1000, high / 1000, count} }
	tests := []struct {
		name                 string
		h                    histogram
		p50, p99, max, total time.Duration
	}{
		{name: "empty"},
		{"one", newHistogram([]bucket{ms(2, 4, 1)}), 4e6, 4e6, 4e6, 3e6},
		{"a tail", newHistogram([]bucket{ms(64, 128, 1), ms(0, 1, 98), ms(8, 16, 1)}), 1e6, 16e6, 128e6, 49e6 + 12e6 + 96e6},
		{"just half", newHistogram([]bucket{ms(0, 1, 1), ms(8, 16, 1)}), 1e6, 16e6, 16e6, 5e5 + 12e6},
	}
	for _, test := range tests {
		h := test.h
		if h.quantile(0.5) != test.p50 || h.quantile(0.99) != test.p99 || h.max() != test.max {
			t.Errorf("%s: p50 %v, p99 %v, max %v; want %v, %v, %v", test.name, h.quantile(0.5), h.quantile(0.99), h.max(), test.p50, test.p99, test.max)
		}
		if d := h.total() - test.total; d < -10 || d > 10 {
			t.Errorf("%s: total %v, want %v", test.name, h.total(), test.total)
		}
	}
}

func TestHistogramHoldsNoImpossibleTime(t *testing.T) {
	h := newHistogram([]bucket{{0, 1e300, 1}})
	if h.max() <= 0 || h.total() <= 0 {
		t.Errorf("max %v, total %v", h.max(), h.total())
	}
}
