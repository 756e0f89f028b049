package found

import (
	"fmt"
	"io"
	"strings"

	"dyno/lab/capacity"
	"dyno/lab/load"
	"dyno/lab/present"
	"dyno/lab/present/curve"
)

// Answer says in a sentence what was found.
func (c *Capacity) Answer() string {
	switch {
	case c.Result.Found():
		return fmt.Sprintf("the capacity is between %s and %s requests/s", present.Number(c.Holds.Rate), present.Number(c.Fails.Rate))
	case c.Limit != nil && c.Limit.Limited && c.Holds != nil:
		return fmt.Sprintf("the capacity is >= %s requests/s, limited by the generator", present.Number(c.Holds.Rate))
	case c.Holds != nil:
		return fmt.Sprintf("the capacity is >= %s requests/s: %s", present.Number(c.Holds.Rate), c.Why)
	case c.Fails != nil:
		return fmt.Sprintf("the capacity is below %s requests/s: %s", present.Number(c.Fails.Rate), c.Why)
	}
	return "nothing is known of the capacity: " + c.Why
}

// Text prints what was found.
func (c *Capacity) Text(w io.Writer) {
	fmt.Fprintf(w, "\n  %-12s %s", "capacity", c.Answer())
	if c.Result.Found() {
		fmt.Fprintf(w, ", %.1f %% apart", 100*c.Width)
	}
	fmt.Fprintln(w)
	if c.Result.Found() && !c.Reached {
		fmt.Fprintf(w, "  %-12s not as narrow or as sure as asked for: %s\n", "", c.Why)
	}
	if c.Limit != nil {
		fmt.Fprintf(w, "  %-12s %s/s: %s\n", "generator", present.Number(c.Limit.Rate), c.Limit.Why)
	}
	for _, end := range []struct {
		name string
		load *capacity.Load
	}{{"holds", c.Holds}, {"fails", c.Fails}} {
		if end.load != nil {
			fmt.Fprintf(w, "  %-12s %s/s: %s\n", end.name, present.Number(end.load.Rate), c.sureness(end.load))
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
	present.Columns(w, head, rows)
}

// sureness counts the trials that a rate was judged by.
func (c *Capacity) sureness(l *capacity.Load) string {
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
func (c *Capacity) table() (head []string, rows [][]string) {
	head = []string{"requests/s", "is", "held", "failed", "spoiled", "answered/s", "p50", "p99", "errors"}
	for i := range c.Loads {
		l := &c.Loads[i]
		row := []string{present.Number(l.Rate), classText(l.Class)}
		for _, v := range []capacity.Verdict{capacity.Holds, capacity.Fails, capacity.Spoiled} {
			row = append(row, fmt.Sprint(l.Count(v, 0)))
		}
		if t := typical(l); t != nil {
			row = append(row, present.Number(t.Throughput), present.Duration(t.P50), present.AtLeast(!t.AtLeast, present.Duration(t.P99)), fmt.Sprint(t.Errors.Total()))
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

// Page draws the response time and the throughput over the rate.
func (c *Capacity) Page() *curve.Page {
	p := &curve.Page{Title: "Capacity of " + c.Target, Question: "What is the highest rate at which " + c.Objective + "?", Answer: c.Answer()}
	p.Facts = [][2]string{{"objective", c.Objective}, {"connections", fmt.Sprint(c.Connections)}, {"arrivals", string(c.Arrivals)}, {"seed", fmt.Sprint(c.Seed)}, {"took", c.Took.Round(1e8).String()}}
	p.Facts = append(p.Facts, validityLines(&c.Disturbed)...)
	for _, b := range c.Broke {
		p.Notes = append(p.Notes, brokenText(&b))
	}
	p.Notes = append(p.Notes, c.Hints...)
	held, failed := curve.Series{Name: "p99, holds", Class: "good"}, curve.Series{Name: "p99, fails", Class: "bad"}
	answered := curve.Series{Name: "answered", Class: "main", Line: true}
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
	p.Charts = []curve.Chart{
		{Title: "Response time of each trial", X: "requests/s offered", Y: "p99, ms", Series: []curve.Series{held, failed}},
		{Title: "Throughput", X: "requests/s offered", Y: "answers/s", Series: []curve.Series{answered}},
	}
	p.Head, p.Rows = c.table()
	return p
}

// Capacity is what dyno capacity --json prints. Fields are added over time,
// never renamed.
type Capacity struct {
	Target      string        `json:"target"`
	Objective   string        `json:"objective"`
	Found       bool          `json:"found"`
	Connections int           `json:"connections"`
	Arrivals    load.Arrivals `json:"arrivals"`
	Seed        uint64        `json:"seed"`
	Goal        capacity.Goal `json:"goal"`
	*capacity.Result
	Calibration *load.Calibration `json:"calibration,omitempty"`
}

// nearShare of the generator's ceiling is where its own work is no longer small
// against the service's.
const nearShare = 0.5

// NearCeiling notes a capacity that comes near what the generator can do.
func (c *Capacity) NearCeiling() {
	if c.Calibration == nil || c.Fails == nil || c.Fails.Rate < nearShare*c.Calibration.Ceiling {
		return
	}
	c.Hints = append(c.Hints, fmt.Sprintf("%s requests/s are %.0f %% of what this generator reached against a server that costs nothing: part of the limit may be the generator, or the CPUs it shares with the service",
		present.Number(c.Fails.Rate), 100*c.Fails.Rate/c.Calibration.Ceiling))
}

// progressColumns is how much of a reason is printed while trials go on; the
// result has all of it.
const progressColumns = 110

// WriteTrial prints a line for the last trial at a rate.
func WriteTrial(w io.Writer, l *capacity.Load) {
	t := &l.Trials[len(l.Trials)-1]
	text := t.Measured
	if t.Verdict == capacity.Spoiled || text == "" {
		text = t.Why
	}
	fmt.Fprintf(w, "  %10s/s  %-6v %-8s %s\n", present.Number(l.Rate), t.Length, t.Verdict, present.Cut(text, progressColumns))
}
