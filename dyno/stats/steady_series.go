package stats

import (
	"fmt"
	"math"
	"slices"
)

// series is what [Steadiness] works on: signals on the log scale, and the
// segments between their changes. Its points are windows, or of a long trial
// several windows together.
type series struct {
	logs     [][]float64 // by signal and point
	segments []segment   // of points
	windows  int
	each     int // windows that a point stands for; the last may stand for fewer
}

func newSeries(logs [][]float64) *series {
	s := &series{windows: len(logs[0])}
	for _, values := range logs {
		var points []float64
		points, s.each = condense(values, maxSeries)
		s.logs = append(s.logs, points)
	}
	s.segments = segmentsOf(s.logs)
	return s
}

// window is the first that a point stands for; of the point behind the last, the
// number of windows.
func (s *series) window(point int) int { return min(point*s.each, s.windows) }

// mean of a signal in a segment.
func (s *series) mean(signal, at int) float64 {
	sum := 0.0
	part := s.segments[at]
	for _, v := range s.logs[signal][part.from:part.to] {
		sum += v
	}
	return sum / float64(part.len())
}

// merge joins neighbours that no signal distinguishes, the most alike first.
func (s *series) merge() {
	for len(s.segments) > 1 {
		least, at := math.Inf(1), 0
		for i := 1; i < len(s.segments); i++ {
			largest := 0.0
			for signal := range s.logs {
				largest = max(largest, math.Abs(s.change(signal, i-1, i)))
			}
			if largest < least {
				least, at = largest, i
			}
		}
		if least >= 1 {
			return
		}
		s.segments[at-1].to = s.segments[at].to
		s.segments = slices.Delete(s.segments, at, at+1)
	}
}

// change is by how much a signal differs from one segment to another, as a multiple of
// the least difference that counts as one.
func (s *series) change(signal, from, to int) float64 {
	deviation, rho := s.residuals(signal)
	a, b := float64(s.segments[from].len()), float64(s.segments[to].len())
	stderr := deviation * math.Sqrt((1+rho)/(1-rho)*(1/a+1/b))
	return (s.mean(signal, to) - s.mean(signal, from)) / max(steadyChange, steadyErrors*stderr)
}

// residuals returns the standard deviation of a signal within segments, and how
// alike neighbouring windows are: their correlation, 0 if they are not.
func (s *series) residuals(signal int) (deviation, rho float64) {
	squares, products := 0.0, 0.0
	for i, part := range s.segments {
		mean, last := s.mean(signal, i), 0.0
		for w := part.from; w < part.to; w++ {
			r := s.logs[signal][w] - mean
			squares += r * r
			if w > part.from {
				products += r * last
			}
			last = r
		}
	}
	n := float64(len(s.logs[signal]))
	freedom := n - float64(len(s.segments))
	if squares == 0 || freedom < 1 {
		return 0, 0
	}
	// A mean taken from few values makes them look less alike: Kendall 1954.
	rho = products / squares
	rho += (1 + 3*rho) * float64(len(s.segments)) / n
	return math.Sqrt(squares / freedom), min(max(rho, 0), alike)
}

// classify compares the last segment with those before it.
func (s *series) classify() Steady {
	n := len(s.logs[0])
	last := len(s.segments) - 1
	if last == 0 {
		return Steady{Kind: Flat, Signal: -1, Why: fmt.Sprintf("no change in %d windows", s.windows)}
	}
	result := Steady{Kind: WarmUp, From: s.window(s.segments[last].from)}
	for _, part := range s.segments[1:] {
		result.Changes = append(result.Changes, s.window(part.from))
	}
	largest := 0.0
	for signal := range s.logs {
		for i := range last {
			change := s.change(signal, i, last)
			if change >= 1 {
				result.Kind = SlowDown
			}
			if math.Abs(change) > largest {
				largest, result.Signal = math.Abs(change), signal
			}
		}
	}
	what := s.describe(result.Signal)
	if s.segments[last].len() < max(steadyLeast, (n+steadyLast-1)/steadyLast) {
		result.Kind, result.From = NoSteadyState, s.windows
		result.Why = "still changing at the end: " + what
		return result
	}
	if result.Kind == SlowDown {
		result.Why = fmt.Sprintf("slower from window %d on than before: %s", result.From, what)
		return result
	}
	result.Why = fmt.Sprintf("steady from window %d on: %s", result.From, what)
	return result
}
