//go:build linux

package metrics

import (
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"dyno.example/nanogate/internal/stats"
)

// mostPoints is how many series a message has at most: collectors bound how long one
// may be, by default to 4 MiB over some ways (a histogram takes about 300 bytes).
const mostPoints = 5000

// messages is the writer for a collector: metrics in OpenTelemetry's model, a few
// messages if there are many.
//
// A metric's name is Prometheus' without "_total" and "_seconds", which is its unit: so
// it becomes the same name again in Prometheus and those that follow its rules for OTLP.
type messages struct {
	at     time.Time
	done   [][]metricdata.Metrics
	points int // in the last of them

	name, unit, help string
	kind             kind
	values           []metricdata.DataPoint[float64]
	histograms       []metricdata.HistogramDataPoint[float64]
	summaries        []metricdata.SummaryDataPoint
}

// bounds are the ends of buckets, in s.
var bounds = func() (all []float64) {
	for i := range stats.Bounds {
		all = append(all, stats.Bound(i).Seconds())
	}
	return all
}()

// messagesOf are a gateway's figures as they are now.
func messagesOf(g Gateway, now time.Time) [][]metricdata.Metrics {
	m := messages{at: now}
	write(g, &m)
	m.end()
	return m.done
}

func (m *messages) family(name string, k kind, help string) {
	m.end()
	m.name, m.unit = strings.TrimSuffix(name, "_total"), ""
	if name, ok := strings.CutSuffix(m.name, "_seconds"); ok {
		m.name, m.unit = name, "s"
	}
	m.kind, m.help = k, help
}

// end puts what there is of the present metric into the message.
func (m *messages) end() {
	var data metricdata.Aggregation
	switch {
	case len(m.histograms) > 0:
		data = metricdata.Histogram[float64]{DataPoints: m.histograms, Temporality: metricdata.CumulativeTemporality}
	case len(m.summaries) > 0:
		data = metricdata.Summary{DataPoints: m.summaries}
	case len(m.values) == 0:
		return
	case m.kind == counter:
		data = metricdata.Sum[float64]{DataPoints: m.values, Temporality: metricdata.CumulativeTemporality, IsMonotonic: true}
	default:
		data = metricdata.Gauge[float64]{DataPoints: m.values}
	}
	m.values, m.histograms, m.summaries = nil, nil, nil
	if len(m.done) == 0 {
		m.done = append(m.done, nil)
	}
	last := &m.done[len(m.done)-1]
	*last = append(*last, metricdata.Metrics{Name: m.name, Description: m.help, Unit: m.unit, Data: data})
}

// point makes room for a series.
func (m *messages) point() {
	if m.points == mostPoints {
		m.end()
		m.done = append(m.done, nil)
		m.points = 0
	}
	m.points++
}

func (m *messages) level(value float64, labels ...string) { m.count(value, time.Time{}, labels...) }

func (m *messages) count(value float64, since time.Time, labels ...string) {
	m.point()
	m.values = append(m.values, metricdata.DataPoint[float64]{Attributes: attributes(labels), StartTime: since, Time: m.at, Value: value})
}

func (m *messages) histogram(h *stats.Histogram, of *stats.Counters, labels []string) {
	m.point()
	counts := h.Bounded()
	p := metricdata.HistogramDataPoint[float64]{
		Attributes: attributes(labels), StartTime: of.Since(), Time: m.at,
		Bounds: bounds, BucketCounts: counts[:], Sum: h.Sum.Seconds(),
	}
	for i, n := range counts {
		p.Count += n
		if e := of.Exemplar(i); e != nil {
			p.Exemplars = append(p.Exemplars, metricdata.Exemplar[float64]{Time: e.At, Value: e.Took.Seconds(), TraceID: e.Trace[:]})
		}
	}
	m.histograms = append(m.histograms, p)
}

func (m *messages) sums(h *stats.Histogram, count uint64, since time.Time, labels []string) {
	m.point()
	m.summaries = append(m.summaries, metricdata.SummaryDataPoint{Attributes: attributes(labels), StartTime: since, Time: m.at, Count: count, Sum: h.Sum.Seconds()})
}

func attributes(labels []string) attribute.Set {
	all := make([]attribute.KeyValue, 0, len(labels)/2)
	for i := 0; i+1 < len(labels); i += 2 {
		all = append(all, attribute.String(labels[i], labels[i+1]))
	}
	return attribute.NewSet(all...)
}
