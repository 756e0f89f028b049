package report

import (
	"bytes"
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/stats"
)

// twinned is the small fixture with a reference that was measured twice: the
// second arm is a copy of its first trials under another cell.
func twinned() *analysis.Analysis {
	a := small()
	g := &a.Groups[0]
	twin := g.Cells[0]
	twin.Cell, twin.Left = 99, nil
	g.TwinCell = &twin
	g.Twin = map[string]stats.Interval{}
	for _, m := range g.Metrics {
		g.Twin[m.Name] = stats.Interval{N: 6, Estimate: 1.01, Low: 0.995, High: 1.25, Level: 0.95}
	}
	a.Groups[1].Twin, a.Groups[1].TwinFrom = g.Twin, g.Title
	return a
}

func TestTwinIsBesideTheDifferences(t *testing.T) {
	a := twinned()
	cells := a.Groups[0].Cells
	cells[len(cells)-1].Ratios["cpu"] = stats.Interval{N: 6, Estimate: 1.004, Low: 0.99, High: 1.018, Level: 0.95}
	for name, write := range map[string]func(io.Writer, *analysis.Analysis) error{
		"markdown": func(w io.Writer, a *analysis.Analysis) error { return Markdown(w, a, "en") },
		"terminal": func(w io.Writer, a *analysis.Analysis) error { return Table(w, a, "en", 160, false) },
		"page":     func(w io.Writer, a *analysis.Analysis) error { return HTML(w, a, "en") },
	} {
		var out bytes.Buffer
		if err := write(&out, a); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(plainSpaces(out.String())), " ")
		for _, want := range []string{
			"A/A ±25 %", "CPU per request ±25 %", // the head of the ratios, and the note
			"=1.00×",                              // the same within 2 %
			"measured under " + a.Groups[0].Title, // the second load has none of its own
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
		if strings.Contains(text, "=1.15×") || strings.Contains(text, "≈1.15") {
			t.Errorf("%s: what is within the noise passes for the same", name)
		}
	}
}

func TestTwinInCSV(t *testing.T) {
	a := twinned()
	var out bytes.Buffer
	if err := CSV(&out, a); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	last := slices.Index(rows[0], "arm")
	if last < 0 {
		t.Fatalf("head %q", rows[0])
	}
	arms := map[string]int{}
	for _, row := range rows[1:] {
		arms[row[last]]++
		if cell := row[last-6]; (cell == "99") != (row[last] == "2") {
			t.Fatalf("row %q", row)
		}
	}
	if want := len(a.Groups[0].TwinCell.Trials) * len(a.Groups[0].Metrics); arms["2"] != want || len(arms) != 2 {
		t.Errorf("arms %v, want %d rows of the twin", arms, want)
	}
}

func TestNoiseInWords(t *testing.T) {
	g := &analysis.Group{Twin: map[string]stats.Interval{}}
	for high, want := range map[float64]string{1.0181: "±1.8 %", 1.25: "±25 %", 1.003: "±0.30 %", 3: "≤ 3.0×", 20: "> 10×"} {
		g.Twin["cpu"] = stats.Interval{N: 6, Estimate: 1, Low: 1, High: high, Level: 0.95}
		if got := plainSpaces(noise(g, "cpu")); got != want {
			t.Errorf("up to %v: %s, want %s", high, got, want)
		}
	}
	if got := noise(g, "rss"); got != "" {
		t.Errorf("a metric without a twin: %s", got)
	}
}
