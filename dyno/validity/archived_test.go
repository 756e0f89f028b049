package validity

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// The cells of the runs behind the published figures, as their figures by trial are
// archived, hold what the limit of [Plateaus] promises: one cell in a hundred without
// any levels, for each of the two metrics looked at. What that comes to is different
// for the two findings. No subject of these runs is known to settle on levels, so
// restart-plateau may be given as often as chance allows. A start that lies apart is
// there to be seen, on a machine that others share: how often is no promise but
// a measurement, which dyno/docs/error-rates.md states; new records may differ from that by chance.
func TestPlateausOfArchivedRuns(t *testing.T) {
	files, err := filepath.Glob("../docs/results/*/trials.csv.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archived runs: %v", err)
	}
	cells, starts := 0, 0
	flagged := map[finding.Name]int{} // cells, each once
	for _, file := range files {
		for cell, metrics := range archivedCells(t, file) {
			if len(metrics["throughput"]) < plateauTrials {
				continue
			}
			cells++
			starts += len(metrics["throughput"])
			for _, metric := range []string{"throughput", "cpu"} {
				if found := Plateaus(i18n.Verbatim(metric), metrics[metric]); len(found) > 0 {
					flagged[found[0].Name]++
					t.Logf("%s, cell %s: %s", file, cell, found[0].Detail)
					break
				}
			}
		}
	}
	const metrics, promised, chance = 2, 0.01, 0.001
	if n := flagged[finding.RestartPlateau]; atLeast(n, cells, metrics*promised) < chance {
		t.Errorf("%d of %d cells are said to be on two levels: chance makes it %g at most", n, cells, metrics*promised)
	}
	docs, err := os.ReadFile("../docs/error-rates.md")
	if err != nil {
		t.Fatal(err)
	}
	measured := fmt.Sprintf("`restart-plateau` is given in %d and `restart-outlier` in %d of the %d cells (%d starts)",
		flagged[finding.RestartPlateau], flagged[finding.RestartOutlier], cells, starts)
	t.Log(measured)
	var plateaus, outliers, of int
	said := statedRate.FindStringSubmatch(strings.Join(strings.Fields(string(docs)), " "))
	if said == nil {
		t.Fatalf("dyno/docs/error-rates.md does not say: %s", measured)
	}
	fmt.Sscan(strings.Join(said[1:], " "), &plateaus, &outliers, &of)
	for name, k := range map[finding.Name]int{finding.RestartPlateau: plateaus, finding.RestartOutlier: outliers} {
		if p := stats.FisherExact(k, of, flagged[name], cells); p < chance {
			t.Errorf("dyno/docs/error-rates.md says that %s is given in %d of %d cells; now %s", name, k, of, measured)
		}
	}
}

var statedRate = regexp.MustCompile("`restart-plateau` is given in (\\d+) and `restart-outlier` in (\\d+) of the (\\d+) cells")

// atLeast is the probability of k or more of n, each with the chance p.
func atLeast(k, n int, p float64) float64 {
	less := 0.0
	for i := range k {
		all, _ := math.Lgamma(float64(n + 1))
		in, _ := math.Lgamma(float64(i + 1))
		out, _ := math.Lgamma(float64(n - i + 1))
		less += math.Exp(all - in - out + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return 1 - less
}

// archivedCells reads throughput and CPU time of each cell's trials, by cell and metric.
func archivedCells(t *testing.T, file string) map[string]map[string][]Restart {
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
	cells := map[string]map[string][]Restart{}
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
		cell := row[at["cell"]]
		if cells[cell] == nil {
			cells[cell] = map[string][]Restart{}
		}
		cells[cell][metric] = append(cells[cell][metric], Restart{Trial: trial, Value: value})
	}
	return cells
}
