package loadtext

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/present"
)

// statuses prints how many responses had which status.
func (w *Text) statuses(t *measure.Window) {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(t.Statuses)) {
		parts = append(parts, fmt.Sprintf("%d: %s", status, present.Number(float64(t.Statuses[status]))))
	}
	if parts != nil {
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
	rows := [][]string{{w.Text("load.request"), w.Text("load.answered"), w.Text("load.throughput"), "p50", "p90", "p99", w.Text("load.errors")}}
	for i := range requests {
		r := &requests[i]
		t := r.Shown()
		throughput := present.NoFigure
		if t.Length > 0 {
			throughput = present.Number(t.Throughput()) + "/s"
		}
		rows = append(rows, []string{present.Clean(r.Name), present.Number(float64(r.All.Right())), throughput,
			present.Quantile(t, 50), present.Quantile(t, 90), present.Quantile(t, 99), strconv.FormatUint(r.All.Errors.Total(), 10)})
	}
	w.named(rows, []int{8, 10, 8, 8, 8, 6})
}
