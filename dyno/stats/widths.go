package stats

import (
	"math"
	"math/rand/v2"

	"dyno.example/internal/i18n"
)

// Widths plans looks at a comparison that ends as soon as its interval is narrow enough:
// after each start from First to Last. Whether it ends depends on what starts scatter by,
// and not on the estimate. For normal noise the two are independent, so that ending early
// doesn't move the estimate; it ends where the scatter happens to look small, though, and
// Student's interval would then hold the truth too seldom (Chow and Robbins, "On the
// Asymptotic Theory of Fixed-Width Sequential Confidence Intervals for the Mean", Annals
// of Mathematical Statistics 36, 1965; Stein's two-stage rule of 1945 avoids it by never
// looking again). So the interval of every look is wider by one factor, found such that
// the level holds for whatever width is asked for and whatever starts differ by: from
// simulated scatter, always the same, the chance given the scatter being exact.
//
// A rule that ends because of what the estimate is needs [Spending] or [RatioAnytime].
// Values are immutable and safe for concurrent use.
type Widths struct {
	First, Last int
	Level       float64
	wider       float64 // than Student's
}

const (
	widthPaths = 4000 // of scatter
	widthGrid  = 40   // widths asked for, in standard deviations, from what the first look reaches to what the last doesn't
)

// NewWidths plans looks after First to Last starts; First is made at least 3, as two that
// happen to be alike would end any study.
func NewWidths(first, last int, level float64) *Widths {
	w := &Widths{First: max(first, 3), Level: level}
	w.Last = max(w.First, last)
	paths := scatterPaths(w.First, w.Last)
	student := make([]float64, w.Last-w.First+1) // quantiles by look
	for i := range student {
		student[i] = studentQuantile(float64(w.First+i-1), 1-(1-level)/2)
	}
	low, high := 1.0, 2.0
	for range 12 {
		if middle := (low + high) / 2; covers(paths, student, w.First, middle) < level {
			low = middle
		} else {
			high = middle
		}
	}
	w.wider = high
	return w
}

// scatterPaths are standard deviations of the first n of normal values, n from first to
// last, of standard deviation 1.
func scatterPaths(first, last int) [][]float64 {
	r := rand.New(rand.NewPCG(0x7769647468, uint64(last)))
	paths := make([][]float64, widthPaths)
	for i := range paths {
		sum, squares := 0.0, 0.0
		for n := 1; n <= last; n++ {
			x := r.NormFloat64()
			sum, squares = sum+x, squares+x*x
			if n >= first {
				paths[i] = append(paths[i], math.Sqrt((squares-sum*sum/float64(n))/float64(n-1)))
			}
		}
	}
	return paths
}

// covers is how often the interval at the end holds the truth, for the width for which
// that is most seldom, if the intervals are so many times as wide as Student's. Given the
// scatter up to the end, the mean is normal as ever.
func covers(paths [][]float64, student []float64, first int, wider float64) float64 {
	factors := make([]float64, len(student))
	for i := range factors {
		factors[i] = wider * student[i] / math.Sqrt(float64(first+i))
	}
	narrowest, widest := factors[len(factors)-1]/2, 2*factors[0]
	worst := 1.0
	for at := range widthGrid {
		asked := narrowest * math.Pow(widest/narrowest, float64(at)/(widthGrid-1))
		sum := 0.0
		for _, path := range paths {
			end := 0
			for end < len(path)-1 && factors[end]*path[end] > asked {
				end++
			}
			sum += 2*normalCDF(wider*student[end]*path[end]) - 1
		}
		worst = min(worst, sum/float64(len(paths)))
	}
	return worst
}

// Ratio is [SlicedRatio] with the interval of the look after as many starts as there are:
// none before the first.
func (w *Widths) Ratio(starts []Start) Sliced {
	s := SlicedRatio(starts, w.Level)
	return w.widen(s)
}

func (w *Widths) widen(s Sliced) Sliced {
	if n := s.Ratio.N; n >= 1 && n < w.First {
		s.Ratio = pointRatio(n, math.Log(s.Ratio.Estimate), i18n.New("stats.first-look-starts", "the first look is after %d starts", w.First))
		return s
	}
	if s.Ratio.Level > 0 {
		note := s.Ratio.Note
		s.half *= w.wider
		s.Ratio = ratioInterval(s.Ratio.N, math.Log(s.Ratio.Estimate), s.half, w.Level)
		s.Ratio.Note = note
	}
	return s
}

// Reached reports whether the interval is within ± half of its estimate (0.02 is 2 %). A
// study of several comparisons ends when each is.
func (w *Widths) Reached(s Sliced, half float64) bool {
	return s.Ratio.Level > 0 && s.Ratio.High/s.Ratio.Estimate-1 <= half
}
