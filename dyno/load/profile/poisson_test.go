package profile

import (
	"math"
	"slices"
	"testing"
	"time"
)

// rescaled returns the gaps between a schedule's arrivals in units of what is
// planned: for a Poisson process of any rate they are exponential with mean 1
// (Brown et al. 2002).
func rescaled(p Profile, all []int64) []float64 {
	table := p.Timetable(testWarmup)
	gaps, last := make([]float64, len(all)), 0.0
	for i, at := range all {
		m := table.upTo(at)
		gaps[i] = m - last
		last = m
	}
	return gaps
}

// poissonShapes have some 10,000 arrivals each, at rates low enough for the
// rounding to nanoseconds not to show.
func poissonShapes(t *testing.T) map[string]Profile {
	shapes := map[string]Profile{"rate": {Rate: 1000}}
	for _, text := range []string{
		"constant 1000 10s", "ramp 0..2000 10s", "steps 500,1000,1500 3s", "spike 500 5000 for 1s at 4s 10s", "soak 1000 rise 2s 11s", "sine 1000~900 every 3s 10s",
	} {
		shapes[text] = Profile{Phases: []Phase{mustParse(t, text)}}
	}
	return shapes
}

// TestPoissonGaps holds the rescaled gaps to the exponential distribution by the
// Kolmogorov–Smirnov distance. The seeds are fixed: the result is always the same.
func TestPoissonGaps(t *testing.T) {
	for name, p := range poissonShapes(t) {
		for _, parts := range []int{1, 3} {
			var all []int64
			for part := range parts {
				all = append(all, starts(p, 42, part, parts)...)
			}
			slices.Sort(all)
			gaps := rescaled(p, all)
			slices.Sort(gaps)
			n, distance := float64(len(gaps)), 0.0
			for i, g := range gaps {
				cumulative := 1 - math.Exp(-g)
				distance = max(distance, math.Abs(cumulative-float64(i)/n), math.Abs(cumulative-float64(i+1)/n))
			}
			// 1.63/√n is passed by one sample in a hundred.
			if limit := 1.63 / math.Sqrt(n); n < 8000 || distance > limit {
				t.Errorf("%s in %d parts: %v gaps, distance %.5f above %.5f", name, parts, n, distance, limit)
			}
		}
	}
}

// TestPoissonCounts holds the counts of 100 intervals to what is planned in them
// by χ², from both sides: too even is as wrong as too uneven.
func TestPoissonCounts(t *testing.T) {
	for name, p := range poissonShapes(t) {
		all, table := starts(p, 7, 0, 1), p.Timetable(testWarmup)
		length := max(p.Length(), 10*time.Second)
		const segments = 100
		sum, used := 0.0, 0.0
		for i := range time.Duration(segments) {
			from, to := length*i/segments, length*(i+1)/segments
			low, _ := slices.BinarySearch(all, int64(testWarmup+from))
			high, _ := slices.BinarySearch(all, int64(testWarmup+to))
			if planned := table.Planned(from, to); planned >= 5 {
				sum += (float64(high-low) - planned) * (float64(high-low) - planned) / planned
				used++
			}
		}
		// χ² has mean k and variance 2k.
		if spread := 3 * math.Sqrt(2*used); used < 80 || math.Abs(sum-used) > spread {
			t.Errorf("%s: χ² is %.1f over %.0f intervals, want within %.1f", name, sum, used, spread)
		}
	}
}

// TestPoissonPartsAreIndependent correlates the counts of two parts of one load.
func TestPoissonPartsAreIndependent(t *testing.T) {
	p := Profile{Rate: 1000}
	a, b := starts(p, 3, 0, 2), starts(p, 3, 1, 2)
	count := func(all []int64, i int64) float64 {
		low, _ := slices.BinarySearch(all, i*1e7)
		high, _ := slices.BinarySearch(all, (i+1)*1e7)
		return float64(high-low) - 5
	}
	var ab, aa, bb float64
	const n = 1000
	for i := range int64(n) {
		x, y := count(a, i), count(b, i)
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	if r := ab / math.Sqrt(aa*bb); math.Abs(r) > 3/math.Sqrt(n) {
		t.Errorf("the parts' counts are correlated by %.3f", r)
	}
}

func TestThinkTimes(t *testing.T) {
	fixed := Think{Mean: 5 * time.Millisecond}.Thinker(1, 0)
	for range 3 {
		if d := fixed.Next(); d != 5e6 {
			t.Errorf("a fixed think time of %d", d)
		}
	}
	think := Think{Mean: 5 * time.Millisecond, Spread: Exponential}
	a, same, part := think.Thinker(1, 0), think.Thinker(1, 0), think.Thinker(1, 1)
	const n = 100_000
	var sum, squares float64
	differs := 0
	for range n {
		x := a.Next()
		if x != same.Next() {
			t.Fatal("the same seed gave other think times")
		}
		if x != part.Next() {
			differs++
		}
		sum += float64(x)
		squares += float64(x) * float64(x)
	}
	mean := sum / n
	if sd := math.Sqrt(squares/n - mean*mean); math.Abs(mean/5e6-1) > 0.01 || math.Abs(sd/5e6-1) > 0.02 || differs < n/2 {
		t.Errorf("mean %.0f, standard deviation %.0f, want both near 5e6; %d differ in another part", mean, sd, differs)
	}
	if none := (Think{}).Thinker(1, 0); none.Next() != 0 {
		t.Error("no think time is a pause")
	}
	if got := testing.AllocsPerRun(1000, func() { a.Next() }); got != 0 {
		t.Errorf("%v allocations", got)
	}
}
