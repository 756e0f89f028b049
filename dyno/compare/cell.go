package compare

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// Cell is an analysed cell with what it takes to find its like in another run.
type Cell struct {
	Group string // title: the load and its levels
	analysis.Cell
	Metrics []analysis.Metric // of its group
	Form    Form
	Load    string // see [LoadHash]
}

// Cells are all cells of a run, in the order of its report.
func Cells(a *analysis.Analysis) []Cell {
	var cells []Cell
	for i := range a.Groups {
		g := &a.Groups[i]
		for _, c := range g.Cells {
			form := formOf(g, &c)
			cells = append(cells, Cell{Group: g.Title, Cell: c, Metrics: g.Metrics, Form: form, Load: LoadHash(&a.Run, c.Cell, form)})
		}
	}
	return cells
}

// Key is the same for cells of two runs that answer the same question.
func (c *Cell) Key() [2]string { return [2]string{c.Group, c.Subject} }

func (c Cell) String() string { return c.Message().String() }

// Message is the cell's name in a sentence.
func (c Cell) Message() i18n.Message {
	return i18n.New("compare.cell", "%s under %s", c.Subject, c.Group)
}

// MetricNames are those of the cell's group.
func (c *Cell) MetricNames() []string {
	var names []string
	for _, m := range c.Metrics {
		names = append(names, m.Name)
	}
	return names
}

func (c *Cell) metric(name string) (analysis.Metric, bool) {
	i := slices.IndexFunc(c.Metrics, func(m analysis.Metric) bool { return m.Name == name })
	if i < 0 {
		return analysis.Metric{}, false
	}
	return c.Metrics[i], true
}

// Lacks says why the cell has no values of a metric.
func (c *Cell) Lacks(name string) i18n.Message {
	switch {
	case len(c.Trials) == 0:
		return i18n.New("compare.no-valid-trial", "no valid trial")
	case !c.Omitted[name].IsZero():
		return c.Omitted[name]
	}
	return i18n.New("compare.not-measured", "not measured")
}

// UsualMetrics are those that the study's report leads with, or else the ones
// that most people ask for.
func UsualMetrics(m *archive.Manifest) []string {
	if len(m.Report) > 0 {
		return m.Report
	}
	return []string{"throughput", "cpu", "response.p50", "response.p99", "rss"}
}

// LoadHash is the same for cells of two runs that were put under the same load:
// rhythm, requests, connections, settings and lengths, and measured in the same form. Figures of cells whose
// load differs answer different questions.
func LoadHash(m *archive.Manifest, cell int, form Form) string {
	c := &m.Plan.Cells[cell]
	timing := c.Timing(study.Timing{Warmup: m.Warmup, Duration: m.Duration})
	document, err := json.Marshal(struct {
		Cell   map[string]json.RawMessage // with its keys in order
		Timing study.Timing
		Form   Form `json:",omitzero"` // absent from the hashes of trials, which are older
	}{asked(c), timing, form})
	if err != nil {
		return "" // can't be: it was read from JSON, or will be written as such
	}
	return shortHash(document)
}

// asked are the fields of a cell, by the names they have in a manifest, without
// those that say what it is called and where it stands in its plan.
func asked(c *study.Cell) map[string]json.RawMessage {
	document, err := json.Marshal(c)
	if err != nil {
		return nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(document, &fields); err != nil {
		return nil
	}
	for _, name := range []string{"index", "subject", "load", "levels", "point", "twin"} {
		delete(fields, name)
	}
	return fields
}

// shortHash is as much of a SHA-256 as two texts need to be told apart.
func shortHash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}
