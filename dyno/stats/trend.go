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
// The test takes values to be independent. Seconds of one trial are not, which makes P
// too small: require far less than 0.05, and for a change that matters. Fewer than four
// values show no trend. Of more than 500 values as many neighbours are taken together,
// by their median, as make 500 of them.
func TrendOf(values []float64) Trend {
	if len(values) < 4 {
		return Trend{P: 1}
	}
	points, each := condense(values, maxSeries)
	slope, score := slopeAndScore(points)
	t := Trend{Slope: slope / float64(each), P: kendallP(score, points)}
	center := float64(each-1) / 2 // of the values that a point stands for
	offsets := make([]float64, len(points))
	for i, v := range points {
		offsets[i] = v - t.Slope*(float64(i*each)+center)
	}
	slices.Sort(offsets)
	if t.Start = medianOfSorted(offsets); t.Start > 0 {
		t.Change = t.Slope * float64(len(values)-1) / t.Start
	}
	return t
}

// slopeAndScore returns the median of all pairs' slopes, and by how many more
// pairs rise than fall, which is Kendall's score.
func slopeAndScore(values []float64) (slope float64, score int) {
	n := len(values)
	slopes := make([]float64, 0, n*(n-1)/2)
	for i := range values {
		for j := i + 1; j < n; j++ {
			slopes = append(slopes, (values[j]-values[i])/float64(j-i))
			score += cmp.Compare(values[j], values[i])
		}
	}
	slices.Sort(slopes)
	return medianOfSorted(slopes), score
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
