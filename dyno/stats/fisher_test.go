package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFisherExact: values of R's fisher.test.
func TestFisherExact(t *testing.T) {
	for _, c := range []struct {
		a, n, b, m int
		want       float64
	}{
		{3, 4, 1, 4, 0.4857142857}, // the lady tasting tea
		{5, 11, 0, 11, 0.0350877193},
		{0, 6, 6, 6, 0.0021645022},
		{1, 10, 9, 12, 0.0036913551},
		{2, 6, 2, 6, 1},
		{0, 6, 0, 6, 1},
		{6, 6, 6, 6, 1},
		{0, 0, 3, 6, 1},
	} {
		if got := FisherExact(c.a, c.n, c.b, c.m); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%d of %d against %d of %d: %.10f, want %v", c.a, c.n, c.b, c.m, got, c.want)
		}
		if x, y := FisherExact(c.a, c.n, c.b, c.m), FisherExact(c.b, c.m, c.a, c.n); math.Abs(x-y) > 1e-12 {
			t.Errorf("%d of %d against %d of %d: %v one way, %v the other", c.a, c.n, c.b, c.m, x, y)
		}
	}
}

// Where there is nothing to find, it finds something at most as often as its level.
func TestFisherExactSeldomInvents(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	const tables = 20000
	for range tables {
		a, b := 0, 0
		for range 12 {
			if r.Float64() < 0.3 {
				a++
			}
			if r.Float64() < 0.3 {
				b++
			}
		}
		if FisherExact(a, 12, b, 12) < 0.05 {
			found++
		}
	}
	if found > tables*5/100 {
		t.Errorf("%d of %d equal tables", found, tables)
	}
}
