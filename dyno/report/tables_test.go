package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// quantiled is the fixture with intervals of some of one subject's quantiles.
func quantiled() *analysis.Analysis {
	a := small()
	p50 := stats.Interval{N: 6, Estimate: 800, Low: 750, High: 900, Level: 0.95}
	few := stats.Interval{N: 3, Estimate: 1500, Low: 1400, High: 1700, Level: 0.75}
	none := stats.Interval{N: 6, Estimate: 5000, Low: 5000, High: 5000, Note: i18n.Verbatim("need ≥ 100")}
	a.Groups[0].Cells[1].Merged = map[string]stats.Interval{"response.p50": p50, "response.p90": few, "response.p99": none}
	return a
}

// written writes a report in a form and returns it with plain spaces.
func written(t *testing.T, form string, a *analysis.Analysis) string {
	t.Helper()
	var out bytes.Buffer
	if err := formats[form](&out, a); err != nil {
		t.Fatal(err)
	}
	return plainSpaces(out.String())
}

// TestQuantilesHaveIntervals: next to those that have one, with its confidence
// where that is less than usual, and what they are.
func TestQuantilesHaveIntervals(t *testing.T) {
	a := quantiled()
	figures := readCurve(a.Groups[0].Cells[1].Curve)
	p50, p90, p99 := plainSpaces(figures[0].Text), plainSpaces(figures[1].Text), plainSpaces(figures[2].Text)
	const what, look = "Those of the response time have their intervals next to them", "those of a single look"
	markdown, page := written(t, "markdown.md", a), written(t, "page", a)
	for _, want := range []string{"### Response by percentile", "Quantiles of all requests of all used trials together", "| " + p50 + " (750–900) | " + p90 + " (1.40–1.70, 75 %) | " + p99 + " |", what} {
		if !strings.Contains(markdown, want) {
			t.Errorf("Markdown lacks %q", want)
		}
	}
	for _, want := range []string{"<td>" + p50 + " <small>750–900</small></td>", "<small>1.40–1.70, 75 %</small>", what} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Count(markdown, what) != 1 {
		t.Error("a group without intervals explains them")
	}
	if strings.Contains(markdown+page, look) || strings.Contains(markdown, "a single trial, its") {
		t.Error("a run of one look and several trials says what is so of others")
	}
	a.Run.Until = study.Until{Time: time.Minute}
	if !strings.Contains(written(t, "markdown.md", a), look) || !strings.Contains(written(t, "page", a), look) {
		t.Error("a run that could end early does not say what its intervals are")
	}
	a.Groups[0].Cells[1].Merged["response.p50"] = stats.Interval{N: 1, Estimate: 800, Low: 750, High: 900, Level: 0.95}
	if got := written(t, "markdown.md", a); !strings.Contains(got, "(750–900)") || !strings.Contains(got, "a single trial, its interval is over windows") {
		t.Error("a single trial's interval is not shown for what it is")
	}
}
