package report

import (
	"bytes"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
)

// analysed is a made-up archived run, analysed as any run is.
func analysed(t testing.TB, run *archive.Run) *analysis.Analysis {
	t.Helper()
	a, err := analysis.Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Archived runs must find their figures in the report: the names of metrics are
// a contract between two packages.
func TestArchivedRunIsReported(t *testing.T) {
	for name, run := range map[string]*archive.Run{"closed": analysistest.Run(7), "open": analysistest.OpenLoop(7)} {
		a := analysed(t, run)
		for format, write := range formats {
			var out bytes.Buffer
			if err := write(&out, a); err != nil {
				t.Fatalf("%s as %s: %v", name, format, err)
			}
			if out.Len() == 0 {
				t.Errorf("%s as %s is empty", name, format)
			}
		}
		c, err := openLanguage("en")
		if err != nil {
			t.Fatal(err)
		}
		table := rank(a, &a.Groups[0], c)
		var metrics []string
		for _, col := range table.Columns {
			if !col.Ratio {
				metrics = append(metrics, col.Metric)
			}
		}
		if got := strings.Join(metrics, " "); got != "cpu throughput response.p50 response.p99 response.p99.9 rss" {
			t.Errorf("%s: columns %s", name, got)
		}
		if len(readCurve(a.Groups[0].Cells[0].Curve)) != len(tabulated) || readCurve(a.Groups[0].Cells[0].Curve)[1].Text == "–" {
			t.Errorf("%s: the curve lacks the percentiles of the table: %v", name, readCurve(a.Groups[0].Cells[0].Curve))
		}
	}
}
