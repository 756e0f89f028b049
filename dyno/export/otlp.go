package export

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/proto"

	"dyno.example/dyno/load/measure"
)

// OTLP encodes windows as OpenTelemetry metrics for OTLP over HTTP
// (https://opentelemetry.io/docs/specs/otlp/#otlphttp), in protocol buffers.
// Sums and histograms are cumulative from the start of the load.
type OTLP struct {
	source *Source
	meter  *meter
}

// NewOTLP returns an encoder for one load.
func NewOTLP(source *Source) *OTLP { return &OTLP{source: source, meter: newMeter()} }

// Headers are those of every request.
func (*OTLP) Headers() map[string]string {
	return map[string]string{"Content-Type": "application/x-protobuf"}
}

// Encode returns the body that tells of the load up to the end of w. Windows
// are to come in order, each once.
func (o *OTLP) Encode(w *measure.Window) ([]byte, error) {
	at := stamp{start: uint64(o.source.Since.UnixNano()), end: uint64(o.source.end(w).UnixNano())}
	var metrics []*metricspb.Metric
	for _, m := range o.meter.add(w) {
		metrics = append(metrics, m.otlp(at, o.meter.bounds))
	}
	// An ExportMetricsServiceRequest, field for field.
	return proto.Marshal(&metricspb.MetricsData{ResourceMetrics: []*metricspb.ResourceMetrics{{
		Resource:     &resourcepb.Resource{Attributes: o.resource()},
		ScopeMetrics: []*metricspb.ScopeMetrics{{Scope: &commonpb.InstrumentationScope{Name: "dyno"}, Metrics: metrics}},
	}}})
}

func (o *OTLP) resource() []*commonpb.KeyValue {
	list := []*commonpb.KeyValue{attribute("service.name", cmp.Or(o.source.Labels["job"], "dyno"))}
	for _, key := range slices.Sorted(maps.Keys(o.source.Labels)) {
		if key != "job" { // Prometheus' name for the service
			list = append(list, attribute(key, o.source.Labels[key]))
		}
	}
	return list
}

// stamp is what time a point is of, in ns since the epoch.
type stamp struct{ start, end uint64 }

// otlp converts the metric. OpenTelemetry's names have dots, and leave out what
// type and unit say.
func (m *metric) otlp(at stamp, bounds []float64) *metricspb.Metric {
	out := &metricspb.Metric{Name: otlpName(m.name), Description: m.help, Unit: m.unit}
	const cumulative = metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
	switch {
	case m.histogram != nil:
		out.Data = &metricspb.Metric_Histogram{Histogram: &metricspb.Histogram{
			AggregationTemporality: cumulative,
			DataPoints: []*metricspb.HistogramDataPoint{{
				StartTimeUnixNano: at.start, TimeUnixNano: at.end,
				Count: m.histogram.count, Sum: &m.histogram.sum, BucketCounts: m.histogram.counts, ExplicitBounds: bounds,
			}},
		}}
	case m.counter:
		out.Data = &metricspb.Metric_Sum{Sum: &metricspb.Sum{AggregationTemporality: cumulative, IsMonotonic: true, DataPoints: m.numbers(at)}}
	default:
		out.Data = &metricspb.Metric_Gauge{Gauge: &metricspb.Gauge{DataPoints: m.numbers(at)}}
	}
	return out
}

func (m *metric) numbers(at stamp) []*metricspb.NumberDataPoint {
	var list []*metricspb.NumberDataPoint
	for _, p := range m.points {
		n := &metricspb.NumberDataPoint{StartTimeUnixNano: at.start, TimeUnixNano: at.end}
		switch {
		case p.ended:
			n.Flags = uint32(metricspb.DataPointFlags_DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK)
		case m.counter:
			n.Value = &metricspb.NumberDataPoint_AsInt{AsInt: int64(p.value)}
		default:
			n.Value = &metricspb.NumberDataPoint_AsDouble{AsDouble: p.value}
		}
		for _, l := range p.labels {
			n.Attributes = append(n.Attributes, attribute(l.name, l.value))
		}
		list = append(list, n)
	}
	return list
}

// otlpName turns dyno_requests_sent_total into dyno.requests_sent.
func otlpName(name string) string {
	name = strings.TrimSuffix(name, "_total")
	for _, unit := range []string{"_seconds", "_bytes"} {
		name = strings.TrimSuffix(name, unit)
	}
	return strings.Replace(name, "_", ".", 1)
}

func attribute(key, value string) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: value}}}
}
