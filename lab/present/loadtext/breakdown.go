package loadtext

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dyno/lab/load/measure"
	"dyno/lab/present"
)

// statuses prints how many answers had which status, if they are not all 200.
func (w *Text) statuses(t *measure.Window) {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(t.Statuses)) {
		parts = append(parts, fmt.Sprintf("%d: %s", status, present.Number(float64(t.Statuses[status]))))
	}
	if parts != nil {
		fmt.Fprintln(w)
		w.labelled(w.Text("load.status"), strings.Join(parts, "   "))
	}
}

// calls prints how many calls over gRPC had which status.
func (w *Text) calls(t *measure.Window) {
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(t.Codes)) {
		parts = append(parts, fmt.Sprintf("%s: %s", code, present.Number(float64(t.Codes[code]))))
	}
	if parts != nil {
		w.labelled(w.Text("load.grpc"), strings.Join(parts, "   "))
	}
}

// requests prints a line for each kind of request of a mix.
func (w *Text) requests(requests []measure.RequestResult) {
	if len(requests) == 0 {
		return
	}
	widths := []int{10, 12, 9, 9, 9, 9, 8}
	fmt.Fprintf(w, "\n  %s%s\n", present.Left(w.Text("load.request"), 32), cells(widths, w.Text("load.answered"), w.Text("load.throughput"), w.Text("load.mean"), "p50", "p90", "p99", w.Text("load.errors")))
	for i := range requests {
		r := &requests[i]
		t := &r.Total
		throughput, mean := present.NoFigure, present.NoFigure
		if t.Length > 0 {
			throughput = present.Number(float64(t.Completed)/t.Length.Seconds()) + "/s"
		}
		if h := t.Hist[measure.Response]; h != nil {
			mean = present.AtLeast(t.GivenUp(measure.Response) == 0, present.Duration(h.Mean()))
		}
		fmt.Fprintf(w, "  %s%s\n", present.Left(present.Cut(present.Clean(r.Name), 32), 32), cells(widths, present.Number(float64(t.Completed+t.Drained)), throughput,
			mean, present.Quantile(t, 50), present.Quantile(t, 90), present.Quantile(t, 99), strconv.FormatUint(t.Errors.Total(), 10)))
	}
}
