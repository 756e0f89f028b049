package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/study"
)

// CSV writes one row per trial and metric, tidy: every column is one variable,
// every figure has its unit next to it and full precision. Factors have a column
// each, named "factor.NAME". Trials that were left out have no rows; blocks
// count from 1. Where the reference was measured twice there is a column "arm": 2 in the
// rows of its twin, 1 in all others. The last one, "origin", says where the figure comes
// from, see [analysis.Cell.Origin]. Lines end in \n. Names and
// levels are written as they are: a spreadsheet takes those that begin with =, +, -
// or @ for formulas unless it is told that they are text.
func CSV(w io.Writer, a *analysis.Analysis) error {
	factors := factorNames(a)
	head := []string{"run", "study", "load"}
	for _, f := range factors {
		head = append(head, "factor."+f)
	}
	head = append(head, "subject", "cell", "trial", "block", "metric", "unit", "value")
	twins := slices.ContainsFunc(a.Groups, func(g analysis.Group) bool { return g.TwinCell != nil })
	if twins {
		head = append(head, "arm")
	}
	head = append(head, "origin")
	rows := [][]string{head}
	trials := map[int]study.PlannedTrial{}
	for _, t := range a.Run.Plan.Trials {
		trials[t.Index] = t
	}
	for i := range a.Groups {
		rows = append(rows, groupRows(a, &a.Groups[i], factors, trials, twins)...)
	}
	return writeCSV(w, rows)
}

func writeCSV(w io.Writer, rows [][]string) error {
	if err := csv.NewWriter(w).WriteAll(rows); err != nil {
		return fmt.Errorf("report: writing CSV: %w", err)
	}
	return nil
}

func groupRows(a *analysis.Analysis, g *analysis.Group, factors []string, trials map[int]study.PlannedTrial, twins bool) [][]string {
	head := []string{a.Run.ID, a.Run.Study, g.Load}
	for _, f := range factors {
		head = append(head, g.Levels[f])
	}
	var rows [][]string
	for _, cell := range arms(g) {
		for i, trial := range cell.Trials {
			for _, m := range g.Metrics {
				values := cell.Values[m.Name]
				if i >= len(values) {
					continue
				}
				row := append(slices.Clone(head), cell.Subject, strconv.Itoa(cell.Cell),
					strconv.Itoa(trial), strconv.Itoa(trials[trial].Block+1), m.Name, m.Unit,
					strconv.FormatFloat(values[i], 'g', -1, 64))
				if twins {
					row = append(row, armOf(g, cell))
				}
				rows = append(rows, append(row, cell.Origin(trial, m.Name)))
			}
		}
	}
	return rows
}

// armOf is 2 for the reference measured again, else 1.
func armOf(g *analysis.Group, cell *analysis.Cell) string {
	if cell == g.TwinCell {
		return "2"
	}
	return "1"
}

// factorNames are the factors of all groups, sorted.
func factorNames(a *analysis.Analysis) []string {
	names := map[string]bool{}
	for _, g := range a.Groups {
		for f := range g.Levels {
			names[f] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
