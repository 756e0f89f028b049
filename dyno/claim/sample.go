package claim

import (
	"math"
	"slices"

	"dyno.example/dyno/stats"
)

// Options are those of an evaluation.
type Options struct {
	Level float64 // confidence of intervals; 0 means 0.95
	// Ratio computes the interval of a paired ratio; nil means [stats.Ratio], which is
	// right for a number of blocks that was settled beforehand. A study that stops when
	// the data look good needs one that is valid at any stopping time.
	Ratio func(a, b []float64, level float64) stats.Interval
	// Median computes the interval of a median, which takes the place of a mean where
	// a subject failed in some blocks; nil means [stats.Median].
	Median func(values []float64, level float64) stats.Interval
	// Strict is the level that an interval without such a form, as that of a knee, must
	// have now to keep the one given at any stopping time; nil means that there is one
	// look only.
	Strict func(level float64) float64

	// parts is how many comparisons the claim has: what speaks against one of them is
	// held to the level that all of them together keep.
	parts int
}

func (o Options) withDefaults() Options {
	if o.Level == 0 {
		o.Level = 0.95
	}
	if o.Ratio == nil {
		o.Ratio = stats.Ratio
	}
	if o.Median == nil {
		o.Median = stats.Median
	}
	if o.Strict == nil {
		o.Strict = func(level float64) float64 { return level }
	}
	o.parts = max(o.parts, 1)
	return o
}

// family is o at the level at which each of the parts has to be tested for all of
// them together to err as seldom as a single one would (Bonferroni).
func (o Options) family() Options {
	o.Level = 1 - (1-o.Level)/float64(o.parts)
	return o
}

// sample is a figure in the blocks in which it is known.
type sample struct {
	series
	logs   bool // noise is multiplicative: all values are above zero
	ranked bool // there is no mean, but a median, as some values are the worst or the best there are
	failed int  // blocks in which a subject failed
	lone   int  // blocks left out in which one failed, and the other has failed too or has no figure
	zeros  int  // blocks in which a ratio of like figures is 0 or infinite, as one of them is zero
}

// newSample leaves the blocks out in which nothing is known. The mean of what is
// no difference is geometric if it can be. like says that the figure is a ratio of like
// figures: where one of them is zero in some blocks, these count as the ends of the
// scale. To leave them out, or to take an arithmetic mean of ratios, would find a
// difference of two subjects that are the same, and in either direction.
func newSample(s series, difference, like bool, failed map[int]bool) sample {
	out := sample{logs: !difference}
	out.withoutLow, out.withoutHigh = s.withoutLow, s.withoutHigh
	for i, v := range s.value {
		end := v == 0 || math.IsInf(v, 0)
		switch {
		case math.IsNaN(v), math.IsInf(v, 0) && !failed[i] && !like:
			if failed[i] {
				out.lone++
			}
			continue
		case failed[i]:
			out.failed++
			out.ranked = out.ranked || end
		case like && end:
			out.zeros++
		}
		out.value, out.low, out.high = append(out.value, v), append(out.low, s.low[i]), append(out.high, s.high[i])
		out.logs = out.logs && v > 0
	}
	if out.zeros > 0 && (slices.Min(out.value) != 0 || slices.Max(out.value) != 0) {
		out.ranked = true
	} else {
		out.zeros = 0
	}
	return out
}

// estimate returns the mean of the figure, geometric if its noise is
// multiplicative, and where it lies. With fewer than two blocks the interval says
// nothing. Where the figure itself is only known to lie between two ends, the interval
// goes from the lower end of what the lower ones give to the upper end of what the
// upper ones give.
func (s *sample) estimate(o Options) (stats.Interval, interval) {
	iv := s.mean(s.value, o)
	if iv.N < 2 || iv.Level == 0 || s.ranked && iv.Level < o.Level {
		return iv, anywhere()
	}
	where := interval{low: iv.Low, high: iv.High}
	if slices.Equal(s.low, s.value) && slices.Equal(s.high, s.value) {
		return iv, where
	}
	low, withoutLow := s.end(s.low, o, -1)
	if low <= where.low {
		where.low, where.withoutLow = low, withoutLow && s.withoutLow
	}
	high, withoutHigh := s.end(s.high, o, +1)
	if high >= where.high {
		where.high, where.withoutHigh = high, withoutHigh && s.withoutHigh
	}
	return iv, where
}

// end is how far the figure may reach if the values do: down for side -1, up for
// +1. It is not finite if one of the values isn't, or would be at an end of the
// scale; known says that it comes from the values.
func (s *sample) end(x []float64, o Options, side int) (at float64, known bool) {
	least, most := slices.Min(x), slices.Max(x)
	switch {
	case side > 0 && math.IsInf(most, 1):
		return most, false
	case side < 0 && math.IsInf(least, -1):
		return least, false
	case side < 0 && s.logs && least <= 0:
		return 0, false
	}
	iv := s.mean(x, o)
	if side > 0 {
		return iv.High, true
	}
	return iv.Low, true
}

// mean is the interval of a mean by way of that of a ratio, so that one function
// serves both: the geometric mean of x is its ratio to ones, and the arithmetic
// mean the logarithm of the ratio of exp(x) to ones. The scale keeps exp within
// bounds, and the spread of its logarithms the relative spread of x.
func (s *sample) mean(x []float64, o Options) stats.Interval {
	if s.ranked {
		return o.Median(x, o.Level)
	}
	ones := slices.Repeat([]float64{1}, len(x))
	if s.logs {
		return o.Ratio(x, ones, o.Level)
	}
	scale := 0.0
	for _, v := range x {
		scale = max(scale, math.Abs(v))
	}
	if scale == 0 {
		scale = 1
	}
	powers := make([]float64, len(x))
	for i, v := range x {
		powers[i] = math.Exp(v / scale)
	}
	iv := o.Ratio(powers, ones, o.Level)
	if iv.N > 0 {
		iv.Estimate, iv.Low, iv.High = math.Log(iv.Estimate)*scale, math.Log(iv.Low)*scale, math.Log(iv.High)*scale
	}
	return iv
}

// longer is the sample as it would look with more blocks of the same mean and the
// same deviation.
func (s *sample) longer(more int) *sample {
	longer := *s
	longer.value, longer.low, longer.high = s.stretch(s.value, more), s.stretch(s.low, more), s.stretch(s.high, more)
	return &longer
}

// stretch returns values of the mean and the standard deviation of x, on the
// logarithmic scale if noise is multiplicative.
func (s *sample) stretch(x []float64, more int) []float64 {
	from, to := func(v float64) float64 { return v }, func(v float64) float64 { return v }
	if s.logs {
		from, to = math.Log, math.Exp
	}
	n, mean, squares := float64(len(x)), 0.0, 0.0
	for _, v := range x {
		mean += from(v) / n
	}
	for _, v := range x {
		squares += (from(v) - mean) * (from(v) - mean)
	}
	if math.IsInf(mean, 0) || math.IsNaN(squares) {
		return slices.Repeat([]float64{to(mean)}, len(x)+more) // 0 or infinite: an open end stays open
	}
	total := len(x) + more
	pairs := total / 2
	// Half the values a step above the mean and half below; of an odd number, one
	// at the mean.
	deviation := math.Sqrt(squares / (n - 1) * float64(total-1) / float64(2*pairs))
	out := make([]float64, 0, total)
	for range pairs {
		out = append(out, to(mean+deviation), to(mean-deviation))
	}
	if total%2 == 1 {
		out = append(out, to(mean))
	}
	return out
}
