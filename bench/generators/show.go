//go:build linux

package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"dyno/lab/stats"
)

const confidence = 0.95

// presentation says how a campaign's record is summarised.
type presentation struct {
	Columns     []column
	Comparisons []comparison
	Derive      func(r *record)              // adds figures that come from several trials
	More        func(w io.Writer, v *values) // after the tables
}

// column is a figure whose median is shown.
type column struct {
	Figure, Title string
	Digits        int // significant
}

// comparison is dyno's figure as a multiple of the best peer's.
type comparison struct {
	Figure  string
	Against []string
	Wanted  float64 // the ratio that is aimed at
}

// values gives a record's figures to those who summarise.
type values struct {
	record    *record
	disturbed bool // count disturbed trials too
}

// of returns a figure's values by round; NaN where it was not measured, the
// trial failed, or it was disturbed.
func (v *values) of(tool, level, figure string) []float64 {
	found := make([]float64, v.record.Settings.Rounds)
	for i := range found {
		found[i] = math.NaN()
	}
	for i := range v.record.Trials {
		t := &v.record.Trials[i]
		x, ok := t.Figures[figure]
		if ok && t.Tool == tool && t.Level == level && t.Failed == "" && (v.disturbed || t.Disturbed == "") {
			found[t.Round] = x
		}
	}
	return found
}

// median describes a figure; ok is false if it was never measured.
func (v *values) median(tool, level, figure string) (stats.Interval, bool) {
	known := slices.DeleteFunc(v.of(tool, level, figure), math.IsNaN)
	return stats.Median(known, confidence), len(known) > 0
}

// best returns which of the tools has the lowest median.
func (v *values) best(tools []string, level, figure string) (tool string) {
	lowest := math.Inf(1)
	for _, name := range tools {
		if m, ok := v.median(name, level, figure); ok && m.Estimate < lowest {
			tool, lowest = name, m.Estimate
		}
	}
	return tool
}

// tools are those of the record, dyno first.
func (v *values) tools() []string {
	return v.distinct(func(t *trial) string { return t.Tool })
}

// levels are those of the record, in their order.
func (v *values) levels() []string {
	return v.distinct(func(t *trial) string { return t.Level })
}

func (v *values) distinct(of func(*trial) string) []string {
	var names []string
	for i := range v.record.Trials {
		if name := of(&v.record.Trials[i]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, compareNames)
	return names
}

// compareNames puts dyno first, and numbers in names in their own order.
func compareNames(a, b string) int {
	if first := strings.HasPrefix(a, "dyno"); first != strings.HasPrefix(b, "dyno") {
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

func leadingNumber(s string) float64 {
	s = strings.ReplaceAll(s, ",", "")
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(s)
	}
	return number(s[:end])
}

// show writes a record's summary as Markdown.
func show(w io.Writer, r *record, disturbed bool) error {
	known := slices.IndexFunc(campaigns(), func(c campaign) bool { return c.Name == r.What })
	if known < 0 {
		return fmt.Errorf("%s is a record of %q, which this program does not know", r.path, r.What)
	}
	c := campaigns()[known]
	if c.Show.Derive != nil {
		c.Show.Derive(r)
	}
	v := &values{record: r, disturbed: disturbed}
	fmt.Fprintf(w, "\n## %s\n\n%s\n\n", c.Name, c.Question)
	v.conditions(w)
	for _, level := range v.levels() {
		v.table(w, level, c.Show.Columns)
	}
	v.comparisons(w, c.Show.Comparisons)
	if c.Show.More != nil {
		c.Show.More(w, v)
	}
	return nil
}

// conditions says what the figures rest on.
func (v *values) conditions(w io.Writer) {
	r := v.record
	fmt.Fprintf(w, "%s, %s, %d CPUs; %d rounds of %d s, %d connections; begun %s.\n",
		r.Machine.CPUModel, r.Machine.Kernel, r.Machine.CPUs, r.Settings.Rounds, r.Settings.Seconds, r.Settings.Connections, r.Started.UTC().Format("2006-01-02 15:04 UTC"))
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
	if v.disturbed {
		counted = "counted"
	}
	fmt.Fprintf(w, "%d trials, %d failed, %d disturbed by other work and %s. Medians with 95 %% intervals.\n", len(r.Trials), failed, disturbed, counted)
	for _, why := range r.LeftOut {
		fmt.Fprintf(w, "Left out: %s.\n", why)
	}
}

// table shows the medians of one level.
func (v *values) table(w io.Writer, level string, columns []column) {
	shown := slices.DeleteFunc(slices.Clone(columns), func(c column) bool {
		return !slices.ContainsFunc(v.tools(), func(tool string) bool { _, ok := v.median(tool, level, c.Figure); return ok })
	})
	fmt.Fprintf(w, "\n| %s | n |", level)
	for _, c := range shown {
		fmt.Fprintf(w, " %s |", c.Title)
	}
	fmt.Fprintf(w, "\n|---|---|%s\n", strings.Repeat("---|", len(shown)))
	for _, tool := range v.tools() {
		if row, n := v.row(tool, level, shown); n > 0 {
			fmt.Fprintf(w, "| %s | %d |%s\n", tool, n, row)
		}
	}
}

func (v *values) row(tool, level string, columns []column) (row string, n int) {
	for _, c := range columns {
		m, ok := v.median(tool, level, c.Figure)
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
	s := significant(m.Estimate, digits)
	if m.N > 1 {
		s += fmt.Sprintf(" (%s–%s)", significant(m.Low, digits), significant(m.High, digits))
	}
	return s
}

// significant rounds to so many digits, without an exponent.
func significant(x float64, digits int) string {
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
func (v *values) comparisons(w io.Writer, all []comparison) {
	for _, c := range all {
		for _, level := range v.levels() {
			against := v.best(c.Against, level, c.Figure)
			if against == "" {
				continue
			}
			for _, tool := range v.tools() {
				if strings.HasPrefix(tool, "dyno") {
					v.compare(w, c, tool, against, level)
				}
			}
		}
	}
}

func (v *values) compare(w io.Writer, c comparison, tool, against, level string) {
	ratio := stats.Ratio(v.of(tool, level, c.Figure), v.of(against, level, c.Figure), confidence)
	if ratio.N == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s: **%s / %s = %.3f** (%.3f–%.3f, %d pairs)", strings.TrimSpace(c.Figure+" "+level), tool, against, ratio.Estimate, ratio.Low, ratio.High, ratio.N)
	if ratio.Note != "" {
		fmt.Fprintf(w, " [%s]", ratio.Note)
	}
	if c.Wanted > 0 {
		fmt.Fprintf(w, "; wanted ≤ %.2f: %s", c.Wanted, judged(ratio, c.Wanted))
	}
	fmt.Fprintln(w)
}

// judged says whether a ratio is as low as wanted.
func judged(ratio stats.Interval, wanted float64) string {
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

func showFile(o *options) error {
	r, err := readRecord(o.show)
	if err != nil {
		return err
	}
	return show(os.Stdout, r, o.disturbed)
}
