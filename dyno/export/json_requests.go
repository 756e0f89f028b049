package export

import (
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
)

// requestJSON is a kind of request in dyno load --json.
type requestJSON struct {
	Name       string         `json:"name"`
	Requests   uint64         `json:"requests"` // with a response as expected
	Drained    uint64         `json:"drained"`  // the same, after the end
	Shed       uint64         `json:"shed"`
	Unfinished uint64         `json:"unfinished"`
	Throughput *float64       `json:"throughput"`
	Errors     measure.Errors `json:"errors"`
	Response   latency        `json:"response_us"`
	// AtLeast names the figures that are only lower bounds.
	AtLeast []string `json:"response_at_least,omitempty"`
}

func requestsOf(r *load.Result) []requestJSON {
	var list []requestJSON
	for i := range r.Requests {
		k := &r.Requests[i]
		t, figures := k.Shown(), &k.Total
		out := requestJSON{Name: k.Name, Requests: t.Completed, Drained: t.Drained, Shed: t.Shed, Unfinished: t.Unfinished, Throughput: figureIf(figures.Length > 0, figures.Throughput()), Errors: t.Errors}
		out.Response, out.AtLeast = latencyOf(figures, measure.Response)
		list = append(list, out)
	}
	return list
}
