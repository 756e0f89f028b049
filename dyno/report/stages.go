package report

import (
	"fmt"
	"strconv"

	"dyno.example/dyno/analysis"
)

// stageTable shows a group's load phase by phase, if it has several.
type stageTable struct {
	Title string
	Rows  []stageRow
}

// stageRow is one subject in one stage.
type stageRow struct {
	Subject                     string
	Stage                       string
	Seconds                     int
	Offered, Throughput, Errors string
	P50, P99                    string
}

func newStageTable(r ranking) stageTable {
	t := stageTable{Title: r.Title}
	for _, row := range r.Rows {
		for i := range row.Cell.Stages {
			t.Rows = append(t.Rows, newStageRow(row.Cell.Subject, &row.Cell.Stages[i]))
		}
	}
	return t
}

func newStageRow(subject string, s *analysis.Stage) stageRow {
	row := stageRow{Subject: subject, Stage: fmt.Sprintf("%d · %s", s.Phase, s.Name), Seconds: s.Windows, Offered: "–", Throughput: "–", Errors: "–", P50: "–", P99: "–"}
	if s.Windows > 0 {
		row.Offered, row.Throughput, row.Errors = quantity("req/s", s.Offered), quantity("req/s", s.Throughput), strconv.FormatUint(s.Errors, 10)
	}
	if curve := s.Response; len(curve) == 2 {
		row.P50, row.P99 = bounded(curve[0]), bounded(curve[1])
	}
	return row
}

// bounded writes a percentile, marked if it is a lower bound.
func bounded(p analysis.Point) string {
	text := quantity("µs", p.Micros)
	if p.Censored {
		return "≥ " + text
	}
	return text
}
