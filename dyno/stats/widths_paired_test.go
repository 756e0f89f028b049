package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A study that ends as soon as its interval is narrow enough has the truth in it as often as
// it says, whatever the scatter: Student's interval at that end doesn't.
func TestWidthsOfPairs(t *testing.T) {
	const last, studies, truth, asked = 8, 4000, 1.05, 0.02
	w := NewWidths(3, last, 0.95)
	r := rand.New(rand.NewPCG(1, 2))
	for _, deviation := range []float64{0.005, 0.012, 0.02} {
		held, student, ended := 0, 0, 0
		for range studies {
			var a, b []float64
			for n := 1; ; n++ {
				a, b = append(a, truth*math.Exp(deviation*r.NormFloat64())), append(b, 1)
				i := w.Paired(a, b)
				if (i.Level > 0) != (n >= 3) {
					t.Fatalf("after %d starts: %+v", n, i)
				}
				narrow := i.Level > 0 && i.High/i.Estimate-1 <= asked
				if !narrow && n < last {
					continue
				}
				if narrow && n < last {
					ended++
				}
				if i.Contains(truth) {
					held++
				}
				if Ratio(a, b, 0.95).Contains(truth) {
					student++
				}
				break
			}
		}
		if share := float64(held) / studies; share < 0.945 {
			t.Errorf("scatter %g: %.3f of the intervals hold the truth; %d ended early", deviation, share, ended)
		}
		if held < student {
			t.Errorf("scatter %g: Student's hold it more often", deviation)
		}
	}
	if i := w.Paired([]float64{1}, []float64{1}); i.Level != 0 {
		t.Errorf("of one pair: %+v", i)
	}
}
