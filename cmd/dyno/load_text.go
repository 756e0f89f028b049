package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dyno/lab/export"
	"dyno/lab/load"
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

// writeLoadText prints the result as wrk's and hey's users know it.
func writeLoadText(w io.Writer, r *load.Result) {
	t := &r.Total
	if t.Length > 0 {
		fmt.Fprintf(w, "\n  %s in %s, %s received\n", counted(t.Completed, "request"), duration(float64(t.Length)), bytesText(t.BytesIn))
		fmt.Fprintf(w, "  %-12s %s requests/s\n\n", "throughput", number(r.Throughput()))
		writeClocks(w, t)
	} else {
		fmt.Fprintf(w, "\n  there are no figures: no second can be used\n")
	}
	writeStatuses(w, t)
	writeErrors(w, r)
	writeFailures(w, r)
	writeRequests(w, r.Requests)
	writeStages(w, r.Stages())
	cost := noFigure
	if t.Completed > 0 {
		cost = fmt.Sprintf("%.2f µs", micros(r.CPUPerRequest()))
	}
	fmt.Fprintf(w, "\n  generator    %s engine, %s CPU a request, longest stall %v\n", r.Engine, cost, t.Stall.Round(time.Microsecond))
	writeLeftOut(w, r)
	fmt.Fprintf(w, "  validity     %s\n", strings.ToUpper(string(r.Validity)))
	for _, f := range r.Findings {
		fmt.Fprintf(w, "    %s: %s\n", f.Name, f.Detail)
	}
}

// counted is a number of things in words.
func counted(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// writeClocks prints a line of figures for each clock that says something. What
// is only known to be longer than what was seen is printed as ">= ".
func writeClocks(w io.Writer, t *load.Window) {
	fmt.Fprintf(w, "  %-12s", "")
	for _, name := range export.FigureNames() {
		fmt.Fprintf(w, " %9s", name)
	}
	fmt.Fprintln(w)
	for _, clock := range []load.Clock{load.Response, load.Service, load.Lag, load.FirstByte, load.Connect, load.FullHandshake, load.ResumedHandshake, load.ReadDelay} {
		h := t.Hist[clock]
		if h == nil || duration(float64(h.Max())) == duration(0) { // as the lag of a closed loop
			continue
		}
		fmt.Fprintf(w, "  %-12s", strings.ReplaceAll(clock.String(), "_", " "))
		for _, f := range export.Figures(t, clock) {
			fmt.Fprintf(w, " %9s", figureText(f))
		}
		fmt.Fprintln(w)
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

func writeErrors(w io.Writer, r *load.Result) {
	t := &r.Total
	for _, e := range t.Errors.ByKind() {
		if e.Count > 0 {
			fmt.Fprintf(w, "\n  errors       %d %s (%s)", e.Count, e.Kind, r.FirstErrors[e.Kind])
		}
	}
	if t.Shed > 0 {
		fmt.Fprintf(w, "\n  shed         %d arrivals that found the backlog full", t.Shed)
	}
	if late := t.SentLate; float64(late) > lateShare*float64(t.Sent) {
		fmt.Fprintf(w, "\n  drain        %d requests that were due by the end were sent after it", late)
	}
	if t.Unfinished > 0 {
		fmt.Fprintf(w, "\n  unfinished   %d requests had no answer %v after the end, the oldest after %s", t.Unfinished, r.Drain, duration(float64(t.Longest(load.Response))))
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
