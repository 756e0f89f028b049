package claim

import (
	"fmt"
	"math"

	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// madeUp is a study that was made up: two subjects at three rates and with two
// settings of TLS, whose values a function gives.
type madeUp struct {
	space  *Space
	blocks int
	value  func(metric string, c *Cell, block int) float64
	absent map[string]i18n.Message // metric → why there are no figures
	twins  map[string]stats.Interval
	bounds func(metric string, c *Cell, block int) float64
	failed map[int][]bool // by cell
	index  func(of Share) (stats.Interval, i18n.Message)
}

func (m *madeUp) Space() *Space { return m.space }
func (m *madeUp) Blocks() int   { return m.blocks }

func (m *madeUp) Values(metric string, cell int) ([]float64, i18n.Message) {
	values := make([]float64, m.blocks)
	for i := range values {
		values[i] = m.value(metric, &m.space.Cells[cell], i)
	}
	return values, m.absent[metric]
}

func (m *madeUp) AtLeast(metric string, cell int) []float64 {
	if m.bounds == nil {
		return nil
	}
	values := make([]float64, m.blocks)
	for i := range values {
		values[i] = m.bounds(metric, &m.space.Cells[cell], i)
	}
	return values
}

func (m *madeUp) Index(of Share) (stats.Interval, i18n.Message) { return m.index(of) }

func (m *madeUp) Failed(_ string, cell int) []bool { return m.failed[cell] }

func (m *madeUp) Noise(metric string, _ int) (stats.Interval, bool) {
	iv, ok := m.twins[metric]
	return iv, ok
}

var madeMetrics = []Metric{
	{"throughput", "req/s"}, {"cpu", "µs/req"}, {"rss", "bytes"}, {"errors", "%"}, {"response.p50", "µs"}, {"response.p99", "µs"},
	{"goroutines", ""},
}

// made makes a study up with so many blocks. go/a serves 1000 requests/s and go/b
// 2000, whatever else; noise of ±1 % alternates from block to block, in opposite
// directions for the two.
func made(blocks int) *madeUp {
	var cells []Cell
	for _, subject := range []string{"go/a", "go/b"} {
		for _, rate := range []string{"100", "200", "400"} {
			for _, tls := range []string{"off", "resumed"} {
				cells = append(cells, Cell{Index: len(cells), Subject: subject, Load: "steady", Levels: map[string]string{"rate": rate, "tls": tls}})
			}
		}
	}
	m := &madeUp{space: SpaceOf(madeMetrics, cells), blocks: blocks}
	m.value = func(metric string, c *Cell, block int) float64 {
		noise := 1.0
		if (block%2 == 0) == (c.Subject == "go/a") {
			noise = 1.01
		}
		double := 1.0
		if c.Subject == "go/b" {
			double = 2
		}
		switch metric {
		case "throughput":
			return 1000 * double * noise
		case "cpu":
			return 20 / double * noise
		case "rss":
			return 8e6 * noise
		case "errors":
			return 0
		case "response.p99":
			rate, _, _ := magnitude(c.Levels["rate"])
			return 50 * rate * noise
		case "response.p50":
			return 900 * noise
		}
		return math.NaN()
	}
	return m
}

// single makes up a study of two subjects and nothing else, with the values of
// throughput given.
func single(a, b []float64) *madeUp {
	return &madeUp{
		space:  SpaceOf(madeMetrics, []Cell{{Index: 0, Subject: "a", Load: "l"}, {Index: 1, Subject: "b", Load: "l"}}),
		blocks: len(a),
		value:  func(_ string, c *Cell, block int) float64 { return [][]float64{a, b}[c.Index][block] },
	}
}

// levels makes up a study of one subject at the levels of a factor, with the
// values of throughput given by level.
func levels(factor string, names []string, values [][]float64) *madeUp {
	var cells []Cell
	for i, name := range names {
		cells = append(cells, Cell{Index: i, Subject: "s", Load: "l", Levels: map[string]string{factor: name}})
	}
	return &madeUp{space: SpaceOf(madeMetrics, cells), blocks: len(values[0]),
		value: func(_ string, c *Cell, block int) float64 { return values[c.Index][block] }}
}

// decide evaluates one expression.
func decide(src Source, expression string) Outcome {
	return Evaluate(&Claim{ID: "c", Expressions: []string{expression}}, src, Options{})
}

func describe(out Outcome) string {
	text := fmt.Sprintf("%s (%s)", out.Verdict, out.Why)
	if len(out.Parts) > 0 && out.Parts[0].Effect != nil {
		e := out.Parts[0].Effect
		text += fmt.Sprintf(" %s = %g %s [%g, %g]", e.Of, e.Interval.Estimate, e.Unit, e.Interval.Low, e.Interval.High)
	}
	return text
}
