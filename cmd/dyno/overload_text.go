package main

import (
	"fmt"
	"io"
	"strings"

	"dyno/lab/capacity"
)

// recovery says in a sentence whether and when the service was itself again.
func (o *overloadFound) recovery() string {
	switch {
	case !o.Recovered:
		return fmt.Sprintf("not recovered within the %v that it was watched", o.Recovery)
	case o.Recovery == 0:
		return "recovered within the first second after the overload"
	}
	return fmt.Sprintf("recovered %v after the overload", o.Recovery)
}

// answer says in a sentence what was found.
func (o *overloadFound) answer() string {
	share := 0.0
	if o.During.Offered > 0 {
		share = 100 * o.During.Goodput / o.During.Offered
	}
	return fmt.Sprintf("of %s requests/s offered, %s were answered in time (%.0f %%); %s", number(o.During.Offered), number(o.During.Goodput), share, o.recovery())
}

func writeOverload(w io.Writer, o *overloadFound) {
	fmt.Fprintf(w, "\n  %-12s %s\n", "overload", o.answer())
	fmt.Fprintf(w, "  %-12s p99 below %s for three seconds in a row\n", "recovered is", duration(float64(o.CalmBelow)))
	fmt.Fprintf(w, "  %-12s %s\n", "validity", strings.ToUpper(string(o.Validity)))
	for i := range o.Findings {
		f := &o.Findings[i]
		fmt.Fprintf(w, "  %-12s %s %s: %s\n", "", levelText(f.Weight()), f.Name, f.Detail)
	}
	if o.Spoiled {
		fmt.Fprintf(w, "  %-12s INVALID, tried %d times: %s\n", "spoiled", o.Tries, o.Why)
	}
	for _, line := range o.lost() {
		fmt.Fprintf(w, "  %-12s %s\n", "lost", line)
	}
	for _, note := range o.Notes {
		fmt.Fprintf(w, "  %-12s %s\n", "note", note)
	}
	head, rows := o.table()
	writeColumns(w, head, rows)
}

// lost says what failed or was given up, phase by phase.
func (o *overloadFound) lost() (lines []string) {
	for _, part := range o.parts() {
		for _, e := range part.Errors.ByKind() {
			if e.Count > 0 {
				lines = append(lines, fmt.Sprintf("%s: %d %s errors (%s)", part.name, e.Count, e.Kind, o.First[e.Kind]))
			}
		}
		if part.Shed > 0 {
			lines = append(lines, fmt.Sprintf("%s: %d arrivals given up because no more could wait", part.name, part.Shed))
		}
	}
	return lines
}

type overloadPart struct {
	name string
	*capacity.Stretch
}

func (o *overloadFound) parts() []overloadPart {
	return []overloadPart{{"before", &o.Baseline}, {"overload", &o.During}, {"after", &o.After}}
}

func (o *overloadFound) table() (head []string, rows [][]string) {
	head = []string{"", "offered/s", "answered/s", "goodput/s", "p50", "p99", "errors", "given up", "in flight", "seconds"}
	for _, part := range o.parts() {
		rows = append(rows, []string{
			part.name, number(part.Offered), number(part.Answered), number(part.Goodput), duration(part.P50), atLeast(!part.AtLeast, duration(part.P99)),
			fmt.Sprint(part.Errors.Total()), fmt.Sprint(part.Shed), number(part.InFlight), fmt.Sprint(part.Windows),
		})
	}
	return head, rows
}

// page draws the experiment second by second.
func (o *overloadFound) page() *curvePage {
	p := &curvePage{Title: "Overload of " + o.Target, Question: "What is left when more is asked than it can take, and when does it recover?", Answer: o.answer()}
	p.Facts = [][2]string{
		{"objective", o.Objective}, {"capacity", number(o.Plan.Capacity) + " requests/s"}, {"connections", fmt.Sprint(o.Connections)}, {"seed", fmt.Sprint(o.Seed)},
		{"recovered is", "p99 below " + duration(float64(o.CalmBelow)) + " for three seconds in a row"},
	}
	p.Notes = append(o.lost(), o.Notes...)
	offered, good := series{Name: "offered", Class: "other", Line: true}, series{Name: "answered in time", Class: "good", Line: true}
	calm, late := series{Name: "p99, as before", Class: "good"}, series{Name: "p99, not", Class: "bad"}
	for i := range o.Seconds {
		s := &o.Seconds[i]
		if s.Windows == 0 {
			continue
		}
		at := float64(s.At)
		offered.Points = append(offered.Points, [2]float64{at, s.Offered})
		good.Points = append(good.Points, [2]float64{at, s.Goodput})
		if s.Calm {
			calm.Points = append(calm.Points, [2]float64{at, s.P99 / 1e6})
		} else {
			late.Points = append(late.Points, [2]float64{at, s.P99 / 1e6})
		}
	}
	p.Charts = []chart{
		{Title: "Goodput", X: "seconds", Y: "per second", Series: []series{offered, good}},
		{Title: "Response time", X: "seconds", Y: "p99, ms", Series: []series{calm, late}},
	}
	p.Head, p.Rows = o.table()
	return p
}
