package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// uniform is a window with each of the values from, …, to−1 so often.
func uniform(from, to int, times uint64) Counts {
	var c Counts
	for v := from; v < to; v++ {
		c = append(c, Bucket{float64(v), times})
	}
	return c
}

func TestCounts(t *testing.T) {
	c := Counts{{1, 5}, {2, 3}, {4, 2}, {math.Inf(1), 1}}
	if c.Total() != 11 {
		t.Errorf("%d in all", c.Total())
	}
	for x, want := range map[float64]uint64{0: 11, 1: 6, 3: 3, 4: 1, 5: 1} {
		if got := c.Above(x); got != want {
			t.Errorf("%d above %v, want %d", got, x, want)
		}
	}
}

func TestCountsOfBoth(t *testing.T) {
	inf := math.Inf(1)
	a, b := Counts{{1, 5}, {3, 1}, {inf, 2}}, Counts{{2, 7}, {3, 4}, {9, 1}}
	want := Counts{{1, 5}, {2, 7}, {3, 5}, {9, 1}, {inf, 2}}
	for _, got := range []Counts{a.Plus(b), b.Plus(a), want.Plus(nil), Counts(nil).Plus(want)} {
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if len(a) != 3 || a[1].Count != 1 || len(b) != 3 || b[1].Count != 4 {
		t.Errorf("changed: %v, %v", a, b)
	}
}

// Restarts are resampled whole: into how many windows they are cut makes no
// difference.
func TestQuantilesOfCoarserWindows(t *testing.T) {
	var fine, coarse [][]Counts
	for r := range 7 {
		var windows []Counts
		all := Counts(nil)
		for w := range 6 {
			windows = append(windows, uniform(3*r+w, 3*r+w+200, 20))
			all = all.Plus(windows[w])
		}
		fine, coarse = append(fine, windows), append(coarse, []Counts{all})
	}
	qs := []float64{0.5, 0.9}
	if a, b := QuantileHierarchy(fine, qs, 0.95, 1), QuantileHierarchy(coarse, qs, 0.95, 1); !slices.Equal(a, b) {
		t.Errorf("%+v, of whole restarts %+v", a, b)
	}
}

func TestQuantileHierarchy(t *testing.T) {
	var six [][]Counts
	for r := range 6 {
		six = append(six, []Counts{uniform(10*r, 10*r+1000, 5), uniform(10*r, 10*r+1000, 5)})
	}
	got := QuantileHierarchy(six, []float64{0.5, 0.99}, 0.95, 1)
	for i, want := range []float64{525, 1017} {
		if math.Abs(got[i].Estimate-want) > 5 || got[i].N != 6 || got[i].Level != 0.95 || !got[i].Note.IsZero() {
			t.Errorf("got %+v, want about %v", got[i], want)
		}
		if got[i].Low >= got[i].Estimate || got[i].High <= got[i].Estimate || got[i].High-got[i].Low > 51 {
			t.Errorf("got %+v, want an interval within that of the restarts", got[i])
		}
	}
	if again := QuantileHierarchy(six, []float64{0.5, 0.99}, 0.95, 1); !slices.Equal(again, got) {
		t.Errorf("%+v, then %+v", got, again)
	}
}

func TestQuantileHierarchySaysWhatItLacks(t *testing.T) {
	many, few := uniform(0, 1000, 10), uniform(0, 100, 1)
	lost := append(uniform(0, 1000, 10), Bucket{math.Inf(1), 400})
	one := func(windows ...Counts) [][]Counts { return [][]Counts{windows} }
	for _, c := range []struct {
		name     string
		restarts [][]Counts
		q, level float64
		note     string
	}{
		{"nothing", nil, 0.5, 0, "no requests"},
		{"empty windows", one(nil, nil), 0.5, 0, "no requests"},
		{"few requests", [][]Counts{{few}, {few}}, 0.99, 0, "need ≥ 368 independent requests for an interval, these are worth 200"},
		{"one window", one(many), 0.5, 0, "need ≥ 120, or more restarts"},
		{"one restart", one(slices.Repeat([]Counts{many}, 120)...), 0.5, 0.95, "one restart: the interval says nothing about others"},
		{"a short restart", one(slices.Repeat([]Counts{many}, 119)...), 0.5, 0, "one restart of 119 windows: need ≥ 120, or more restarts, for an interval"},
		{"three restarts", [][]Counts{{many}, {many}, {many}}, 0.5, 0.75, "need ≥ 6 restarts for a 95 % interval"},
		{"given up", one(lost, lost), 0.99, 0, "not known: too many requests were given up"},
		{"given up above", [][]Counts{{lost}, {lost}, {many}, {lost}, {many}, {lost}}, 0.97, 0, "its upper end is not known"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := QuantileHierarchy(c.restarts, []float64{c.q}, 0.95, 1)[0]
			if got.Level != c.level || !strings.Contains(got.Note.String(), c.note) {
				t.Errorf("got %+v, want level %v and %q", got, c.level, c.note)
			}
			if math.IsInf(got.High, 0) || math.IsNaN(got.Low) || got.Low > got.Estimate || got.High < got.Estimate {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// The quantile is that of all requests together, not a mean of quantiles.
func TestQuantileHierarchyMerges(t *testing.T) {
	restarts := [][]Counts{{{{1, 900}}, {{9, 100}}}, {{{1, 890}, {9, 110}}}}
	for q, want := range map[float64]float64{0.5: 1, 0.894: 1, 0.8951: 9, 0.99: 9} {
		if got := QuantileHierarchy(restarts, []float64{q}, 0.5, 1)[0]; got.Estimate != want {
			t.Errorf("%v: got %v, want %v", q, got.Estimate, want)
		}
	}
}

func TestBlocksAreConsecutiveAndFair(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	sums, weights := make([]int, 10), make([]uint64, 10)
	for range 4000 {
		drawBlocks(random, 5, weights)
		drawn := 0
		for i, w := range weights {
			sums[i] += int(w)
			drawn += int(w)
			if w > 2 {
				t.Fatalf("two blocks draw window %d %d times", i, w)
			}
		}
		if drawn != 10 {
			t.Fatalf("%d windows drawn", drawn)
		}
	}
	for i, n := range sums {
		if n < 3700 || n > 4300 {
			t.Errorf("window %d was drawn %d times, want about 4000", i, n)
		}
	}
}

func BenchmarkQuantileHierarchy(b *testing.B) {
	var restarts [][]Counts
	for range 12 {
		restarts = append(restarts, slices.Repeat([]Counts{uniform(0, 500, 40)}, 10))
	}
	for b.Loop() {
		QuantileHierarchy(restarts, []float64{0.5, 0.9, 0.99, 0.999}, 0.95, 1)
	}
}
