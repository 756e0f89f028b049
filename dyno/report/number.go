package report

import (
	"math"
	"strconv"
	"strings"

	"dyno.example/dyno/stats"
)

// digits is how many significant digits a figure gets unless its interval is
// so narrow that both ends would look the same.
const (
	digits    = 3
	maxDigits = 5
)

// scale is a unit to write a figure in: the figure divided by by, then suffix.
type scale struct {
	by     float64
	suffix string
}

// scales lists, for each unit of an analysis, what its figures are written in,
// from the smallest up. assets/format.js holds the same list for the charts.
var scales = map[string][]scale{
	"µs":     {{1, "µs"}, {1e3, "ms"}, {1e6, "s"}},
	"µs/req": {{1, "µs"}, {1e3, "ms"}, {1e6, "s"}},
	"req/s":  {{1, "req/s"}, {1e3, "k req/s"}, {1e6, "M req/s"}},
	"bytes":  {{1, "B"}, {1 << 10, "KiB"}, {1 << 20, "MiB"}, {1 << 30, "GiB"}},
	"×":      {{1, "×"}},
	"%":      {{1, "%"}},
	// Counts, whose heads say of what.
	"threads":      {{1, ""}},
	"files":        {{1, ""}},
	"switches/req": {{1, ""}},
}

// counted are the units of counts, whose whole figures have no decimals.
var counted = map[string]bool{"threads": true, "files": true}

// countOrNumber is number for a figure in a unit, divided by the scale's.
func countOrNumber(unit string, x float64, n int) string {
	if counted[unit] && x == math.Trunc(x) && math.Abs(x) < 1e9 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return number(x, n)
}

// scaleFor picks the scale for x, after rounding it: 999.7 µs are 1.00 ms.
func scaleFor(unit string, x float64) scale {
	steps, ok := scales[unit]
	if !ok {
		return scale{1, unit}
	}
	x = math.Abs(round(x, digits))
	best := steps[0]
	for _, s := range steps[1:] {
		if x >= s.by {
			best = s
		}
	}
	return best
}

// round rounds x to n significant digits.
func round(x float64, n int) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	r, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', n-1, 64), 64)
	return r
}

// mostZeros is how many zeros a figure may begin or end with; an interval of two blocks can be
// wider than anybody counts.
const mostZeros = 9

// number writes x with n significant digits, and with an exponent only beyond [mostZeros].
func number(x float64, n int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	x = round(x, n)
	if x == 0 {
		return "0"
	}
	exponent := int(math.Floor(math.Log10(math.Abs(x))))
	if exponent < -mostZeros || exponent > mostZeros {
		return strconv.FormatFloat(x, 'e', n-1, 64)
	}
	decimals := n - 1 - exponent
	return strconv.FormatFloat(x, 'f', max(decimals, 0), 64)
}

// quantity writes x with its unit: 8.50 µs, 81.2k req/s, 14.0 MiB.
func quantity(unit string, x float64) string {
	s := scaleFor(unit, x)
	return join(countOrNumber(unit, x/s.by, digits), s.suffix)
}

// gap is the space between figure and unit: one that doesn't break.
const gap = "\u00a0"

// join puts a figure and its unit together: k, M and × sit at the figure, other
// units a space away.
func join(figure, suffix string) string {
	if prefix, rest, ok := strings.Cut(suffix, " "); ok {
		return figure + prefix + gap + rest
	}
	if suffix == "×" {
		return figure + suffix
	}
	if suffix == "" {
		return figure
	}
	return figure + gap + suffix
}

// spread is an interval in words of figures.
type spread struct {
	Estimate string // with unit
	Low      string // in the unit of Estimate, without it
	High     string
}

// Range is "8.10–8.90", or empty when there is no spread to show.
func (s spread) Range() string {
	if s.Low == "" {
		return ""
	}
	return s.Low + "–" + s.High
}

// writeInterval writes an interval in the scale of its estimate, with enough
// digits that a narrow interval doesn't look like a point.
func writeInterval(unit string, iv stats.Interval) spread {
	s := scaleFor(unit, iv.Estimate)
	n := digits
	for n < maxDigits && iv.Low != iv.High && number(iv.Low/s.by, n) == number(iv.High/s.by, n) {
		n++
	}
	out := spread{Estimate: join(countOrNumber(unit, iv.Estimate/s.by, n), s.suffix)}
	if iv.N > 1 {
		out.Low, out.High = countOrNumber(unit, iv.Low/s.by, n), countOrNumber(unit, iv.High/s.by, n)
	}
	return out
}

// level writes a confidence level: "95 %", or empty if there is none.
func level(iv stats.Interval) string {
	if iv.Level <= 0 {
		return ""
	}
	return strconv.FormatFloat(math.Round(iv.Level*1000)/10, 'f', -1, 64) + gap + "%"
}
