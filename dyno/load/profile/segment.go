package profile

import (
	"math"
)

// form says by which formula a segment's rate moves.
type form uint8

const (
	flat     form = iota // one rate
	slope                // from one rate to another in a straight line
	wave                 // a sine around a mean
	recorded             // at given times
)

// segment is a piece of the load with one formula. With Λ(t), the arrivals
// planned up to t, it offers the rate Λ′, Λ itself and its inverse, all in closed
// form but for the sine's inverse. Arrivals are found as Λ⁻¹ of what they would
// be at rate 1 (time rescaling: Çinlar 1975; Brown et al., Neural Computation
// 2002), so that errors don't add up and no arrival is drawn in vain, as it would
// be by thinning (Lewis and Shedler 1979). Within the segment times are ns from
// its start, as floats; rates are arrivals per ns.
type segment struct {
	form    form
	poisson bool
	start   int64   // ns from the start of the load
	length  int64   // ns
	origin  float64 // Λ at the start
	total   float64 // arrivals planned in it
	gap     float64 // ns between arrivals of a flat segment
	rate    float64 // at the start of a slope, of a flat segment; mean of a wave
	rise    float64 // slope: change of the rate per ns
	swing   float64 // wave: amplitude
	omega   float64 // wave: radians per ns
	angle   float64 // wave: radians at the start
	trace   *TraceFile
	loop    bool
}

// rateAt returns the rate at t. A trace has none; its mean stands for it.
func (s *segment) rateAt(t float64) float64 {
	switch s.form {
	case slope:
		return s.rate + s.rise*t
	case wave:
		return s.rate + s.swing*math.Sin(s.omega*t+s.angle)
	case recorded:
		return s.total / float64(s.length)
	}
	return s.rate
}

// planned returns Λ(t), the arrivals from the start of the segment up to t.
func (s *segment) planned(t float64) float64 {
	switch s.form {
	case slope:
		return t * (s.rate + s.rise*t/2)
	case wave:
		return s.rate*t + s.swing/s.omega*(math.Cos(s.angle)-math.Cos(s.omega*t+s.angle))
	case recorded:
		return s.recordedBefore(t)
	}
	return s.rate * t
}

// recordedBefore counts the arrivals of a trace earlier than t.
func (s *segment) recordedBefore(t float64) float64 {
	if !s.loop {
		return float64(s.trace.before(t))
	}
	rounds := math.Floor(t / float64(s.trace.Length))
	return rounds*float64(len(s.trace.times)) + float64(s.trace.before(t-rounds*float64(s.trace.Length)))
}

// within rounds a time in the segment to ns. One beyond its end, which at rates of next
// to nothing may not fit an int64, becomes its last.
func (s *segment) within(t float64) int64 {
	if !(t < float64(s.length)) {
		return s.length - 1
	}
	return int64(t)
}

// at returns Λ⁻¹(m), the time by which m arrivals are planned.
func (s *segment) at(m float64) float64 {
	switch s.form {
	case slope:
		return s.atSlope(m)
	case wave:
		return s.atWave(m)
	case recorded:
		i, n := int(m), len(s.trace.times)
		return float64(i/n)*float64(s.trace.Length) + float64(s.trace.times[i%n])
	}
	return m * s.gap
}

// atSlope solves rise/2·t² + rate·t = m in the form that loses no digits.
func (s *segment) atSlope(m float64) float64 {
	if m == 0 {
		return 0
	}
	return 2 * m / (s.rate + math.Sqrt(max(s.rate*s.rate+2*s.rise*m, 0)))
}

// atWave solves Λ(t) = m by Newton's method, falling back to bisection where that
// leaves the bracket, within one period: every period plans the same number.
func (s *segment) atWave(m float64) float64 {
	const exact = 0.01 // ns
	period := 2 * math.Pi / s.omega
	whole := math.Floor(m / (s.rate * period))
	m -= whole * s.rate * period
	m -= s.swing / s.omega * math.Cos(s.angle)
	low, high := 0.0, period
	t := min(max(m/s.rate, low), high)
	for range 100 { // each second step at least halves the bracket
		sin, cos := math.Sincos(s.omega*t + s.angle)
		off := s.rate*t - s.swing/s.omega*cos - m
		if off > 0 {
			high = t
		} else {
			low = t
		}
		next := t - off/(s.rate+s.swing*sin)
		if !(next >= low && next <= high) {
			next = low + (high-low)/2
		}
		if math.Abs(next-t) < exact {
			t = next
			break
		}
		t = next
	}
	return whole*period + t
}
