// Package baseline keeps the figures of one or more runs in a small text file that is
// meant for git, so that a later run can be held against them where the old version
// can't be built and measured any more.
//
// It holds one value for each restart and not only their median: without their
// spread nothing could be said about the certainty of a difference. Runs of several
// days show what the machine itself differs by from day to day, which no number of
// restarts of one day does.
package baseline

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/compare"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// Format is the version of baseline files that this package writes and reads.
const Format = 1

// level is the confidence of the intervals in the file, which are for people;
// comparisons rest on the values.
const level = 0.95

// Baseline are the figures of its runs and the conditions of the newest one.
type Baseline struct {
	Format  int       `yaml:"baseline"`
	Name    string    `yaml:"name"`
	Run     string    `yaml:"run"`      // ID
	RunHash string    `yaml:"run_hash"` // its content address: "sha256:" and 64 digits
	Started time.Time `yaml:"started"`
	Earlier []Earlier `yaml:"earlier,omitempty"` // the runs before, oldest first
	Dyno    string    `yaml:"dyno"`
	Study   Study     `yaml:"study"`
	// Machine are the facts that make a machine another one, see [compare.Hardware].
	Machine   []compare.Property `yaml:"machine"`
	Kernel    string             `yaml:"kernel"`
	Placement string             `yaml:"placement"`
	Subjects  []Subject          `yaml:"subjects"`
	Cells     []Cell             `yaml:"cells"`
}

// Study is what was asked.
type Study struct {
	Name  string `yaml:"name"`
	Hash  string `yaml:"hash"` // of its text: "sha256:" and 64 digits
	Quick bool   `yaml:"quick"`
}

// Subject is what was measured.
type Subject struct {
	Name    string `yaml:"name"`
	Version string `yaml:"version,omitempty"`
	Build   string `yaml:"build,omitempty"` // hash
}

// Cell are the figures of a subject under one load.
type Cell struct {
	Group   string            `yaml:"group"` // the load and its levels
	Subject string            `yaml:"subject"`
	Load    string            `yaml:"load"` // hash of what was asked, see [compare.LoadHash]
	Metrics map[string]Metric `yaml:"metrics"`
}

// Earlier is a run of a baseline that has several.
type Earlier struct {
	Run     string    `yaml:"run"`
	RunHash string    `yaml:"run_hash"`
	Started time.Time `yaml:"started"`
}

// Holds reports whether the baseline was made of a run, by its ID.
func (b *Baseline) Holds(run string) bool {
	return b.Run == run || slices.ContainsFunc(b.Earlier, func(e Earlier) bool { return e.Run == run })
}

// Metric is one metric of a cell over restarts.
type Metric struct {
	Unit   string    `yaml:"unit"`
	Better string    `yaml:"better"` // "higher" or "lower"
	Median float64   `yaml:"median"`
	Low    float64   `yaml:"low"` // of the median's 95 % interval, or what there is of it
	High   float64   `yaml:"high"`
	N      int       `yaml:"restarts"`
	Values []float64 `yaml:"values"` // one for each restart, in order
	// Each is how many of the values are of each run, those of the earlier ones first;
	// nil if there is one run.
	Each []int `yaml:"each,omitempty"`
}

// kept are the metrics of a baseline, in addition to those that the study's report
// leads with: what gates are usually about, and the share of errors, without
// which nothing else may be called well.
var kept = []string{
	"throughput", "cpu", "cpu.user", "cpu.sys", "rss", "errors",
	"response.mean", "response.p50", "response.p90", "response.p99", "response.p99.9",
	"service.p50", "service.p99",
}

// New makes the baseline of an analysed run. It refuses a run that did not come
// to its end, and one that is invalid.
func New(name string, a *analysis.Analysis, runHash string) (*Baseline, error) {
	m := &a.Run
	switch {
	case !validName(name):
		return nil, nameError(name)
	case m.Status != archive.Complete:
		return nil, i18n.Errorf("baseline.run-incomplete", "run %s is %s: a baseline needs one that came to its end", m.ID, m.Status)
	case a.Validity == finding.Invalid:
		return nil, i18n.Errorf("baseline.run-invalid", "run %s is invalid, so its figures can't be a baseline: dyno show %s says why", m.ID, m.ID)
	}
	b := &Baseline{
		Format: Format, Name: name, Run: m.ID, RunHash: runHash, Started: m.Started.UTC().Truncate(time.Second), Dyno: m.Dyno,
		Study:   Study{Name: m.Study, Hash: StudyHash(m), Quick: m.Quick},
		Machine: compare.Hardware(&m.Machine), Kernel: m.Machine.Kernel, Placement: m.Placement.Mode,
	}
	for _, s := range m.Subjects {
		b.Subjects = append(b.Subjects, Subject{Name: s.Name, Version: s.Version, Build: s.BuildHash})
	}
	metrics := slices.Concat(kept, m.Report)
	for _, c := range compare.Cells(a) {
		if cell, ok := newCell(&c, metrics); ok {
			b.Cells = append(b.Cells, cell)
		}
	}
	if len(b.Cells) == 0 {
		return nil, i18n.Errorf("baseline.run-without-figures", "run %s has no figures for a baseline", m.ID)
	}
	return b, nil
}

func newCell(c *compare.Cell, metrics []string) (cell Cell, ok bool) {
	cell = Cell{Group: c.Group, Subject: c.Subject, Load: c.Load, Metrics: make(map[string]Metric)}
	for _, m := range c.Metrics {
		values := c.Values[m.Name]
		if len(values) > 0 && slices.Contains(metrics, m.Name) {
			cell.Metrics[m.Name] = newMetric(m, values)
		}
	}
	return cell, len(cell.Metrics) > 0
}

func newMetric(m analysis.Metric, values []float64) Metric {
	rounded := make([]float64, len(values))
	for i, v := range values {
		rounded[i] = round(v)
	}
	iv := stats.Median(rounded, level)
	return Metric{Unit: m.Unit, Better: m.Better, Median: round(iv.Estimate), Low: iv.Low, High: iv.High, N: len(rounded), Values: rounded}
}

// digits a value keeps: a millionth is far below any noise.
const digits = 6

func round(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
	if err != nil {
		return x
	}
	return r
}

// Find returns the cell of a subject under a load, or nil.
func (b *Baseline) Find(key [2]string) *Cell {
	for i := range b.Cells {
		if c := &b.Cells[i]; c.Group == key[0] && c.Subject == key[1] {
			return c
		}
	}
	return nil
}

// MarshalYAML writes a metric on one line, so that a change of it is one line in
// a diff.
func (m Metric) MarshalYAML() (any, error) {
	type plain Metric // without this method
	var node yaml.Node
	if err := node.Encode(plain(m)); err != nil {
		return nil, err
	}
	node.Style = yaml.FlowStyle
	return &node, nil
}

const head = `# The figures of %s, for dyno gate --baseline %s to compare with. Made by
%s# and not meant to be edited: make a new one instead.
`

// Bytes is the content of the baseline's file. The same baseline gives the same
// bytes.
func (b *Baseline) Bytes() ([]byte, error) {
	text, err := yaml.Marshal(b)
	if err != nil {
		return nil, err
	}
	of, made := "a run", ""
	for i, run := range b.runs() {
		verb := "set"
		if i > 0 {
			verb, of = "add", fmt.Sprintf("%d runs", i+1)
		}
		made += fmt.Sprintf("#   dyno baseline %s %s %s\n", verb, b.Name, run.Run)
	}
	return append(fmt.Appendf(nil, head, of, b.Name, made), text...), nil
}

var nameRule = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// validName reports whether name can name a baseline, and its file on any system.
func validName(name string) bool { return nameRule.MatchString(name) }

func nameError(name string) error {
	return i18n.Errorf("baseline.bad-name", "%.80q can't name a baseline: expected at most 64 letters, digits, dots, dashes and underscores, the first a letter or digit", name)
}

// knownMetric reports whether dyno measures a metric of this name.
func knownMetric(name string) bool { return slices.Contains(study.Metrics(), name) }
