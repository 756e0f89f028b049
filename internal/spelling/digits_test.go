package spelling

import (
	"math"
	"testing"
)

func TestDigits(t *testing.T) {
	for _, c := range []struct {
		x      float64
		digits int
		want   string
	}{
		{0, 2, "0"}, {320, 2, "320"}, {325, 2, "320"}, {308123, 3, "308000"}, {0.012345, 3, "0.0123"}, {-4.56, 2, "-4.6"}, {1e-7, 2, "0.0000001"}, {99.96, 3, "100"}, {math.Inf(1), 3, "+Inf"},
	} {
		if got := Digits(c.x, c.digits); got != c.want {
			t.Errorf("%v with %d digits is %q, want %q", c.x, c.digits, got, c.want)
		}
	}
}

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{3.2: "320", 0.0123: "1.23", -0.5: "-50", 10: "1000", 3080: ">1000", -11: "<-1000", math.Inf(1): ">1000"} {
		if got := Percent(share, 3); got != want {
			t.Errorf("%v is %q, want %q", share, got, want)
		}
	}
}
