package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dyno/lab/load"
	"dyno/lab/report"
)

// statuses prints how many answers had which status, if they are not all 200.
func (w *loadText) statuses(t *load.Window) {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(t.Statuses)) {
		parts = append(parts, fmt.Sprintf("%d: %s", status, number(float64(t.Statuses[status]))))
	}
	if parts != nil {
		fmt.Fprintln(w)
		w.labelled(w.Text("load.status"), strings.Join(parts, "   "))
	}
}

// requests prints a line for each kind of request of a mix.
func (w *loadText) requests(requests []load.RequestResult) {
	if len(requests) == 0 {
		return
	}
	widths := []int{10, 12, 9, 9, 9, 9, 8}
	fmt.Fprintf(w, "\n  %s%s\n", report.Left(w.Text("load.request"), 32), cells(widths, w.Text("load.answered"), w.Text("load.throughput"), w.Text("load.mean"), "p50", "p90", "p99", w.Text("load.errors")))
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
		fmt.Fprintf(w, "  %s%s\n", report.Left(cut(clean(r.Name), 32), 32), cells(widths, number(float64(t.Completed+t.Drained)), throughput,
			mean, quantileText(t, 50), quantileText(t, 90), quantileText(t, 99), strconv.FormatUint(t.Errors.Total(), 10)))
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
