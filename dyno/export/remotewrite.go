package export

import (
	"math"
	"strconv"

	"github.com/klauspost/compress/s2"
	"google.golang.org/protobuf/encoding/protowire"

	"dyno.example/dyno/load/measure"
)

// RemoteWrite encodes windows for Prometheus remote write 1.0
// (https://prometheus.io/docs/specs/prw/remote_write_spec): a WriteRequest in
// protocol buffers, compressed with Snappy in its block format.
type RemoteWrite struct {
	source *Source
	meter  *meter
}

// NewRemoteWrite returns an encoder for one load.
func NewRemoteWrite(source *Source) *RemoteWrite {
	return &RemoteWrite{source: source, meter: newMeter()}
}

// Headers are those of every request.
func (*RemoteWrite) Headers() map[string]string {
	return map[string]string{
		"Content-Type": "application/x-protobuf", "Content-Encoding": "snappy", "X-Prometheus-Remote-Write-Version": "0.1.0",
	}
}

// Encode returns the body that tells of the load up to the end of w. Windows
// are to come in order, each once.
func (r *RemoteWrite) Encode(w *measure.Window) ([]byte, error) {
	var body []byte
	ms := r.source.end(w).UnixMilli()
	for _, m := range r.meter.add(w) {
		for _, p := range m.points {
			value := p.value
			if p.ended {
				value = math.Float64frombits(staleNaN)
			}
			body = appendSeries(body, r.source.labels(m.name, p.labels...), value, ms)
		}
		if m.histogram != nil {
			body = r.appendHistogram(body, &m, ms)
		}
	}
	return s2.EncodeSnappy(nil, body), nil
}

// appendHistogram appends a histogram as Prometheus has them: cumulative
// buckets by their upper bounds, a sum and a count.
func (r *RemoteWrite) appendHistogram(body []byte, m *metric, ms int64) []byte {
	sum := uint64(0)
	for i, n := range m.histogram.counts {
		sum += n
		bound := math.Inf(1)
		if i < len(r.meter.bounds) {
			bound = r.meter.bounds[i]
		}
		le := label{"le", strconv.FormatFloat(bound, 'g', 6, 64)}
		body = appendSeries(body, r.source.labels(m.name+"_bucket", le), float64(sum), ms)
	}
	body = appendSeries(body, r.source.labels(m.name+"_sum"), m.histogram.sum, ms)
	return appendSeries(body, r.source.labels(m.name+"_count"), float64(m.histogram.count), ms)
}

// staleNaN is the value that ends a series (remote write 1.0, "Stale Markers").
const staleNaN = 0x7ff0000000000002

// Field numbers of prometheus.WriteRequest and the messages in it.
const (
	requestTimeseries = 1
	seriesLabels      = 1
	seriesSamples     = 2
	labelName         = 1
	labelValue        = 2
	sampleValue       = 1
	sampleTimestamp   = 2 // ms since the epoch
)

// appendSeries appends a time series of one sample. Labels must be in order of
// their names.
func appendSeries(body []byte, labels []label, value float64, ms int64) []byte {
	var series, part []byte
	for _, l := range labels {
		part = protowire.AppendTag(part[:0], labelName, protowire.BytesType)
		part = protowire.AppendString(part, l.name)
		part = protowire.AppendTag(part, labelValue, protowire.BytesType)
		part = protowire.AppendString(part, l.value)
		series = protowire.AppendTag(series, seriesLabels, protowire.BytesType)
		series = protowire.AppendBytes(series, part)
	}
	part = protowire.AppendTag(part[:0], sampleValue, protowire.Fixed64Type)
	part = protowire.AppendFixed64(part, math.Float64bits(value))
	part = protowire.AppendTag(part, sampleTimestamp, protowire.VarintType)
	part = protowire.AppendVarint(part, uint64(ms))
	series = protowire.AppendTag(series, seriesSamples, protowire.BytesType)
	series = protowire.AppendBytes(series, part)
	body = protowire.AppendTag(body, requestTimeseries, protowire.BytesType)
	return protowire.AppendBytes(body, series)
}
