package load

import (
	"math"
	"testing"
)

func TestScheduleIsPure(t *testing.T) {
	for _, p := range []Profile{{Rate: 333, Arrivals: Uniform}, {Rate: 333, Arrivals: Poisson}} {
		a, b, other := newSchedule(p, 7, 0, 1), newSchedule(p, 7, 0, 1), newSchedule(p, 8, 0, 1)
		differs := false
		for range 1000 {
			x := a.next()
			if x != b.next() {
				t.Fatal("the same seed gave another schedule")
			}
			differs = differs || x != other.next()
		}
		if differs != (p.Arrivals == Poisson) {
			t.Errorf("%s: another seed differs: %v", p.Arrivals, differs)
		}
	}
}

func TestUniformPartsMakeTheWhole(t *testing.T) {
	p := Profile{Rate: 3000, Arrivals: Uniform}
	whole := newSchedule(p, 0, 0, 1)
	parts := []schedule{newSchedule(p, 0, 0, 3), newSchedule(p, 0, 1, 3), newSchedule(p, 0, 2, 3)}
	for i := range 3000 {
		if w, s := whole.next(), parts[i%3].next(); w-s > 1 || s-w > 1 {
			t.Fatalf("arrival %d: %d in the whole, %d in its part", i, w, s)
		}
	}
}

// TestPoissonGaps holds the gaps to the exponential distribution by its mean
// and standard deviation, which are equal.
func TestPoissonGaps(t *testing.T) {
	const n, rate = 200_000, 1000
	s := newSchedule(Profile{Rate: rate, Arrivals: Poisson}, 42, 0, 1)
	var last int64
	var sum, squares float64
	for range n {
		at := s.next()
		gap := float64(at - last)
		last = at
		sum += gap
		squares += gap * gap
	}
	mean := sum / n
	sd := math.Sqrt(squares/n - mean*mean)
	if want := 1e9 / rate; math.Abs(mean/want-1) > 0.01 || math.Abs(sd/want-1) > 0.01 {
		t.Errorf("mean %.0f, standard deviation %.0f, want both near %.0f", mean, sd, want)
	}
}

func TestScheduleDoesNotAllocate(t *testing.T) {
	s := newSchedule(Profile{Rate: 1000, Arrivals: Poisson}, 1, 0, 1)
	if n := testing.AllocsPerRun(1000, func() { s.next() }); n != 0 {
		t.Errorf("%v allocations per arrival", n)
	}
}
