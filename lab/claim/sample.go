package claim

import (
	"math"
	"slices"

	"dyno/lab/stats"
)

// Options are those of an evaluation.
type Options struct {
	Level float64 // confidence of intervals; 0 means 0.95
	// Ratio computes the interval of a paired ratio; nil means [stats.Ratio], which
	// is right for a number of blocks that was settled beforehand. Who stops when
	// the data look good needs one that is valid at any stopping time.
	Ratio func(a, b []float64, level float64) stats.Interval
}

func (o Options) withDefaults() Options {
	if o.Level == 0 {
		o.Level = 0.95
	}
	if o.Ratio == nil {
		o.Ratio = stats.Ratio
	}
	return o
}

// sample is a figure in the blocks in which it is known.
type sample struct {
	series
	logs bool // noise is multiplicative: all values are above zero
}

// newSample leaves the blocks out in which nothing is known. The mean of what is
// no difference is geometric if it can be.
func newSample(s series, difference bool) sample {
	out := sample{logs: !difference}
	for i, v := range s.value {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		out.value, out.low, out.high = append(out.value, v), append(out.low, s.low[i]), append(out.high, s.high[i])
		out.logs = out.logs && v > 0
	}
	return out
}

// estimate returns the mean of the figure, geometric if its noise is
// multiplicative, and where it lies. With fewer than two blocks the span says
// nothing. Where the figure itself is only known to lie between two ends, the span
// goes from the lower end of what the lower ones give to the upper end of what the
// upper ones give.
func (s *sample) estimate(o Options) (stats.Interval, span) {
	iv := s.mean(s.value, o)
	if iv.N < 2 || iv.Level == 0 {
		return iv, span{math.Inf(-1), math.Inf(1)}
	}
	where := span{iv.Low, iv.High}
	if slices.Equal(s.low, s.value) && slices.Equal(s.high, s.value) {
		return iv, where
	}
	switch least := slices.Min(s.low); {
	case s.logs && least <= 0:
		where.low = 0
	case math.IsInf(least, -1):
		where.low = least
	default:
		where.low = min(where.low, s.mean(s.low, o).Low)
	}
	if most := slices.Max(s.high); math.IsInf(most, 1) {
		where.high = most
	} else {
		where.high = max(where.high, s.mean(s.high, o).High)
	}
	return iv, where
}

// mean is the interval of a mean by way of that of a ratio, so that one function
// serves both: the geometric mean of x is its ratio to ones, and the arithmetic
// mean the logarithm of the ratio of exp(x) to ones. The scale keeps exp within
// bounds, and the spread of its logarithms the relative spread of x.
func (s *sample) mean(x []float64, o Options) stats.Interval {
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
	return &sample{series{s.stretch(s.value, more), s.stretch(s.low, more), s.stretch(s.high, more)}, s.logs}
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
