//go:build linux

package metrics

import (
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"dyno.example/nanogate/internal/stats"
)

// Media types of [Text].
const (
	TextType = "text/plain; version=0.0.4; charset=utf-8"
	OpenType = "application/openmetrics-text; version=1.0.0; charset=utf-8"
)

// Text is what Prometheus reads: its text format 0.0.4, or OpenMetrics 1.0, which also
// has exemplars.
func Text(g Gateway, open bool) []byte {
	e := exposition{open: open}
	write(g, &e)
	if open {
		e.b = append(e.b, "# EOF\n"...)
	}
	return e.b
}

// exposition is an encoder of text.
type exposition struct {
	b    []byte
	name string // of the family
	open bool   // OpenMetrics
}

// family begins a metric. In OpenMetrics a counter's name is without "_total", which
// its samples have.
func (e *exposition) family(name string, k kind, help string) {
	if e.name = name; e.open && k == counter {
		name = strings.TrimSuffix(name, "_total")
	}
	e.b = append(e.b, "# HELP "+name+" "+help+"\n# TYPE "+name+" "+k.String()+"\n"...)
}

func (e *exposition) level(value float64, labels ...string) { e.sample("", value, labels) }

func (e *exposition) count(value float64, _ time.Time, labels ...string) { e.sample("", value, labels) }

// sample writes a value of the family; labels are name and value in turn.
func (e *exposition) sample(suffix string, value float64, labels []string) {
	e.value(suffix, value, labels)
	e.b = append(e.b, '\n')
}

func (e *exposition) value(suffix string, value float64, labels []string) {
	e.b = append(append(e.b, e.name...), suffix...)
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
func (e *exposition) bucket(below uint64, end string, example *stats.Exemplar, labels []string) {
	e.value("_bucket", float64(below), with(labels, "le", end))
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
func (e *exposition) histogram(h *stats.Histogram, of *stats.Counters, labels []string) {
	counts := h.Bounded()
	below := uint64(0)
	for i := range stats.Bounds {
		below += counts[i]
		e.bucket(below, seconds(stats.Bound(i)), of.Exemplar(i), labels)
	}
	below += counts[stats.Bounds]
	e.bucket(below, "+Inf", of.Exemplar(stats.Bounds), labels)
	e.sums(h, below, time.Time{}, labels)
}

// sums writes what a histogram and a summary have in common.
func (e *exposition) sums(h *stats.Histogram, count uint64, _ time.Time, labels []string) {
	e.sample("_sum", h.Sum.Seconds(), labels)
	e.sample("_count", float64(count), labels)
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'g', -1, 64) }
