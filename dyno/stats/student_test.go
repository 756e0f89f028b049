package stats

import (
	"math"
	"testing"
)

// Values from the table of Abramowitz and Stegun, 26.10.
func TestStudentAgreesWithTables(t *testing.T) {
	for _, c := range []struct{ freedom, p, want float64 }{
		{1, 0.975, 12.706}, {2, 0.975, 4.303}, {5, 0.975, 2.571}, {5, 0.995, 4.032}, {30, 0.975, 2.042}, {120, 0.95, 1.658},
	} {
		got := studentQuantile(c.freedom, c.p)
		if math.Abs(got-c.want) > 5e-4 {
			t.Errorf("quantile(%v, %v) = %v, want %v", c.freedom, c.p, got, c.want)
		}
		if p := studentTwoSided(c.freedom, -got); math.Abs(p-2*(1-c.p)) > 1e-9 {
			t.Errorf("two-sided(%v, %v) = %v, want %v", c.freedom, -got, p, 2*(1-c.p))
		}
	}
	if p := studentTwoSided(5, math.Inf(1)); p != 0 {
		t.Errorf("two-sided(∞) = %v, want 0", p)
	}
}

func TestMeanAndError(t *testing.T) {
	mean, stderr := meanAndError([]float64{2, 4, 4, 4, 5, 5, 7, 9})
	if mean != 5 || math.Abs(stderr-math.Sqrt(32.0/7/8)) > 1e-15 {
		t.Errorf("mean %v, standard error %v", mean, stderr)
	}
}
