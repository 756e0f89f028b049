package stats

import (
	"cmp"
	"math"
	"slices"
)

// Trend is how a series moved from its beginning to its end.
type Trend struct {
	Slope  float64 // per step, the median of all pairs' slopes
	Start  float64 // where the line through the series begins
	Change float64 // Slope × steps, as a share of Start; 0 where Start is not above zero
	P      float64 // two-sided p-value of "there is no trend"
}

// TrendOf fits a line by the method of Theil and Sen (Sen, "Estimates of the
// Regression Coefficient Based on Kendall's Tau", Journal of the American
// Statistical Association 63, 1968) and tests for a monotonic trend by that of
// Mann (Econometrica 13, 1945) and Kendall, with the correction for ties. Both
// rest on the order of the values only: single outliers move neither.
//
// The test takes values to be independent. Seconds of one trial are not, which
// makes P too small: ask for far less than 0.05, and for a change that matters.
// Fewer than four values show no trend.
func TrendOf(values []float64) Trend {
	n := len(values)
	if n < 4 {
		return Trend{P: 1}
	}
	var slopes []float64
	s := 0
	for i := range values {
		for j := i + 1; j < n; j++ {
			slopes = append(slopes, (values[j]-values[i])/float64(j-i))
			s += cmp.Compare(values[j], values[i])
		}
	}
	slices.Sort(slopes)
	t := Trend{Slope: medianOfSorted(slopes), P: kendallP(s, values)}
	offsets := make([]float64, n)
	for i, v := range values {
		offsets[i] = v - t.Slope*float64(i)
	}
	slices.Sort(offsets)
	if t.Start = medianOfSorted(offsets); t.Start > 0 {
		t.Change = t.Slope * float64(n-1) / t.Start
	}
	return t
}

// kendallP is the p-value of Kendall's score s by its normal approximation.
func kendallP(s int, values []float64) float64 {
	n := float64(len(values))
	variance := n * (n - 1) * (2*n + 5)
	sorted := slices.Sorted(slices.Values(values))
	for i := 0; i < len(sorted); {
		j := i
		for j < len(sorted) && sorted[j] == sorted[i] {
			j++
		}
		tied := float64(j - i)
		variance -= tied * (tied - 1) * (2*tied + 5)
		i = j
	}
	if variance /= 18; variance <= 0 || s == 0 {
		return 1
	}
	z := (math.Abs(float64(s)) - 1) / math.Sqrt(variance) // continuity correction
	return math.Erfc(z / math.Sqrt2)
}
