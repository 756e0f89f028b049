package main

import (
	"fmt"
	"io"
	"strings"

	"dyno/lab/capacity"
)

// answer says in a sentence what was found.
func (c *capacityFound) answer() string {
	switch {
	case c.Result.Found():
		return fmt.Sprintf("the capacity is between %s and %s requests/s", number(c.Holds.Rate), number(c.Fails.Rate))
	case c.Limit != nil && c.Limit.Limited && c.Holds != nil:
		return fmt.Sprintf("the capacity is >= %s requests/s, limited by the generator", number(c.Holds.Rate))
	case c.Holds != nil:
		return fmt.Sprintf("the capacity is >= %s requests/s: %s", number(c.Holds.Rate), c.Why)
	case c.Fails != nil:
		return fmt.Sprintf("the capacity is below %s requests/s: %s", number(c.Fails.Rate), c.Why)
	}
	return "nothing is known of the capacity: " + c.Why
}

func writeCapacity(w io.Writer, c *capacityFound) {
	fmt.Fprintf(w, "\n  %-12s %s", "capacity", c.answer())
	if c.Result.Found() {
		fmt.Fprintf(w, ", %.1f %% apart", 100*c.Width)
	}
	fmt.Fprintln(w)
	if c.Result.Found() && !c.Reached {
		fmt.Fprintf(w, "  %-12s not as narrow or as sure as asked for: %s\n", "", c.Why)
	}
	if c.Limit != nil {
		fmt.Fprintf(w, "  %-12s %s/s: %s\n", "generator", number(c.Limit.Rate), c.Limit.Why)
	}
	for _, end := range []struct {
		name string
		load *capacity.Load
	}{{"holds", c.Holds}, {"fails", c.Fails}} {
		if end.load != nil {
			fmt.Fprintf(w, "  %-12s %s/s: %s\n", end.name, number(end.load.Rate), c.sureness(end.load))
		}
	}
	writeValidity(w, &c.Disturbed)
	for _, b := range c.Broke {
		fmt.Fprintf(w, "  %-12s %s\n", "broke", brokenText(&b))
	}
	for _, hint := range c.Hints {
		fmt.Fprintf(w, "  %-12s %s\n", "note", hint)
	}
	head, rows := c.table()
	writeColumns(w, head, rows)
}

// sureness counts the trials that a rate was judged by.
func (c *capacityFound) sureness(l *capacity.Load) string {
	full := c.Goal.Trial
	held, failed := l.Count(capacity.Holds, full), l.Count(capacity.Fails, full)
	text := fmt.Sprintf("%d of %d trials of %v held", held, held+failed, full)
	if l.Class == capacity.Upper {
		text = fmt.Sprintf("%d of %d trials of %v failed", failed, held+failed, full)
	}
	if short := l.Count(capacity.Holds, 0) + l.Count(capacity.Fails, 0) - held - failed; short > 0 {
		text += fmt.Sprintf(", besides %d shorter", short)
	}
	if spoiled := l.Count(capacity.Spoiled, 0); spoiled > 0 {
		text += fmt.Sprintf("; %d spoiled by the generator don't count", spoiled)
	}
	return text
}

func brokenText(b *capacity.Broken) string {
	text := fmt.Sprintf("%s fails in %d of %d failing trials", b.Condition, b.Failed, b.Of)
	if b.Unknown > 0 {
		text += fmt.Sprintf(" and can't be shown in %d", b.Unknown)
	}
	return text + " (" + strings.Join(b.Measured, ", ") + ")"
}

// table has a row for each rate.
func (c *capacityFound) table() (head []string, rows [][]string) {
	head = []string{"requests/s", "is", "held", "failed", "spoiled", "answered/s", "p50", "p99", "errors"}
	for i := range c.Loads {
		l := &c.Loads[i]
		row := []string{number(l.Rate), classText(l.Class)}
		for _, v := range []capacity.Verdict{capacity.Holds, capacity.Fails, capacity.Spoiled} {
			row = append(row, fmt.Sprint(l.Count(v, 0)))
		}
		if t := typical(l); t != nil {
			row = append(row, number(t.Throughput), duration(t.P50), atLeast(!t.AtLeast, duration(t.P99)), fmt.Sprint(t.Errors.Total()))
		} else {
			row = append(row, "-", "-", "-", "-")
		}
		rows = append(rows, row)
	}
	return head, rows
}

func classText(c capacity.Class) string {
	switch c {
	case capacity.Lower:
		return "holds"
	case capacity.Upper:
		return "fails"
	}
	return string(c)
}

// typical is the last trial at a rate that says something about the service; nil
// if none does.
func typical(l *capacity.Load) *capacity.Trial {
	for i := len(l.Trials) - 1; i >= 0; i-- {
		if l.Trials[i].Verdict != capacity.Spoiled {
			return &l.Trials[i]
		}
	}
	return nil
}

// page draws the response time and the throughput over the rate.
func (c *capacityFound) page() *curvePage {
	p := &curvePage{Title: "Capacity of " + c.Target, Question: "What is the highest rate at which " + c.Objective + "?", Answer: c.answer()}
	p.Facts = [][2]string{{"objective", c.Objective}, {"connections", fmt.Sprint(c.Connections)}, {"arrivals", string(c.Arrivals)}, {"seed", fmt.Sprint(c.Seed)}, {"took", c.Took.Round(1e8).String()}}
	p.Facts = append(p.Facts, validityLines(&c.Disturbed)...)
	for _, b := range c.Broke {
		p.Notes = append(p.Notes, brokenText(&b))
	}
	p.Notes = append(p.Notes, c.Hints...)
	held, failed := series{Name: "p99, holds", Class: "good"}, series{Name: "p99, fails", Class: "bad"}
	answered := series{Name: "answered", Class: "main", Line: true}
	for i := range c.Loads {
		l := &c.Loads[i]
		for j := range l.Trials {
			t := &l.Trials[j]
			at := [2]float64{l.Rate, t.P99 / 1e6}
			switch t.Verdict {
			case capacity.Holds:
				held.Points = append(held.Points, at)
			case capacity.Fails:
				failed.Points = append(failed.Points, at)
			}
		}
		if t := typical(l); t != nil {
			answered.Points = append(answered.Points, [2]float64{l.Rate, t.Throughput})
		}
	}
	p.Charts = []chart{
		{Title: "Response time of each trial", X: "requests/s offered", Y: "p99, ms", Series: []series{held, failed}},
		{Title: "Throughput", X: "requests/s offered", Y: "answers/s", Series: []series{answered}},
	}
	p.Head, p.Rows = c.table()
	return p
}

// writeColumns prints a table with its columns to the right.
func writeColumns(w io.Writer, head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	widths := make([]int, len(head))
	for _, row := range append([][]string{head}, rows...) {
		for i, text := range row {
			widths[i] = max(widths[i], len([]rune(text)))
		}
	}
	fmt.Fprintln(w)
	for _, row := range append([][]string{head}, rows...) {
		fmt.Fprint(w, " ")
		for i, text := range row {
			fmt.Fprintf(w, " %*s", widths[i]+1, text)
		}
		fmt.Fprintln(w)
	}
}
