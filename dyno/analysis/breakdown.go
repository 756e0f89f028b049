package analysis

import (
	"dyno.example/dyno/archive"
	"dyno.example/dyno/load/measure"
)

// Request is what became of one kind of request of a mix.
type Request struct {
	Name       string  `json:"name"`
	Completed  uint64  `json:"completed"`  // with the expected response
	Throughput float64 `json:"throughput"` // of them, per second
	Errors     uint64  `json:"errors"`
	Response   []Point `json:"response,omitempty"` // p50, p90, p99, as far as there are enough requests
}

// takeBreakdown adds a trial's responses by kind, also of one that is left out: they
// may be why.
func (s *cellBuilder) takeBreakdown(t *archive.Trial, sums *sums) {
	s.Statuses = measure.AddStatuses(s.Statuses, sums.statuses)
	s.Codes = measure.AddCodes(s.Codes, sums.codes)
	for i := range t.Requests {
		s.Requests = append(s.Requests, newRequest(&t.Requests[i]))
	}
}

func newRequest(r *measure.RequestResult) Request {
	t := &r.Total
	out := Request{Name: r.Name, Completed: t.Right(), Errors: t.Errors.Total()}
	if t.Length > 0 {
		out.Throughput = float64(t.Completed) / t.Length.Seconds()
	}
	for _, percent := range []float64{50, 90, 99} {
		if ns, known := t.Quantile(measure.Response, percent); t.Tells(measure.Response, percent) {
			out.Response = append(out.Response, Point{Percentile: percent, Micros: float64(ns) / 1e3, Censored: !known})
		}
	}
	return out
}
