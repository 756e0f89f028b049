package report

import (
	"math"
	"strings"
	"testing"

	"dyno.example/dyno/stats"
)

func TestQuantity(t *testing.T) {
	for _, tc := range []struct {
		unit string
		x    float64
		want string
	}{
		{"µs", 0, "0 µs"},
		{"µs", 0.0421, "0.0421 µs"},
		{"µs", 8.5, "8.50 µs"},
		{"µs", 999.4, "999 µs"},
		{"µs", 999.7, "1.00 ms"},
		{"µs", 41_200, "41.2 ms"},
		{"µs", 1.5e6, "1.50 s"},
		{"µs/req", 12.34, "12.3 µs"},
		{"req/s", 812, "812 req/s"},
		{"req/s", 81_249, "81.2k req/s"},
		{"req/s", 1.2e6, "1.20M req/s"},
		{"bytes", 14 << 20, "14.0 MiB"},
		{"bytes", 24 << 30, "24.0 GiB"},
		{"bytes", 0, "0 B"},
		{"×", 0.5591, "0.559×"},
		{"%", 3.14159, "3.14 %"},
		{"widgets", 4, "4.00 widgets"},
		{"threads", 87, "87"},
		{"files", 1204, "1204"},
		{"threads", 4.5, "4.50"},
		{"switches/req", 0.0312, "0.0312"},
		{"µs", math.NaN(), "– µs"},
		{"µs", math.Inf(1), "– s"},
	} {
		if got := plainSpaces(quantity(tc.unit, tc.x)); got != tc.want {
			t.Errorf("quantity(%q, %v) = %q, want %q", tc.unit, tc.x, got, tc.want)
		}
	}
}

func TestWriteInterval(t *testing.T) {
	for _, tc := range []struct {
		name, unit string
		iv         stats.Interval
		want       string
	}{
		{"plain", "µs/req", stats.Interval{N: 6, Estimate: 8.5, Low: 8.1, High: 8.9}, "8.50 µs 8.10–8.90"},
		{"one unit for all three", "µs", stats.Interval{N: 6, Estimate: 1002, Low: 990, High: 1100}, "1.00 ms 0.990–1.10"},
		{"more digits when narrow", "req/s", stats.Interval{N: 6, Estimate: 81_234, Low: 81_210, High: 81_240}, "81.23k req/s 81.21–81.24"},
		{"not endlessly many", "µs", stats.Interval{N: 6, Estimate: 1, Low: 0.9999999, High: 1.0000001}, "1.0000 µs 1.0000–1.0000"},
		{"no spread", "µs", stats.Interval{N: 6, Estimate: 5, Low: 5, High: 5}, "5.00 µs 5.00–5.00"},
		{"one trial", "µs", stats.Interval{N: 1, Estimate: 5, Low: 5, High: 5}, "5.00 µs "},
	} {
		s := writeInterval(tc.unit, tc.iv)
		if got := plainSpaces(s.Estimate + " " + s.Range()); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestLevel(t *testing.T) {
	for want, level95 := range map[string]float64{"95 %": 0.95, "93.8 %": 0.9375, "": 0} {
		if got := strings.ReplaceAll(level(stats.Interval{Level: level95}), gap, " "); got != want {
			t.Errorf("level(%v) = %q, want %q", level95, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	all := languages(t)
	for want, list := range map[string][]int{
		"": {}, "4": {4}, "1, 2": {1, 2}, "1–3": {1, 2, 3}, "0, 2–5, 9": {0, 2, 3, 4, 5, 9},
	} {
		if got := all["en"].numbers(list); got != want {
			t.Errorf("numbers(%v) = %q, want %q", list, got, want)
		}
		if got, want := all["zh"].numbers(list), strings.ReplaceAll(want, ", ", "、"); got != want {
			t.Errorf("in Chinese numbers(%v) = %q, want %q", list, got, want)
		}
	}
}

// Two blocks can leave an interval that nobody counts: it has exponents then, not 27 zeros.
func TestFiguresBeyondCounting(t *testing.T) {
	for want, x := range map[string]float64{
		"4.37e-27": 4.37e-27, "6.01e+26": 6.01e26, "-6.01e+26": -6.01e26,
		"0.0000000123": 1.23e-8, "1230000000": 1.23e9, "1.62": 1.62, "0": 0,
	} {
		if got := number(x, 3); got != want {
			t.Errorf("number(%g) = %q, want %q", x, got, want)
		}
	}
}
