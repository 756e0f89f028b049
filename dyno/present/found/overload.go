package found

import (
	"fmt"
	"io"

	"dyno.example/dyno/capacity"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/present"
	"dyno.example/dyno/present/curve"
	"dyno.example/dyno/report"
)

// Return says in a sentence whether and when the service was itself again.
func (o *Overload) Return(t report.Texts) string {
	switch {
	case o.Failing:
		return t.Text("overload.failing")
	case !o.Recovered:
		return t.Text("overload.never", "time", o.Recovery)
	case o.Recovery == 0:
		return t.Text("overload.atonce")
	}
	return t.Text("overload.after", "time", o.Recovery)
}

// Sentence says in a sentence what was found.
func (o *Overload) Sentence(t report.Texts) string {
	share := 0.0
	if o.During.Offered > 0 {
		share = 100 * o.During.Goodput / o.During.Offered
	}
	return t.Text("overload.result", "offered", present.Number(o.During.Offered), "good", present.Number(o.During.Goodput), "share", fmt.Sprintf("%.0f", share), "return", o.Return(t))
}

// Text prints what was found.
func (o *Overload) Text(w io.Writer, t report.Texts) {
	fmt.Fprintln(w)
	labelled(w, t.Text("overload.overload"), o.Sentence(t))
	labelled(w, t.Text("overload.recovered"), t.Text("overload.calm", "limit", present.Duration(float64(o.CalmBelow))))
	for _, line := range o.validityLines(t) {
		labelled(w, line[0], line[1])
	}
	for _, line := range o.lost(t) {
		labelled(w, t.Text("overload.lost"), line)
	}
	for _, note := range o.Notes {
		labelled(w, t.Text("capacity.note"), t.Say(note))
	}
	head, rows := o.table(t)
	present.Columns(w, head, rows)
}

// validityLines say what the experiment is worth, and why.
func (o *Overload) validityLines(t report.Texts) [][2]string {
	lines := [][2]string{{t.Text("load.validity"), t.Text("validity." + finding.Level(o.Validity, o.Findings))}}
	for i := range o.Findings {
		f := &o.Findings[i]
		lines = append(lines, [2]string{"", levelText(t, f) + " " + string(f.Name) + t.Text("list.colon") + t.Say(f.Detail)})
	}
	if o.Spoiled {
		lines = append(lines, [2]string{t.Text("overload.spoiled"), t.Text("overload.tried", "n", o.Tries, "why", t.Say(o.Why))})
	}
	return lines
}

// lost says what failed or was given up, phase by phase.
func (o *Overload) lost(t report.Texts) (lines []string) {
	for _, part := range o.parts() {
		name := t.Text("overload.part." + part.name)
		for _, e := range part.Errors.ByKind() {
			if e.Count > 0 {
				lines = append(lines, t.Text("overload.failed", "part", name, "n", e.Count, "kind", t.Text("load.kind."+e.Kind), "example", t.Say(o.First[e.Kind])))
			}
		}
		if part.Shed > 0 {
			lines = append(lines, t.Text("overload.shed", "part", name, "n", part.Shed))
		}
	}
	return lines
}

type overloadPart struct {
	name string
	*capacity.Stretch
}

func (o *Overload) parts() []overloadPart {
	return []overloadPart{{"before", &o.Baseline}, {"overload", &o.During}, {"after", &o.After}}
}

func (o *Overload) table(t report.Texts) (head []string, rows [][]string) {
	head = heads(t, "", "offered/s", "answered/s", "goodput/s", "p50", "p99", "errors", "given up", "in flight", "seconds")
	for _, part := range o.parts() {
		rows = append(rows, []string{
			t.Text("overload.part." + part.name), present.Number(part.Offered), present.Number(part.Responses), present.Number(part.Goodput), lasted(part.P50, false), lasted(part.P99, part.AtLeast),
			fmt.Sprint(part.Errors.Total()), fmt.Sprint(part.Shed), present.Number(part.InFlight), fmt.Sprint(part.Windows),
		})
	}
	return head, rows
}

// Page draws the experiment second by second.
func (o *Overload) Page(t report.Texts) *curve.Page {
	p := newPage(t, "overload", o.Target, "", o.Sentence(t))
	p.Facts = [][2]string{
		{t.Text("found.fact.objective"), o.Objective}, {t.Text("found.fact.capacity"), t.Text("found.fact.rate", "rate", present.Number(o.Plan.Capacity))},
		{t.Text("found.fact.connections"), fmt.Sprint(o.Connections)}, {t.Text("found.fact.seed"), fmt.Sprint(o.Seed)},
		{t.Text("overload.recovered"), t.Text("overload.calm", "limit", present.Duration(float64(o.CalmBelow)))},
	}
	p.Facts = append(p.Facts, o.validityLines(t)...)
	p.Notes = o.lost(t)
	for _, note := range o.Notes {
		p.Notes = append(p.Notes, t.Say(note))
	}
	offered, good := curve.Series{Name: t.Text("found.series.offered"), Class: "other", Line: true}, curve.Series{Name: t.Text("found.series.good"), Class: "good", Line: true}
	calm, late := curve.Series{Name: t.Text("found.series.calm"), Class: "good"}, curve.Series{Name: t.Text("found.series.late"), Class: "bad"}
	for i := range o.Seconds {
		s := &o.Seconds[i]
		if s.Windows == 0 {
			continue
		}
		at := float64(s.At)
		offered.Points = append(offered.Points, [2]float64{at, s.Offered})
		good.Points = append(good.Points, [2]float64{at, s.Goodput})
		switch ms := float64(s.P99) / 1e6; {
		case !s.P99.Exists(): // nothing got a response
		case s.Calm:
			calm.Points = append(calm.Points, [2]float64{at, ms})
		default:
			late.Points = append(late.Points, [2]float64{at, ms})
		}
	}
	p.Charts = []curve.Chart{
		{Title: t.Text("found.chart.goodput"), X: t.Text("found.axis.seconds"), Y: t.Text("found.axis.rate"), Series: []curve.Series{offered, good}},
		{Title: t.Text("found.chart.response"), X: t.Text("found.axis.seconds"), Y: t.Text("found.axis.p99"), Series: []curve.Series{calm, late}},
	}
	p.Head, p.Rows = o.table(t)
	return p
}

// WriteSecond prints a line for a window.
func WriteSecond(w io.Writer, s *measure.Window) {
	if s.Warmup() {
		return
	}
	p99 := "-"
	if s.Timed(measure.Response) > 0 {
		p99 = present.Quantile(s, 99)
	}
	fmt.Fprintf(w, "  %4ds  %9s offered  %9s responses  p99 %-8s errors %d\n", s.Index, present.Number(float64(s.Offered)), present.Number(float64(s.Completed)), p99, s.Errors.Total())
}

// Overload is what dyno overload --json prints. Fields are added over time,
// never renamed.
type Overload struct {
	Target      string            `json:"target"`
	Objective   string            `json:"objective"`
	Connections int               `json:"connections"`
	Seed        uint64            `json:"seed"`
	Plan        capacity.Overload `json:"plan"`
	*capacity.Aftermath
	Validity    finding.Validity     `json:"validity"` // or "accepted"
	Findings    []finding.Finding    `json:"findings"`
	Tries       int                  `json:"tries"` // those before the last were spoiled
	Calibration *measure.Calibration `json:"calibration,omitempty"`
}
