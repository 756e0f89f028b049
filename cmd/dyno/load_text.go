package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dyno/lab/load"
)

// percentiles that dyno load prints, and their names in JSON.
var percentiles = []struct {
	name string
	at   float64
}{{"p50", 50}, {"p90", 90}, {"p99", 99}, {"p99.9", 99.9}, {"p99.99", 99.99}}

// describeLoad says in one line what is about to happen.
func describeLoad(s *load.Spec) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %d connections, ", s.Requests[0].Method, s.Target, s.Profile.Connections)
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
	fmt.Fprintf(w, "\n  %d requests in %v, %s received\n", t.Completed, t.Length.Round(10*time.Millisecond), bytesText(t.BytesIn))
	fmt.Fprintf(w, "  %-12s %s requests/s\n\n", "throughput", number(r.Throughput()))
	writeClocks(w, t)
	writeErrors(w, r)
	writeStages(w, r.Stages())
	fmt.Fprintf(w, "\n  generator    %s engine, %.2f µs CPU a request, longest stall %v\n", r.Engine, micros(r.CPUPerRequest()), t.Stall.Round(time.Microsecond))
	fmt.Fprintf(w, "  validity     %s\n", strings.ToUpper(string(r.Validity)))
	for _, f := range r.Findings {
		fmt.Fprintf(w, "    %s: %s\n", f.Name, f.Detail)
	}
}

// writeClocks prints a line of percentiles for each clock that says something.
func writeClocks(w io.Writer, t *load.Window) {
	header := []string{"", "mean"}
	for _, p := range percentiles {
		header = append(header, p.name)
	}
	fmt.Fprintf(w, "  %-12s", header[0])
	for _, h := range append(header[1:], "max") {
		fmt.Fprintf(w, " %9s", h)
	}
	fmt.Fprintln(w)
	for _, clock := range []load.Clock{load.Response, load.Service, load.Lag, load.FirstByte, load.Connect} {
		h := t.Hist[clock]
		if h == nil || duration(float64(h.Max())) == duration(0) { // as the lag of a closed loop
			continue
		}
		fmt.Fprintf(w, "  %-12s %9s", strings.ReplaceAll(clock.String(), "_", " "), duration(h.Mean()))
		known := 100 * (1 - t.Censored())
		for _, p := range percentiles {
			text := duration(float64(h.ValueAtPercentile(p.at)))
			if clock == load.Response && p.at > known {
				text = ">=" + text
			}
			fmt.Fprintf(w, " %9s", text)
		}
		fmt.Fprintf(w, " %9s\n", duration(float64(h.Max())))
	}
}

func writeErrors(w io.Writer, r *load.Result) {
	t := &r.Total
	for _, e := range errorKinds(&t.Errors) {
		if e.count > 0 {
			fmt.Fprintf(w, "\n  errors       %d %s (%s)", e.count, e.kind, r.FirstErrors[e.kind])
		}
	}
	if t.Shed > 0 {
		fmt.Fprintf(w, "\n  shed         %d arrivals that found the backlog full", t.Shed)
	}
	if t.Unfinished > 0 && t.Hist[load.Lag] != nil && t.Hist[load.Lag].Max() > 0 {
		fmt.Fprintf(w, "\n  unfinished   %d requests were under way or due at the end", t.Unfinished)
	}
	if t.Errors.Total()+t.Shed > 0 {
		fmt.Fprintln(w)
	}
}

// errorCount is one kind of error with its count.
type errorCount struct {
	kind  string
	count uint64
}

func errorKinds(e *load.Errors) []errorCount {
	return []errorCount{{"connect", e.Connect}, {"timeout", e.Timeout}, {"reset", e.Reset}, {"status", e.Status}, {"body", e.Body}, {"expect", e.Expect}}
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
