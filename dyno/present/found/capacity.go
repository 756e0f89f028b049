package found

import (
	"fmt"
	"io"

	"dyno.example/dyno/capacity"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/present"
	"dyno.example/dyno/present/curve"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

// Sentence says in a sentence what was found.
func (c *Capacity) Sentence(t report.Texts) string {
	switch {
	case c.Result.Found():
		return t.Text("capacity.between", "low", present.Number(c.Holds.Rate), "high", present.Number(c.Fails.Rate))
	case c.Limit != nil && c.Limit.Limited && c.Holds != nil:
		return t.Text("capacity.limited", "rate", present.Number(c.Holds.Rate))
	case c.Holds != nil:
		return t.Text("capacity.least", "rate", present.Number(c.Holds.Rate), "why", t.Say(c.Why))
	case c.Fails != nil:
		return t.Text("capacity.below", "rate", present.Number(c.Fails.Rate), "why", t.Say(c.Why))
	}
	return t.Text("capacity.unknown", "why", t.Say(c.Why))
}

// Text prints what was found.
func (c *Capacity) Text(w io.Writer, t report.Texts) {
	sentence := c.Sentence(t)
	if c.Result.Found() {
		sentence += t.Text("capacity.apart", "width", fmt.Sprintf("%.1f", 100*c.Width))
	}
	fmt.Fprintln(w)
	labelled(w, t.Text("capacity.capacity"), sentence)
	if c.Result.Found() && !c.Reached {
		labelled(w, "", t.Text("capacity.short", "why", t.Say(c.Why)))
	}
	if c.Limit != nil {
		labelled(w, t.Text("capacity.generator"), present.Number(c.Limit.Rate)+"/s"+t.Text("list.colon")+t.Say(c.Limit.Why))
	}
	for _, end := range []struct {
		name string
		load *capacity.Load
	}{{t.Text("capacity.holds"), c.Holds}, {t.Text("capacity.fails"), c.Fails}} {
		if end.load != nil {
			labelled(w, end.name, present.Number(end.load.Rate)+"/s"+t.Text("list.colon")+c.sureness(t, end.load))
		}
	}
	writeValidity(w, t, &c.Disturbed)
	for _, b := range c.Broke {
		labelled(w, t.Text("capacity.broke"), brokenText(t, &b))
	}
	for _, hint := range c.Hints {
		labelled(w, t.Text("capacity.note"), t.Say(hint))
	}
	head, rows := c.table(t)
	present.Columns(w, head, rows)
}

// sureness counts the trials that a rate was judged by.
func (c *Capacity) sureness(t report.Texts, l *capacity.Load) string {
	full := c.Goal.Trial
	held, failed := l.Count(capacity.Holds, full), l.Count(capacity.Fails, full)
	text := t.Text("capacity.held", "n", held, "of", held+failed, "length", full)
	if l.Class == capacity.Upper {
		text = t.Text("capacity.failed", "n", failed, "of", held+failed, "length", full)
	}
	if short := l.Count(capacity.Holds, 0) + l.Count(capacity.Fails, 0) - held - failed; short > 0 {
		text += t.Text("capacity.shorter", "n", short)
	}
	if spoiled := l.Count(capacity.Spoiled, 0); spoiled > 0 {
		text += t.Text("capacity.spoiled", "n", spoiled)
	}
	return text
}

func brokenText(t report.Texts, b *capacity.Broken) string {
	text := t.Text("capacity.broken", "condition", b.Condition, "n", b.Failed, "of", b.Of)
	if b.Unknown > 0 {
		text += t.Text("capacity.open", "n", b.Unknown)
	}
	return text + t.Text("capacity.measured", "values", t.Say(i18n.Enumerate(b.Measured...)))
}

// table has a row for each rate.
func (c *Capacity) table(t report.Texts) (head []string, rows [][]string) {
	head = heads(t, "requests/s", "is", "held", "failed", "spoiled", "answered/s", "p50", "p99", "errors")
	for i := range c.Loads {
		l := &c.Loads[i]
		row := []string{present.Number(l.Rate), classText(t, l.Class)}
		for _, v := range []capacity.Decision{capacity.Holds, capacity.Fails, capacity.Spoiled} {
			row = append(row, fmt.Sprint(l.Count(v, 0)))
		}
		if of := typical(l); of != nil {
			row = append(row, present.Number(of.Throughput), lasted(of.P50, false), lasted(of.P99, of.AtLeast), fmt.Sprint(of.Errors.Total()))
		} else {
			row = append(row, "-", "-", "-", "-")
		}
		rows = append(rows, row)
	}
	return head, rows
}

// lasted writes a time that may not exist.
func lasted(ns capacity.Figure, atLeast bool) string {
	if !ns.Exists() {
		return present.NoFigure
	}
	return present.AtLeast(!atLeast, present.Duration(float64(ns)))
}

func classText(t report.Texts, c capacity.Class) string {
	switch c {
	case capacity.Lower:
		return t.Text("capacity.holds")
	case capacity.Upper:
		return t.Text("capacity.fails")
	}
	return t.Text("capacity.class." + string(c))
}

// typical is the last trial at a rate that says something about the service; nil
// if none does.
func typical(l *capacity.Load) *capacity.Trial {
	for i := len(l.Trials) - 1; i >= 0; i-- {
		if l.Trials[i].Decision != capacity.Spoiled {
			return &l.Trials[i]
		}
	}
	return nil
}

// Page draws the response time and the throughput over the rate.
func (c *Capacity) Page(t report.Texts) *curve.Page {
	p := newPage(t, "capacity", c.Target, c.Objective, c.Sentence(t))
	p.Facts = [][2]string{
		{t.Text("found.fact.objective"), c.Objective}, {t.Text("found.fact.connections"), fmt.Sprint(c.Connections)}, {t.Text("found.fact.arrivals"), string(c.Arrivals)},
		{t.Text("found.fact.seed"), fmt.Sprint(c.Seed)}, {t.Text("found.fact.took"), c.Took.Round(1e8).String()},
	}
	p.Facts = append(p.Facts, validityLines(t, &c.Disturbed)...)
	for _, b := range c.Broke {
		p.Notes = append(p.Notes, brokenText(t, &b))
	}
	for _, hint := range c.Hints {
		p.Notes = append(p.Notes, t.Say(hint))
	}
	held, failed := curve.Series{Name: t.Text("found.series.held"), Class: "good"}, curve.Series{Name: t.Text("found.series.failed"), Class: "bad"}
	responses := curve.Series{Name: t.Text("found.series.answered"), Class: "main", Line: true}
	for i := range c.Loads {
		l := &c.Loads[i]
		for j := range l.Trials {
			of := &l.Trials[j]
			if !of.P99.Exists() {
				continue
			}
			at := [2]float64{l.Rate, float64(of.P99) / 1e6}
			switch of.Decision {
			case capacity.Holds:
				held.Points = append(held.Points, at)
			case capacity.Fails:
				failed.Points = append(failed.Points, at)
			}
		}
		if of := typical(l); of != nil {
			responses.Points = append(responses.Points, [2]float64{l.Rate, of.Throughput})
		}
	}
	p.Charts = []curve.Chart{
		{Title: t.Text("found.chart.trials"), X: t.Text("found.axis.offered"), Y: t.Text("found.axis.p99"), Series: []curve.Series{held, failed}},
		{Title: t.Text("found.chart.throughput"), X: t.Text("found.axis.offered"), Y: t.Text("found.axis.responses"), Series: []curve.Series{responses}},
	}
	p.Head, p.Rows = c.table(t)
	return p
}

// Capacity is what dyno capacity --json prints. Fields are added over time,
// never renamed.
type Capacity struct {
	Target      string           `json:"target"`
	Objective   string           `json:"objective"`
	Found       bool             `json:"found"`
	Connections int              `json:"connections"`
	Arrivals    profile.Arrivals `json:"arrivals"`
	Seed        uint64           `json:"seed"`
	Goal        capacity.Goal    `json:"goal"`
	*capacity.Result
	Calibration *measure.Calibration `json:"calibration,omitempty"`
}

// nearShare of the generator's ceiling is where its own work is no longer small
// against the service's.
const nearShare = 0.5

// NearCeiling notes a capacity that comes near what the generator can do.
func (c *Capacity) NearCeiling() {
	if c.Calibration == nil || c.Fails == nil || c.Fails.Rate < nearShare*c.Calibration.Ceiling {
		return
	}
	c.Hints = append(c.Hints, i18n.New("found.near-generator-limit", "%s requests/s are %.0f %% of what this generator reached against a server that costs nothing: part of the limit may be the generator, or the CPUs it shares with the service",
		present.Number(c.Fails.Rate), 100*c.Fails.Rate/c.Calibration.Ceiling))
}

// progressColumns is how much of a reason is printed while trials go on; the
// result has all of it.
const progressColumns = 110

// WriteTrial prints a line for the last trial at a rate.
func WriteTrial(w io.Writer, l *capacity.Load, say i18n.Say) {
	t := &l.Trials[len(l.Trials)-1]
	text := t.Measured
	if t.Decision == capacity.Spoiled || text.IsZero() {
		text = t.Why
	}
	fmt.Fprintf(w, "  %10s/s  %-6v %-8s %s\n", present.Number(l.Rate), t.Length, t.Decision, present.Cut(say(text), progressColumns))
}
