package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"dyno/lab/load"
)

// writeStatuses prints how many answers had which status, if they are not all 200.
func writeStatuses(w io.Writer, t *load.Window) {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(t.Statuses)) {
		parts = append(parts, fmt.Sprintf("%d: %s", status, number(float64(t.Statuses[status]))))
	}
	if parts != nil {
		fmt.Fprintf(w, "\n  %-12s %s\n", "status", strings.Join(parts, "   "))
	}
}

// writeRequests prints a line for each kind of request of a mix.
func writeRequests(w io.Writer, requests []load.RequestResult) {
	if len(requests) == 0 {
		return
	}
	fmt.Fprintf(w, "\n  %-32s %10s %12s %9s %9s %9s %9s %8s\n", "request", "answered", "throughput", "mean", "p50", "p90", "p99", "errors")
	for i := range requests {
		r := &requests[i]
		t := &r.Total
		throughput, mean := noFigure, noFigure
		if t.Length > 0 {
			throughput = number(float64(t.Completed)/t.Length.Seconds()) + "/s"
		}
		if h := t.Hist[load.Response]; h != nil {
			mean = atLeast(t.GivenUp(load.Response) == 0, duration(h.Mean()))
		}
		fmt.Fprintf(w, "  %-32s %10s %12s %9s %9s %9s %9s %8d\n", cut(clean(r.Name), 32), number(float64(t.Completed+t.Drained)), throughput,
			mean, quantileText(t, 50), quantileText(t, 90), quantileText(t, 99), t.Errors.Total())
	}
}

// requestJSON is a kind of request in dyno load --json.
type requestJSON struct {
	Name       string      `json:"name"`
	Requests   uint64      `json:"requests"` // answered as expected
	Throughput *float64    `json:"throughput"`
	Errors     load.Errors `json:"errors"`
	Response   latency     `json:"response_us"`
	// AtLeast names the figures that are only lower bounds.
	AtLeast []string `json:"response_at_least,omitempty"`
}

func requestsOf(r *load.Result) []requestJSON {
	var list []requestJSON
	for i := range r.Requests {
		k := &r.Requests[i]
		t := &k.Total
		out := requestJSON{Name: k.Name, Requests: t.Completed, Throughput: figureIf(t.Length > 0, float64(t.Completed)/t.Length.Seconds()), Errors: t.Errors}
		out.Response, out.AtLeast = latencyOf(t, load.Response)
		list = append(list, out)
	}
	return list
}
