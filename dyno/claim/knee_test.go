package claim

import (
	"slices"
	"testing"
)

// The interval of a knee is as wide as the parts of its claim together need, and as the
// looks of a run that may end at any of them do.
func TestKneeOfManyParts(t *testing.T) {
	names := []string{"16", "32", "64", "128", "256"}
	values := [][]float64{ // by level: the third is not surely on the plateau
		{10, 10.2, 9.9, 10.1}, {20, 20.4, 19.8, 20.2}, {37, 40, 36, 41}, {40, 40.8, 39.6, 40.4}, {40.2, 40.1, 39.9, 40.3},
	}
	const knee = "knee(connections) <= 128"
	width := func(parts int, strict func(float64) float64) (low, high float64) {
		c := Claim{ID: "c", Expressions: slices.Repeat([]string{knee}, parts)}
		e := Evaluate(&c, levels("connections", names, values), Options{Strict: strict}).Parts[0].Effect
		if e == nil || e.Below {
			t.Fatalf("%+v", e)
		}
		if high = e.Interval.High; e.Above {
			high = 1e9
		}
		return e.Interval.Low, high
	}
	low, high := width(1, nil)
	for name, wider := range map[string]struct {
		parts  int
		strict func(float64) float64
	}{
		"twenty parts": {20, nil},
		"a late look":  {1, func(level float64) float64 { return 1 - (1-level)/100 }},
	} {
		if l, h := width(wider.parts, wider.strict); l > low || h < high || l == low && h == high {
			t.Errorf("%s: %v to %v, where one part and one look have %v to %v", name, l, h, low, high)
		}
	}
}
