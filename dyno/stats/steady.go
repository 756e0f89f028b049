package stats

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// What a trial's windows can be called, in the words of Barrett et al.,
// "Virtual Machine Warmup Blows Hot and Cold" (OOPSLA 2017).
const (
	Flat          = "flat"            // the same from the first window on
	WarmUp        = "warm-up"         // settles, and is then as fast as it ever was
	SlowDown      = "slow-down"       // settles, but was faster before
	NoSteadyState = "no steady state" // still changing at the end
	TooShort      = "too short"       // for a result
)

// Steady says whether, and from where on, a series of windows is steady.
type Steady struct {
	Kind    string `json:"kind"`              // Flat, WarmUp, SlowDown, NoSteadyState or TooShort
	From    int    `json:"from"`              // first steady window; the number of windows if none is
	Signal  int    `json:"signal"`            // the one that changes most; −1 if none does
	Changes []int  `json:"changes,omitempty"` // windows from which on something is different
	Why     string `json:"why"`               // in plain words
}

// Limits of what is called a change of a trial.
const (
	steadyWindows  = 8        // at least, or there is no result
	steadyP        = 0.02     // share of flat series that are not called so, if windows are independent
	steadyChange   = 0.03     // smallest change that matters, on the log scale: 3 %
	steadyErrors   = 5        // standard errors that a change has at least
	steadyLast     = 4        // the last of so many parts of the windows must be without change
	steadyLeast    = 3        // windows that must be without change at the end, at least
	steadyNoise    = 0.002    // least noise, so that a clock's resolution is no signal
	steadySeed     = 0x737464 // one series has one result
	alike          = 0.9      // correlation of neighbours is taken to be at most this
	steadyQuantile = 1.4826   // standard deviations in a normal distribution's median absolute deviation
)

// Steadiness classifies the windows of a trial by several signals at once, each
// with one value per window: signals[i][window].
//
// A signal must be a cost, where higher is slower: CPU per request, a latency,
// and the reciprocal of throughput rather than throughput. Signals with a value
// that is NaN, infinite or not above zero are left out, and so are values beyond
// the shortest signal.
//
// Changes are found in all signals together (E-divisive on their logarithms,
// each measured by its own noise; see divisive.go) at 2 %, which is the share
// of flat series of independent windows that are called something else. So that
// the share stays as low where neighbouring windows are alike, a change must
// also be one of at least 3 %, and of five standard errors widened for the
// correlation of neighbours. As Barrett et al. do it, a trial that ends as fast
// as it ever was has warmed up, one that ends slower has slowed down, and one
// that changed in its last quarter has no steady state. That is a result, not a
// mistake.
//
// With fewer than eight windows there is no result. Changes of a single window are
// outliers, not changes. Of more than 500 windows as many neighbours are taken
// together, by their median, as make 500 of them.
func Steadiness(signals [][]float64) Steady {
	logs, index := usableSignals(signals)
	n := 0
	if len(logs) > 0 {
		n = len(logs[0])
	}
	if n < steadyWindows {
		return Steady{Kind: TooShort, Signal: -1, Why: fmt.Sprintf("need ≥ %d windows to tell, got %d", steadyWindows, n)}
	}
	s := newSeries(logs)
	s.merge()
	result := s.classify()
	if result.Signal >= 0 {
		result.Signal = index[result.Signal]
	}
	return result
}

// usableSignals takes the logarithms, and says which signals they are of.
func usableSignals(signals [][]float64) (logs [][]float64, index []int) {
	n := math.MaxInt
	for _, signal := range signals {
		n = min(n, len(signal))
	}
	for i, signal := range signals {
		values := make([]float64, n)
		for w := range values {
			values[w] = math.Log(signal[w])
		}
		if !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			logs, index = append(logs, values), append(index, i)
		}
	}
	return logs, index
}

// segmentsOf cuts the windows where the signals change.
func segmentsOf(logs [][]float64) []segment {
	scales := make([]float64, len(logs))
	for i, values := range logs {
		scales[i] = noiseOf(values)
	}
	n := len(logs[0])
	d := newDivisive(distances(n, func(i, j int) float64 {
		squares := 0.0
		for s, values := range logs {
			squares += math.Pow((values[i]-values[j])/scales[s], 2)
		}
		return math.Sqrt(squares)
	}), 0, steadyP, steadySeed)
	places := []int{0, n}
	for _, f := range d.changes() {
		places = append(places, f.at)
	}
	slices.Sort(places)
	var segments []segment
	for i := range len(places) - 1 {
		segments = append(segments, segment{places[i], places[i+1]})
	}
	return segments
}

// noiseOf is the standard deviation of a series about a level that may change:
// from the median of the steps between neighbours, which few changes don't move.
func noiseOf(values []float64) float64 {
	steps := make([]float64, len(values)-1)
	for i := range steps {
		steps[i] = math.Abs(values[i+1] - values[i])
	}
	return max(steadyQuantile*medianOf(steps)/math.Sqrt2, steadyNoise)
}

// describe says what changed where, of the signal that changed most.
func (s *series) describe(signal int) string {
	var parts []string
	for i := 1; i < len(s.segments); i++ {
		change := math.Expm1(s.mean(signal, i) - s.mean(signal, i-1))
		parts = append(parts, fmt.Sprintf("%+.1f %% at window %d", 100*change, s.window(s.segments[i].from)))
	}
	return strings.Join(parts, ", ")
}
