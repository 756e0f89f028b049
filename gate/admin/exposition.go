//go:build linux

package admin

import (
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"dyno/gate/stats"
)

// exposition is what Prometheus reads: its text format 0.0.4, or OpenMetrics 1.0, which
// has exemplars besides. Labels are of the configuration only, so there are never more
// series than that has routes and endpoints: nothing that clients send becomes one.
type exposition struct {
	b    []byte
	open bool // OpenMetrics
}

const (
	textType = "text/plain; version=0.0.4; charset=utf-8"
	openType = "application/openmetrics-text; version=1.0.0; charset=utf-8"
)

// family begins a metric. In OpenMetrics a counter's name is without "_total", which
// its samples have.
func (e *exposition) family(name, kind, help string) {
	if e.open && kind == "counter" {
		name = strings.TrimSuffix(name, "_total")
	}
	e.b = append(e.b, "# HELP "+name+" "+help+"\n# TYPE "+name+" "+kind+"\n"...)
}

// sample writes a value; labels are name and value in turn.
func (e *exposition) sample(name string, value float64, labels ...string) {
	e.value(name, value, labels)
	e.b = append(e.b, '\n')
}

func (e *exposition) value(name string, value float64, labels []string) {
	e.b = append(e.b, name...)
	for i := 0; i+1 < len(labels); i += 2 {
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		e.b = append(append(e.b, separator), labels[i]...)
		e.b = append(e.b, `="`...)
		e.b = append(e.b, escapeLabel.Replace(labels[i+1])...)
		e.b = append(e.b, '"')
	}
	if len(labels) > 0 {
		e.b = append(e.b, '}')
	}
	e.b = append(e.b, ' ')
	e.b = strconv.AppendFloat(e.b, value, 'g', -1, 64)
}

var escapeLabel = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// bucket writes a bucket of a histogram, with a request of it that was traced.
func (e *exposition) bucket(name string, value float64, example *stats.Exemplar, labels []string) {
	e.value(name, value, labels)
	if e.open && example != nil {
		e.b = append(e.b, ` # {trace_id="`...)
		e.b = hex.AppendEncode(e.b, example.Trace[:])
		e.b = append(e.b, `"} `...)
		e.b = strconv.AppendFloat(e.b, example.Took.Seconds(), 'g', -1, 64)
		e.b = append(e.b, ' ')
		e.b = strconv.AppendFloat(e.b, float64(example.At.UnixMilli())/1e3, 'f', 3, 64)
	}
	e.b = append(e.b, '\n')
}

// histogram writes the series of a histogram: its buckets end at [stats.Bound].
func (e *exposition) histogram(name string, h *stats.Histogram, examples *stats.Counters, labels []string) {
	count := h.Count()
	at, below := 0, uint64(0)
	for i := range stats.Bounds {
		end := stats.Bound(i)
		for at < len(h.Buckets) && stats.Upper(at) <= end {
			below += h.Buckets[at]
			at++
		}
		e.bucket(name+"_bucket", float64(below), examples.Exemplar(i), with(labels, "le", seconds(end)))
	}
	e.bucket(name+"_bucket", float64(count), examples.Exemplar(stats.Bounds), with(labels, "le", "+Inf"))
	e.sums(name, h, count, labels)
}

// sums writes what a histogram and a summary have in common.
func (e *exposition) sums(name string, h *stats.Histogram, count uint64, labels []string) {
	e.sample(name+"_sum", h.Sum.Seconds(), labels...)
	e.sample(name+"_count", float64(count), labels...)
}

func with(labels []string, name, value string) []string {
	return append(labels[:len(labels):len(labels)], name, value)
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'g', -1, 64) }

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
