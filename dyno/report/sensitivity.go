package report

import (
	"io"
	"maps"
	"slices"
	"strconv"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/study"
)

// sensitivityTable shows what share of a metric's variance each factor accounts
// for.
type sensitivityTable struct {
	Title   string // subject, load and metric
	Missing string // figures; empty if none
	Rows    []sensitivityRow
}

type sensitivityRow struct {
	Factor       string
	First, Total varianceShare
}

// varianceShare is an index with its interval. The positions are in per cent.
type varianceShare struct {
	Text, Range     string
	Note            string // why there is no interval, or no index
	Left, Mid, Wide float64
}

// sensitivityTables are those of the metrics that rankings show.
func sensitivityTables(a *analysis.Analysis, c language) (tables []sensitivityTable) {
	metrics := chosen(a)
	for i := range a.Sensitivity {
		s := &a.Sensitivity[i]
		if !slices.ContainsFunc(metrics, func(m shownMetric) bool { return m.metric == s.Metric }) {
			continue
		}
		t := sensitivityTable{Title: s.Subject + ", " + s.Load + c.text("list.colon") + c.metric(s.Metric), Missing: c.say(s.Missing)}
		for _, f := range s.Factors {
			t.Rows = append(t.Rows, sensitivityRow{f.Factor, newShare(f.First, c), newShare(f.Total, c)})
		}
		tables = append(tables, t)
	}
	return tables
}

func newShare(iv stats.Interval, c language) varianceShare {
	if iv.N == 0 || iv.Estimate == 0 && !iv.Note.IsZero() {
		return varianceShare{Text: "–", Note: c.say(iv.Note)}
	}
	s := varianceShare{Text: shareText(iv.Estimate) + gap + "%", Note: c.say(iv.Note), Mid: inUnit(iv.Estimate)}
	if iv.Level > 0 {
		s.Range = shareText(iv.Low) + "–" + shareText(iv.High)
		s.Left = inUnit(iv.Low)
		s.Wide = inUnit(iv.High) - s.Left
	}
	return s
}

// shareText writes a share in per cent, without the sign of a zero.
func shareText(x float64) string {
	text := strconv.FormatFloat(100*x, 'f', 0, 64)
	if text == "-0" {
		return "0"
	}
	return text
}

// inUnit is a share in per cent, no less than none and no more than all.
func inUnit(x float64) float64 { return percent(min(max(x, 0), 1), 1) }

func (m *markdown) sensitivity(t sensitivityTable) {
	m.line("## %s\n\n%s\n", escape(m.text("variance.title")), escape(t.Title))
	var rows [][]string
	for _, r := range t.Rows {
		rows = append(rows, []string{escape(r.Factor), r.First.text(), r.Total.text()})
	}
	m.table("l", []string{m.text("variance.factor"), m.text("variance.first"), m.text("variance.total")}, rows)
	m.line("\n%s\n", m.text("variance.note"))
	if t.Missing != "" {
		m.line("%s\n", escape(t.Missing))
	}
}

// text is the share with its interval on one line.
func (s varianceShare) text() string {
	if s.Range == "" {
		return s.Text
	}
	return s.Text + " (" + s.Range + ")"
}

// SensitivityCSV writes one row per subject, load, metric and factor, with the
// Sobol indices as shares from 0 to 1 and their intervals. Without a Sobol
// design there is only the head. Lines end in \n.
func SensitivityCSV(w io.Writer, a *analysis.Analysis) error {
	rows := [][]string{{"run", "study", "subject", "load", "metric", "factor",
		"first", "first_low", "first_high", "total", "total_low", "total_high", "groups", "level", "note"}}
	for _, s := range a.Sensitivity {
		for _, f := range s.Factors {
			row := []string{a.Run.ID, a.Run.Study, s.Subject, s.Load, s.Metric, f.Factor}
			for _, iv := range []stats.Interval{f.First, f.Total} {
				for _, x := range []float64{iv.Estimate, iv.Low, iv.High} {
					row = append(row, strconv.FormatFloat(x, 'g', -1, 64))
				}
			}
			rows = append(rows, append(row, strconv.Itoa(f.First.N), strconv.FormatFloat(f.First.Level, 'g', -1, 64), f.First.Note.String()))
		}
	}
	return writeCSV(w, rows)
}

// crossed are the factors whose interactions can be drawn: those with several
// levels, if there are two such and their levels were combined.
func crossed(a *analysis.Analysis) []string {
	names := []string{}
	if d := a.Run.Plan.Design; d != nil && d.Kind == study.OneAtATime {
		return names
	}
	levels := map[string]map[string]bool{}
	for _, g := range a.Groups {
		for factor, level := range g.Levels {
			if levels[factor] == nil {
				levels[factor] = map[string]bool{}
			}
			levels[factor][level] = true
		}
	}
	for _, factor := range slices.Sorted(maps.Keys(levels)) {
		if len(levels[factor]) > 1 {
			names = append(names, factor)
		}
	}
	if len(names) < 2 {
		return []string{}
	}
	return names
}
