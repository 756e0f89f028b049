package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dyno/lab/export"
	"dyno/lab/load"
	"dyno/lab/report"
)

// describeLoad says in one line what is about to happen.
func describeLoad(s *load.Spec) string {
	var b strings.Builder
	what := s.Requests[0].Method
	if n := len(s.Requests); n > 1 {
		what = fmt.Sprintf("%d kinds of requests to", n)
	}
	fmt.Fprintf(&b, "%s %s: %s, ", what, s.Target, counted(uint64(s.Profile.Connections), "connection"))
	if s.Profile.Mode == load.Open {
		fmt.Fprintf(&b, "%s (%s arrivals, seed %d)", s.Profile.Rhythm(), s.Profile.Arrivals, s.Seed)
	} else {
		b.WriteString("closed loop")
		if s.Profile.Think.Mean > 0 {
			fmt.Fprintf(&b, " with a think time of %v", s.Profile.Think.String())
		}
	}
	if s.Duration > 0 {
		fmt.Fprintf(&b, ", %v", s.Duration)
	}
	if s.MaxRequests > 0 {
		fmt.Fprintf(&b, ", %d requests", s.MaxRequests)
	}
	return b.String()
}

// loadText prints the result of a load in a language.
type loadText struct {
	io.Writer
	report.Texts
}

// newLoadText prints to w in the language given ("en" if empty).
func newLoadText(w io.Writer, lang string) (*loadText, error) {
	texts, err := report.TextsIn(lang)
	return &loadText{w, texts}, err
}

// labelled prints a line that begins with what it is about.
func (w *loadText) labelled(label, text string) {
	fmt.Fprintf(w, "  %s %s\n", report.Left(label, 12), text)
}

// cells writes texts to the right of their columns, each after a space.
func cells(widths []int, texts ...string) string {
	var b strings.Builder
	for i, text := range texts {
		b.WriteString(" " + report.Right(text, widths[i]))
	}
	return b.String()
}

// result prints what wrk's and hey's users know.
func (w *loadText) result(r *load.Result) {
	t := &r.Total
	if t.Length > 0 {
		fmt.Fprintf(w, "\n  %s\n", w.Text("load.summary", "requests", w.Count("load.requests", t.Completed), "length", duration(float64(t.Length)), "bytes", bytesText(t.BytesIn)))
		w.labelled(w.Text("load.throughput"), w.Text("load.rate", "n", number(r.Throughput()))+"\n")
		w.clocks(t)
	} else {
		fmt.Fprintf(w, "\n  %s\n", w.Text("load.nothing"))
	}
	w.statuses(t)
	w.errors(r)
	w.failures(r)
	w.requests(r.Requests)
	w.stages(r.Stages())
	cost := noFigure
	if t.Completed > 0 {
		cost = fmt.Sprintf("%.2f µs", micros(r.CPUPerRequest()))
	}
	fmt.Fprintln(w)
	w.labelled(w.Text("load.generator"), w.Text("load.generator.text", "engine", r.Engine, "cost", cost, "stall", t.Stall.Round(time.Microsecond)))
	w.leftOut(r)
	w.labelled(w.Text("load.validity"), w.Text("validity."+string(r.Validity)))
	for _, f := range r.Findings {
		fmt.Fprintf(w, "    %s%s%s\n", f.Name, w.Text("list.colon"), w.Reason(f.Detail))
	}
}

// counted is a number of things in words.
func counted(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// clockWidths are those of the columns of the clocks' figures.
var clockWidths = slices.Repeat([]int{9}, len(export.FigureNames()))

// clocks prints a line of figures for each clock that says something. What is only
// known to be longer than what was seen is printed as ">= ".
func (w *loadText) clocks(t *load.Window) {
	heads := export.FigureNames()
	heads[0], heads[len(heads)-1] = w.Text("load.mean"), w.Text("load.max")
	fmt.Fprintf(w, "  %s%s\n", report.Left("", 12), cells(clockWidths, heads...))
	for _, clock := range []load.Clock{load.Response, load.Service, load.Lag, load.FirstByte, load.Connect, load.FullHandshake, load.ResumedHandshake, load.ReadDelay} {
		h := t.Hist[clock]
		if h == nil || duration(float64(h.Max())) == duration(0) { // as the lag of a closed loop
			continue
		}
		var figures []string
		for _, f := range export.Figures(t, clock) {
			figures = append(figures, figureText(f))
		}
		fmt.Fprintf(w, "  %s%s\n", report.Left(w.Text("load.clock."+clock.String()), 12), cells(clockWidths, figures...))
	}
}

func figureText(f export.Figure) string {
	if f.Absent {
		return noFigure
	}
	return atLeast(f.Known, duration(f.NS))
}

// noFigure stands where there is none.
const noFigure = "–"

// quantileText is a quantile of a window's response time.
func quantileText(w *load.Window, percent float64) string {
	ns, known := w.Quantile(load.Response, percent)
	if w.Timed(load.Response) == 0 || known && !w.Tells(load.Response, percent) {
		return noFigure
	}
	return atLeast(known, duration(float64(ns)))
}

// atLeast marks a lower bound.
func atLeast(known bool, text string) string {
	if known {
		return text
	}
	return ">=" + text
}

// lateShare of the requests, sent after the end, are told.
const lateShare = 0.001

func (w *loadText) errors(r *load.Result) {
	t := &r.Total
	line := func(label, text string) { fmt.Fprintf(w, "\n  %s %s", report.Left(label, 12), text) }
	for _, e := range t.Errors.ByKind() {
		if e.Count > 0 {
			line(w.Text("load.errors"), fmt.Sprintf("%d %s (%s)", e.Count, w.Text("load.kind."+e.Kind), r.FirstErrors[e.Kind]))
		}
	}
	if t.Shed > 0 {
		line(w.Text("load.shed"), w.Text("load.shed.text", "n", t.Shed))
	}
	if late := t.SentLate; float64(late) > lateShare*float64(t.Sent) {
		line(w.Text("load.drain"), w.Text("load.drain.text", "n", late))
	}
	if t.Unfinished > 0 {
		line(w.Text("load.unfinished"), w.Text("load.unfinished.text", "n", t.Unfinished, "drain", r.Drain, "longest", duration(float64(t.Longest(load.Response)))))
	}
	if t.Errors.Total()+t.Shed > 0 {
		fmt.Fprintln(w)
	}
}

// duration formats nanoseconds with three digits and a unit.
func duration(ns float64) string {
	switch {
	case ns >= 999.5e6:
		return fmt.Sprintf("%.3gs", ns/1e9)
	case ns >= 999.5e3:
		return fmt.Sprintf("%.3gms", ns/1e6)
	}
	return fmt.Sprintf("%.0fµs", ns/1e3)
}

func micros(d time.Duration) float64 { return float64(d) / 1e3 }

// number formats with thousands separators.
func number(x float64) string {
	digits := fmt.Sprintf("%.0f", x)
	var groups []string
	for len(digits) > 3 {
		groups = append(groups, digits[len(digits)-3:])
		digits = digits[:len(digits)-3]
	}
	groups = append(groups, digits)
	slices.Reverse(groups)
	return strings.Join(groups, ",")
}

func bytesText(n uint64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	x, i := float64(n)/unit, 0
	for ; x >= unit && i < 3; i++ {
		x /= unit
	}
	return fmt.Sprintf("%.1f %s", x, [...]string{"KiB", "MiB", "GiB", "TiB"}[i])
}
