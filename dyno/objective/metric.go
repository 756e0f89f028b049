package objective

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"dyno.example/dyno/load/measure"
)

// Metric names a figure of a load: one of a clock, or one of the whole.
type Metric struct {
	Clock  measure.Clock // of "mean", "max", "min", "stddev" and "p"
	Figure string        // "p" for a percentile, or the figure's name as written
	// Percentile is that of Figure "p", above 0 and at most 100.
	Percentile float64
}

// Figures that every clock has, apart from its percentiles.
var clockFigures = []string{"mean", "max", "min", "stddev"}

// loadFigures are those of the load as a whole.
func loadFigures() []string {
	figures := []string{"errors"}
	for _, k := range (measure.Errors{}).ByKind() {
		figures = append(figures, "errors."+k.Kind)
	}
	return append(figures, "throughput", "sent", "completed", "shed", "in_flight", "cpu")
}

// String returns the metric's name; response is the clock that is not named.
func (m Metric) String() string {
	figure := m.Figure
	if figure == "p" {
		figure += decimal(m.Percentile)
	}
	if m.ofClock() && m.Clock != measure.Response {
		return m.Clock.String() + "." + figure
	}
	return figure
}

func (m Metric) ofClock() bool {
	return m.Figure == "p" || slices.Contains(clockFigures, m.Figure)
}

// kind says what a metric's figures are.
func (m Metric) kind() kind {
	switch {
	case m.ofClock(), m.Figure == "cpu":
		return duration
	case strings.HasPrefix(m.Figure, "errors"):
		return share
	case m.Figure == "throughput":
		return rate
	}
	return count
}

// metricNames are all that can be written, with some percentiles for the many.
func metricNames() []string {
	names := loadFigures()
	for clock := range measure.NumClocks {
		for _, figure := range append([]string{"p50", "p90", "p95", "p99", "p99.9", "p99.99"}, clockFigures...) {
			names = append(names, Metric{Clock: clock, Figure: figure}.String())
			names = append(names, clock.String()+"."+figure)
		}
	}
	return names
}

// metricOf reads a metric's name.
func metricOf(name string) (Metric, bool) {
	if slices.Contains(loadFigures(), name) {
		return Metric{Figure: name}, true
	}
	m := Metric{Clock: measure.Response}
	for clock := range measure.NumClocks {
		if figure, ok := strings.CutPrefix(name, clock.String()+"."); ok {
			m.Clock, name = clock, figure
			break
		}
	}
	if slices.Contains(clockFigures, name) {
		m.Figure = name
		return m, true
	}
	digits, ok := strings.CutPrefix(name, "p")
	m.Figure, m.Percentile = "p", numberOf(digits)
	return m, ok && m.Percentile > 0 && m.Percentile <= 100
}

// numberOf reads a decimal number without sign or exponent; NaN if it is none.
func numberOf(text string) float64 {
	whole, fraction, _ := strings.Cut(text, ".")
	tooLong := len(whole)+len(fraction) > maxDigits || len(fraction) > maxDecimals
	if tooLong || whole == "" || strings.HasSuffix(text, ".") || strings.Trim(whole+fraction, "0123456789") != "" {
		return math.NaN()
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return x
}
