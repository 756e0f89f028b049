package stats

import (
	"math"
	"runtime"
	"slices"
	"testing"
)

func TestCondense(t *testing.T) {
	for _, c := range []struct {
		values, want []float64
		most, each   int
	}{
		{nil, nil, 3, 1},
		{[]float64{4, 2, 9}, []float64{4, 2, 9}, 3, 1},
		{[]float64{4, 2, 9, 1}, []float64{3, 5}, 3, 2},
		{[]float64{1, 5, 2, 7, 7, 7, 4}, []float64{2, 7, 4}, 3, 3},
	} {
		if got, each := condense(c.values, c.most); !slices.Equal(got, c.want) || each != c.each {
			t.Errorf("%v: %v, each of %d, want %v, each of %d", c.values, got, each, c.want, c.each)
		}
	}
}

// allocated is how many bytes a function takes from the heap altogether.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// What is said about an hour and more takes no more memory than what is said
// about ten minutes: with all pairs of 5,000 windows it would be hundreds of MB.
func TestLongSeriesAreLookedAtInPieces(t *testing.T) {
	const windows, most = 5000, 50 << 20
	slower := levels(1, windows/2, 0.2, 20, 23)
	var steady Steady
	if n := allocated(func() { steady = Steadiness([][]float64{slower, levels(2, windows, 0.2, 7)}) }); n > most {
		t.Errorf("steadiness takes %d MB", n>>20)
	}
	if steady.Kind != SlowDown || math.Abs(float64(steady.From)-windows/2) > 10 || len(steady.Changes) != 1 || steady.Changes[0] != steady.From {
		t.Errorf("got %+v, want a slow-down from window %d on", steady, windows/2)
	}
	var trend Trend
	line := make([]float64, windows)
	for i := range line {
		line[i] = 100 + 0.01*float64(i)
	}
	if n := allocated(func() { trend = TrendOf(line) }); n > most {
		t.Errorf("the trend takes %d MB", n>>20)
	}
	if math.Abs(trend.Slope-0.01) > 1e-6 || math.Abs(trend.Start-100) > 0.02 || math.Abs(trend.Change-0.49990) > 0.001 || trend.P > 1e-6 {
		t.Errorf("got %+v of a line from 100 to 150", trend)
	}
}

// The last windows of a long series may be fewer than a point stands for.
func TestALongSeriesThatChangesAtItsEnd(t *testing.T) {
	late := append(levels(3, 1990, 0.2, 20), levels(4, 21, 0.2, 30)...)
	if got := Steadiness([][]float64{late}); got.Kind != NoSteadyState || got.From != len(late) || got.Changes[0] < 1985 || got.Changes[0] > 1995 {
		t.Errorf("got %+v", got)
	}
	flat := levels(5, 2011, 0.2, 20)
	if got := Steadiness([][]float64{flat}); got.Kind != Flat || got.Why != "no change in 2011 windows" {
		t.Errorf("got %+v", got)
	}
}
