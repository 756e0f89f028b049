//go:build linux

package rounds

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"dyno.example/dyno/stats"
)

// Summary says how a campaign's record is summarised.
type Summary struct {
	Name, Question string
	First          string // names that begin so are what is measured, and come first
	Columns        []Column
	Comparisons    []Comparison
	Derive         func(r *Record)              // adds figures that come from several trials
	More           func(w io.Writer, v *Values) // after the tables
}

// Column is a figure whose median is shown.
type Column struct {
	Figure, Title string
	Digits        int // significant
}

// Shown is a column of so many significant digits.
func Shown(figure, title string, digits int) Column {
	return Column{Figure: figure, Title: title, Digits: digits}
}

// Comparison is the figure of what is measured as a multiple of the best peer's.
type Comparison struct {
	Figure  string
	Of      string // what is measured; empty: everything that comes first
	Against []string
	Wanted  float64  // the ratio that is aimed at; 0 for none
	Levels  []string // the only ones at which it is shown; nil for all
}

// Show writes a record's summary as Markdown. Disturbed trials count if asked for.
func (s *Summary) Show(w io.Writer, r *Record, disturbed bool) {
	if s.Derive != nil {
		s.Derive(r)
	}
	v := &Values{Record: r, Disturbed: disturbed, First: s.First}
	fmt.Fprintf(w, "\n## %s\n\n%s\n\n", s.Name, s.Question)
	v.conditions(w)
	for _, level := range v.Levels() {
		v.table(w, level, s.Columns)
	}
	v.comparisons(w, s.Comparisons)
	if s.More != nil {
		s.More(w, v)
	}
}

// conditions says what the figures rest on.
func (v *Values) conditions(w io.Writer) {
	r := v.Record
	turns := ""
	if r.Settings.SliceMS > 0 {
		turns = fmt.Sprintf(" in turns of %d ms", r.Settings.SliceMS)
	}
	fmt.Fprintf(w, "%s, %s, %d CPUs; %d rounds of %d s%s, %d connections; begun %s at a load average of %.2f.\n",
		r.Machine.CPUModel, r.Machine.Kernel, r.Machine.CPUs, r.Settings.Rounds, r.Settings.Seconds, turns, r.Settings.Connections,
		r.Started.UTC().Format("2006-01-02 15:04 UTC"), r.Machine.Load1)
	if r.Capacity > 0 {
		fmt.Fprintf(w, "Capacity, by dyno's closed loop: %.0f requests/s.\n", r.Capacity)
	}
	disturbed, failed := 0, 0
	for i := range r.Trials {
		if r.Trials[i].Disturbed != "" {
			disturbed++
		}
		if r.Trials[i].Failed != "" {
			failed++
			fmt.Fprintf(w, "Failed: %s %s in round %d: %s\n", r.Trials[i].Tool, r.Trials[i].Level, r.Trials[i].Round+1, r.Trials[i].Failed)
		}
	}
	counted := "left out"
	if v.Disturbed {
		counted = "counted"
	}
	fmt.Fprintf(w, "%d trials, %d failed, %d disturbed by other work and %s. Medians with 95 %% intervals.\n", len(r.Trials), failed, disturbed, counted)
	for _, why := range r.LeftOut {
		fmt.Fprintf(w, "Left out: %s.\n", why)
	}
}

// table shows the medians of one level.
func (v *Values) table(w io.Writer, level string, columns []Column) {
	shown := slices.DeleteFunc(slices.Clone(columns), func(c Column) bool {
		return !slices.ContainsFunc(v.Tools(), func(tool string) bool { _, ok := v.Median(tool, level, c.Figure); return ok })
	})
	fmt.Fprintf(w, "\n| %s | n |", level)
	for _, c := range shown {
		fmt.Fprintf(w, " %s |", c.Title)
	}
	fmt.Fprintf(w, "\n|---|---|%s\n", strings.Repeat("---|", len(shown)))
	for _, tool := range v.Tools() {
		if row, n := v.row(tool, level, shown); n > 0 {
			fmt.Fprintf(w, "| %s | %d |%s\n", tool, n, row)
		}
	}
}

func (v *Values) row(tool, level string, columns []Column) (row string, n int) {
	for _, c := range columns {
		m, ok := v.Median(tool, level, c.Figure)
		if !ok {
			row += " |"
			continue
		}
		n = max(n, m.N)
		row += " " + written(m, c.Digits) + " |"
	}
	return row, n
}

// written shows an estimate with its interval, if it has one.
func written(m stats.Interval, digits int) string {
	s := Significant(m.Estimate, digits)
	if m.N > 1 {
		s += fmt.Sprintf(" (%s–%s)", Significant(m.Low, digits), Significant(m.High, digits))
	}
	return s
}

// Significant rounds to so many digits, without an exponent.
func Significant(x float64, digits int) string {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	decimals := digits - 1 - int(math.Floor(math.Log10(math.Abs(x))))
	if decimals < 0 {
		scale := math.Pow(10, float64(-decimals))
		return strconv.FormatFloat(math.Round(x/scale)*scale, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// comparisons shows dyno against the best peer, in pairs of the same round.
func (v *Values) comparisons(w io.Writer, all []Comparison) {
	for _, c := range all {
		for _, level := range v.Levels() {
			against := v.Best(c.Against, level, c.Figure)
			if against == "" || c.Levels != nil && !slices.Contains(c.Levels, level) {
				continue
			}
			for _, tool := range v.Tools() {
				if c.Of == tool || c.Of == "" && v.isFirst(tool) {
					v.compare(w, c, tool, against, level)
				}
			}
		}
	}
}

func (v *Values) compare(w io.Writer, c Comparison, tool, against, level string) {
	ratio := v.Ratio(tool, against, level, c.Figure)
	ShowRatio(w, strings.TrimSpace(c.Figure+" "+level), tool+" / "+against, ratio, c.Wanted)
}

// ShowRatio writes a ratio with its interval, and whether it is as low as wanted
// (0: nothing is). Without a pair it writes nothing.
func ShowRatio(w io.Writer, what, of string, ratio stats.Interval, wanted float64) {
	if ratio.N == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s: **%s = %.3f** (%.3f–%.3f, %d pairs)", what, of, ratio.Estimate, ratio.Low, ratio.High, ratio.N)
	if !ratio.Note.IsZero() {
		fmt.Fprintf(w, " [%s]", ratio.Note)
	}
	if wanted > 0 {
		fmt.Fprintf(w, "; wanted ≤ %.2f: %s", wanted, Judged(ratio, wanted))
	}
	fmt.Fprintln(w)
}

// Judged says whether a ratio, or a difference, is as low as wanted.
func Judged(ratio stats.Interval, wanted float64) string {
	switch {
	case ratio.N < 2:
		return "one pair says nothing"
	case ratio.High <= wanted:
		return "reached"
	case ratio.Low > wanted:
		return "missed"
	}
	return "the interval holds both"
}
