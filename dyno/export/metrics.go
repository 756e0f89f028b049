package export

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
)

// metric is a figure of a load at one instant, with all its series.
type metric struct {
	name, help, unit string // name as Prometheus has it; unit as UCUM has it
	counter          bool   // adds up from the load's start; else a gauge
	points           []point
	histogram        *buckets // instead of points
}

type point struct {
	labels []label // in addition to those of all
	value  float64
	ended  bool // there is no value any more, where there was one
}

// label is a name with a value.
type label struct{ name, value string }

// buckets are a histogram that adds up from the load's start.
type buckets struct {
	counts []uint64 // one for each of bounds, not cumulative, and one for what is beyond
	count  uint64
	sum    float64 // seconds, of what has a time
}

// bounds are the upper bounds of the buckets, in seconds.
func bounds() []float64 {
	var list []float64
	for power := -5; power <= 1; power++ {
		for _, x := range []float64{1, 2.5, 5} {
			list = append(list, x*math.Pow10(power))
		}
	}
	return list
}

// meter adds windows up into what the outputs of a running load tell.
type meter struct {
	total    measure.Window
	response buckets
	bounds   []float64
	told     map[quantileKey]bool // series of quantiles that have a value
}

// quantileKey names the series of a quantile.
type quantileKey struct {
	known   bool
	clock   measure.Clock
	percent float64
}

func newMeter() *meter {
	m := &meter{bounds: bounds(), told: make(map[quantileKey]bool)}
	m.response.counts = make([]uint64, len(m.bounds)+1)
	return m
}

// add adds a window, and returns the metrics at its end.
func (m *meter) add(w *measure.Window) []metric {
	m.total.AddCounts(w)
	m.addResponse(w)
	t := &m.total
	counter := func(name, help, unit string, n uint64) metric {
		return metric{name: name, help: help, unit: unit, counter: true, points: []point{{value: float64(n)}}}
	}
	gauge := func(name, help, unit string, x float64) metric {
		return metric{name: name, help: help, unit: unit, points: []point{{value: x}}}
	}
	errors := metric{name: "dyno_errors_total", help: "Requests that failed, by kind.", unit: "{request}", counter: true}
	for _, k := range t.Errors.ByKind() {
		errors.points = append(errors.points, point{labels: []label{{"kind", k.Kind}}, value: float64(k.Count)})
	}
	statuses := metric{name: "dyno_answers_total", help: "Complete responses, by status.", unit: "{request}", counter: true}
	for _, status := range slices.Sorted(maps.Keys(t.Statuses)) {
		statuses.points = append(statuses.points, point{labels: []label{{"status", strconv.Itoa(status)}}, value: float64(t.Statuses[status])})
	}
	metrics := []metric{
		counter("dyno_requests_offered_total", "Requests that the schedule wanted.", "{request}", t.Offered),
		counter("dyno_requests_sent_total", "Requests that were sent.", "{request}", t.Sent),
		counter("dyno_requests_completed_total", "Requests whose response was as expected.", "{request}", t.Completed+t.Drained),
		counter("dyno_requests_shed_total", "Requests that were given up before they were sent, as no connection was free.", "{request}", t.Shed),
		counter("dyno_requests_unfinished_total", "Requests that had no response by the end of the load.", "{request}", t.Unfinished),
		errors,
		counter("dyno_received_bytes_total", "Bytes received.", "By", t.BytesIn),
		counter("dyno_sent_bytes_total", "Bytes sent.", "By", t.BytesOut),
		counter("dyno_connects_total", "Connections that were established.", "{connection}", t.Connects),
		gauge("dyno_in_flight", "Mean number of requests due or sent and not yet done, in the last window.", "{request}", w.InFlight),
		gauge("dyno_window_validity", "What the last window is worth: 0 is valid or accepted, 1 suspect, 2 invalid.", "1", validityNumber(w.Validity())),
	}
	if m := &t.Messages; m.In+m.Out > 0 {
		metrics = append(metrics,
			counter("dyno_messages_received_total", "Messages over WebSockets, or events, that came.", "{message}", m.In),
			counter("dyno_messages_sent_total", "Messages that were sent over WebSockets.", "{message}", m.Out),
			counter("dyno_events_missed_total", "Events that did not come, by the ids of the others.", "{message}", m.Missed))
	}
	if len(statuses.points) > 0 {
		metrics = append(metrics, statuses)
	}
	metrics = append(metrics, grpcMetrics(t)...)
	if w.Length > 0 {
		metrics = append(metrics,
			gauge("dyno_throughput", "Responses per second in the last window.", "{request}/s", float64(w.Completed)/w.Length.Seconds()),
			gauge("dyno_generator_cpus", "CPUs that the load generator used for work in the last window.", "{cpu}", w.Worked().Seconds()/w.Length.Seconds()))
	}
	metrics = append(metrics, m.quantiles(w)...)
	response := m.response
	response.counts = slices.Clone(response.counts)
	return append(metrics, metric{
		name: "dyno_response_seconds", help: "Response times, from the intended start. Requests that were given up count as beyond all buckets.",
		unit: "s", histogram: &response,
	})
}

// grpcMetrics are those of loads that call over gRPC.
func grpcMetrics(t *measure.Window) []metric {
	if len(t.Codes) == 0 {
		return nil
	}
	calls := metric{name: "dyno_grpc_calls_total", help: "Calls over gRPC with a complete response, by status.", unit: "{call}", counter: true}
	for _, code := range slices.Sorted(maps.Keys(t.Codes)) {
		calls.points = append(calls.points, point{labels: []label{{"code", code}}, value: float64(t.Codes[code])})
	}
	return []metric{calls}
}

// quantiles are those of a window. Where only a lower bound is known, it has a
// name of its own: nobody must take it for the quantile. The one of the two that
// was reported before and no longer holds ends, or it would be shown on.
func (m *meter) quantiles(w *measure.Window) []metric {
	known := metric{name: "dyno_quantile_seconds", help: "Quantiles of the last window, by clock.", unit: "s"}
	bound := metric{name: "dyno_quantile_at_least_seconds", help: "Lower bounds of quantiles of the last window that are not known, by clock.", unit: "s"}
	for clock := range measure.NumClocks {
		for _, p := range percentiles {
			ns, exact := w.Quantile(clock, p.at)
			known.points = append(known.points, m.quantile(quantileKey{true, clock, p.at}, exact && w.Tells(clock, p.at), ns)...)
			bound.points = append(bound.points, m.quantile(quantileKey{false, clock, p.at}, !exact && w.Timed(clock) > 0, ns)...)
		}
	}
	return slices.DeleteFunc([]metric{known, bound}, func(m metric) bool { return len(m.points) == 0 })
}

// quantile is the point of a series, if it has one.
func (m *meter) quantile(key quantileKey, has bool, ns int64) []point {
	before := m.told[key]
	m.told[key] = has
	p := point{labels: []label{{"clock", key.clock.String()}, {"quantile", decimals(key.percent/100, 6)}}}
	switch {
	case has:
		p.value = float64(ns) / 1e9
	case before:
		p.ended = true
	default:
		return nil
	}
	return []point{p}
}

// addResponse adds the response times; those that are not known, and failures, count as
// beyond all buckets.
func (m *meter) addResponse(w *measure.Window) {
	r := &m.response
	beyond := w.GivenUp(measure.Response) + w.Failed(measure.Response)
	r.counts[len(m.bounds)] += beyond
	r.count += beyond
	h := w.Hist[measure.Response]
	if h == nil {
		return
	}
	r.sum += h.Mean() / 1e9 * float64(h.TotalCount())
	r.count += uint64(h.TotalCount())
	for _, bar := range h.Distribution() {
		if bar.Count > 0 {
			i, _ := slices.BinarySearch(m.bounds, float64(bar.From)/1e9)
			r.counts[i] += uint64(bar.Count)
		}
	}
}

func validityNumber(v finding.Validity) float64 {
	switch v {
	case finding.Invalid:
		return 2
	case finding.Suspect:
		return 1
	}
	return 0
}

// Source says which load the metrics of a running load are of.
type Source struct {
	Labels map[string]string // of every series
	Wall   time.Time         // an instant on the wall clock
	Mono   int64             // the same on CLOCK_MONOTONIC, ns
	Since  time.Time         // when the load began
}

// end is when a window ended, on the wall clock.
func (s *Source) end(w *measure.Window) time.Time {
	return s.Wall.Add(time.Duration(w.Start - s.Mono)).Add(w.Length)
}

// labels are the source's, in order of their names, with more of a series.
func (s *Source) labels(name string, more ...label) []label {
	list := []label{{"__name__", name}}
	for _, key := range slices.Sorted(maps.Keys(s.Labels)) {
		list = append(list, label{key, s.Labels[key]})
	}
	list = append(list, more...)
	slices.SortFunc(list, func(a, b label) int { return strings.Compare(a.name, b.name) })
	return list
}
