package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// The interval of 12 pairs has the ends that R's wilcox.test(conf.int = TRUE) takes:
// the 14th of the 78 means from either end.
func TestSignedRankCut(t *testing.T) {
	for _, c := range []struct {
		n, k  int
		level float64
	}{
		{5, 1, 1 - 2.0/32}, {6, 1, 1 - 2.0/64}, {8, 4, 0.9609375}, {10, 9, 0.951171875}, {12, 14, 0.9575195},
	} {
		k, level := signedRankCut(c.n, 0.05)
		if k != c.k || math.Abs(level-c.level) > 1e-6 {
			t.Errorf("%d pairs: the %d-th with %v, want the %d-th with %v", c.n, k, level, c.k, c.level)
		}
	}
	sum := 0.0
	for _, p := range signedRankChances(9) {
		sum += p
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("probabilities add up to %v", sum)
	}
}

func TestRankRatio(t *testing.T) {
	b := []float64{1, 1, 1, 1, 1, 1, math.NaN()}
	a := []float64{2, 2, 2, 2, 2, 200, 3}
	got := RankRatio(a, b, 0.95)
	if got.N != 6 || math.Abs(got.Estimate-2) > 1e-12 || math.Abs(got.Low-2) > 1e-12 || math.Abs(got.High-200) > 1e-9 || got.Level != 0.95 {
		t.Errorf("%+v", got)
	}
	if few := RankRatio(a[:4], b[:4], 0.95); few.Level != 1-2.0/16 || !strings.Contains(few.Note.String(), "≥ 6") {
		t.Errorf("%+v", few)
	}
	if one := RankRatio(a[:1], b[:1], 0.95); one.Level != 0 || one.Estimate != 2 {
		t.Errorf("%+v", one)
	}
}

// Ratios of normal noise hardly ever part; those of which one side alone has slow
// starts do.
func TestPart(t *testing.T) {
	const studies = 3000
	r := rand.New(rand.NewPCG(9, 1))
	parted := func(n int, slow, by float64) float64 {
		count := 0
		for range studies {
			a, b := make([]float64, n), make([]float64, n)
			for i := range a {
				a[i], b[i] = math.Exp(0.02*r.NormFloat64()), math.Exp(0.02*r.NormFloat64())
				if r.Float64() < slow {
					a[i] /= by
				}
			}
			if Part(Ratio(a, b, 0.95), RankRatio(a, b, 0.95)) {
				count++
			}
		}
		return float64(count) / studies
	}
	for _, n := range []int{6, 8, 12, 25, 50} {
		if share := parted(n, 0, 1); share > 0.015 {
			t.Errorf("%d pairs: %.3f part", n, share)
		}
	}
	if share := parted(12, 0.1, 2.5); share < 0.6 { // seen at all in 72 %
		t.Errorf("slow starts of one side part in %.3f", share)
	}
	if parted(5, 0.5, 10) != 0 {
		t.Error("five pairs part")
	}
}
