package validity

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dyno.example/dyno/finding"
	"dyno.example/internal/i18n"
)

func restartsOf(values ...float64) (list []Restart) {
	for i, v := range values {
		list = append(list, Restart{Trial: 10 + i, Value: v, Windows: []float64{v, v * 1.01, v * 0.99}})
	}
	return list
}

func TestPlateaus(t *testing.T) {
	for name, c := range map[string]struct {
		values []float64
		is     finding.Name
	}{
		"two levels":        {[]float64{100, 120, 101, 121, 119, 99}, finding.RestartPlateau},
		"one level":         {[]float64{100, 101, 99, 100, 102, 98}, ""},
		"one outlier":       {[]float64{100, 101, 99, 100, 102, 150}, finding.RestartOutlier},
		"a gap too small":   {[]float64{100, 100.1, 100.2, 103, 103.1, 103.2}, ""},
		"too few trials":    {[]float64{100, 100, 150, 150, 150}, ""},
		"spread out evenly": {[]float64{100, 110, 120, 130, 140, 150}, ""},
		"nothing measured":  {[]float64{0, 0, 0, 1, 1, 1}, ""},
	} {
		found := Plateaus(i18n.Verbatim("throughput"), restartsOf(c.values...))
		if (len(found) == 1) != (c.is != "") || len(found) == 1 && (found[0].Name != c.is || !strings.Contains(found[0].Detail.String(), "missed altogether by 18 %")) {
			t.Errorf("%s: %+v", name, found)
		}
	}
	f := Plateaus(i18n.Verbatim("throughput"), restartsOf(100, 120, 101, 121, 119, 99))[0]
	for _, part := range []string{"100 in trials [10 12 15]", "[11 13 14]", "restarts differ by"} {
		if !strings.Contains(f.Detail.String(), part) {
			t.Errorf("%q lacks %q", f.Detail, part)
		}
	}
}

// An outlier in a trial that something disturbed is reported with what disturbed it; what
// disturbed other trials is no matter.
func TestDisturbedOutlier(t *testing.T) {
	const says = "the machine was disturbed in that trial (cpu-speed)"
	list := restartsOf(100, 101, 99, 100, 102, 150)
	list[0].Disturbed = []finding.Name{finding.OtherLoad}
	if f := Plateaus(i18n.Verbatim("throughput"), list)[0]; strings.Contains(f.Detail.String(), "disturbed") {
		t.Errorf("%q", f.Detail)
	}
	list[5].Disturbed = []finding.Name{finding.CPUSpeed}
	if f := Plateaus(i18n.Verbatim("throughput"), list)[0]; !strings.Contains(f.Detail.String(), says) {
		t.Errorf("%q lacks %q", f.Detail, says)
	}
}

// Trials that differ by chance alone are hardly ever said to be on two levels.
func TestPlateausFalseAlarms(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{6, 8, 12, 20} {
		const rounds = 2000
		alarms := 0
		for range rounds {
			var values []float64
			for range n {
				values = append(values, 1000*math.Exp(0.08*random.NormFloat64()))
			}
			alarms += len(Plateaus(i18n.Verbatim("throughput"), restartsOf(values...)))
		}
		if share := float64(alarms) / rounds; share > 0.015 {
			t.Errorf("%d trials: alarm in %.1f %% of cells without plateaus", n, 100*share)
		}
	}
}

// A quarter of all starts that are a fifth slower is seen about as often as so few
// starts allow: at least two must be slow, which they are in 47, 63 and 84 % of the
// cells.
func TestPlateausAreSeen(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	for n, least := range map[int]float64{6: 0.27, 8: 0.5, 12: 0.78} {
		const rounds = 2000
		seen := 0
		for range rounds {
			var values []float64
			for range n {
				v := 1000 * math.Exp(0.02*random.NormFloat64())
				if random.IntN(4) == 0 {
					v *= 0.8
				}
				values = append(values, v)
			}
			if found := Plateaus(i18n.Verbatim("throughput"), restartsOf(values...)); len(found) > 0 && found[0].Name == finding.RestartPlateau {
				seen++
			}
		}
		if share := float64(seen) / rounds; share < least {
			t.Errorf("%d trials: seen in %.1f %%", n, 100*share)
		}
	}
}
