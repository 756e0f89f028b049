//go:build linux

package rounds

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"dyno.example/dyno/stats"
)

// Confidence is that of all intervals.
const Confidence = 0.95

// Values gives a record's figures to those who summarise.
type Values struct {
	Record    *Record
	Disturbed bool   // count disturbed trials too
	First     string // names that begin so come first
}

// Of returns a figure's values by round; NaN where it was not measured, the
// trial failed, or it was disturbed.
func (v *Values) Of(tool, level, figure string) []float64 {
	found := make([]float64, v.Record.Settings.Rounds)
	for i := range found {
		found[i] = math.NaN()
	}
	for i := range v.Record.Trials {
		t := &v.Record.Trials[i]
		x, ok := t.Figures[figure]
		if ok && t.Tool == tool && t.Level == level && t.Failed == "" && (v.Disturbed || t.Disturbed == "") {
			found[t.Round] = x
		}
	}
	return found
}

// Median describes a figure; ok is false if it was never measured.
func (v *Values) Median(tool, level, figure string) (stats.Interval, bool) {
	known := slices.DeleteFunc(v.Of(tool, level, figure), math.IsNaN)
	return stats.Median(known, Confidence), len(known) > 0
}

// Ratio compares two tools in pairs of the same round. Where they took turns within a round
// it is the median of neighbouring turns' ratios that counts for it: when the machine changes
// its speed, one of them is off, not all.
func (v *Values) Ratio(of, against, level, figure string) stats.Interval {
	a, b := v.Of(of, level, figure), v.Of(against, level, figure)
	for round := range a {
		if math.IsNaN(a[round]) || math.IsNaN(b[round]) {
			continue
		}
		x, y := v.slices(round, of, level, figure), v.slices(round, against, level, figure)
		if len(x) == 0 || len(x) != len(y) {
			continue
		}
		ratios := make([]float64, len(x))
		for i := range x {
			ratios[i] = x[i] / y[i]
		}
		a[round], b[round] = stats.Median(ratios, Confidence).Estimate, 1
	}
	return stats.Ratio(a, b, Confidence)
}

// slices are a figure's values in each turn of a tool in a round; none if it took no turns.
func (v *Values) slices(round int, tool, level, figure string) []float64 {
	for i := range v.Record.Trials {
		if t := &v.Record.Trials[i]; t.Round == round && t.Tool == tool && t.Level == level {
			return t.Series[figure]
		}
	}
	return nil
}

// Best returns which of the tools has the lowest median.
func (v *Values) Best(tools []string, level, figure string) (tool string) {
	lowest := math.Inf(1)
	for _, name := range tools {
		if m, ok := v.Median(name, level, figure); ok && m.Estimate < lowest {
			tool, lowest = name, m.Estimate
		}
	}
	return tool
}

// Tools are those of the record, what is measured first.
func (v *Values) Tools() []string {
	return v.distinct(func(t *Trial) string { return t.Tool })
}

// Levels are those of the record, in their order.
func (v *Values) Levels() []string {
	return v.distinct(func(t *Trial) string { return t.Level })
}

func (v *Values) distinct(of func(*Trial) string) []string {
	var names []string
	for i := range v.Record.Trials {
		if name := of(&v.Record.Trials[i]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, v.compareNames)
	return names
}

// compareNames puts what is measured first, and numbers in names in their own order.
func (v *Values) compareNames(a, b string) int {
	if first := v.isFirst(a); first != v.isFirst(b) {
		if first {
			return -1
		}
		return 1
	}
	if d := leadingNumber(a) - leadingNumber(b); d != 0 {
		return int(math.Copysign(1, d))
	}
	return strings.Compare(a, b)
}

func (v *Values) isFirst(name string) bool { return v.First != "" && strings.HasPrefix(name, v.First) }

func leadingNumber(s string) float64 {
	s = strings.ReplaceAll(s, ",", "")
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(s)
	}
	n, _ := strconv.ParseFloat(s[:end], 64) // digits only
	return n
}
