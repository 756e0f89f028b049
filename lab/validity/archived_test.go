package validity

import (
	"compress/gzip"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// The cells of the runs behind the published figures, as their figures by trial
// are archived, are on one level each, as far as is known: no more than one in thirty
// is said to be on two. Those that are have a start some 20 to 50 % off the others.
func TestPlateausOfArchivedRuns(t *testing.T) {
	files, err := filepath.Glob("../../docs/results/*/trials.csv.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archived runs: %v", err)
	}
	cells, flagged := 0, 0
	for _, file := range files {
		for cell, restarts := range archivedCells(t, file) {
			if len(restarts) < plateauTrials {
				continue
			}
			cells++
			if found := Plateaus(cell, restarts); len(found) > 0 {
				flagged++
				t.Logf("%s: %s", file, found[0].Detail)
			}
		}
	}
	if cells < 50 || 30*flagged > cells {
		t.Errorf("%d of %d cells are said to be on two levels", flagged, cells)
	}
	t.Logf("%d of %d cells", flagged, cells)
}

// archivedCells reads throughput and CPU time of each cell's trials.
func archivedCells(t *testing.T, file string) map[string][]Restart {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	plain, err := gzip.NewReader(f)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	rows, err := csv.NewReader(plain).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	cells := map[string][]Restart{}
	for _, row := range rows[1:] {
		metric := row[at["metric"]]
		if metric != "throughput" && metric != "cpu" {
			continue
		}
		trial, err := strconv.Atoi(row[at["trial"]])
		if err != nil {
			t.Fatal(err)
		}
		value, err := strconv.ParseFloat(row[at["value"]], 64)
		if err != nil {
			t.Fatal(err)
		}
		key := row[at["cell"]] + " " + metric
		cells[key] = append(cells[key], Restart{Trial: trial, Value: value})
	}
	return cells
}
