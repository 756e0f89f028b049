package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// varied is the fixture with a study of two factors: each group is one
// combination of their levels.
func varied(kind string) *analysis.Analysis {
	a := eight().make()
	group := a.Groups[0]
	a.Groups = nil
	for _, connections := range []string{"1", "8", "64"} {
		for _, gogc := range []string{"50", "400"} {
			g := group
			g.Levels = map[string]string{"connections": connections, "env.GOGC": gogc}
			g.Title = fmt.Sprintf("saturate, connections=%s, env.GOGC=%s", connections, gogc)
			a.Groups = append(a.Groups, g)
		}
	}
	a.Run.Plan.Design = &study.PlannedDesign{Kind: kind, Samples: 16, Factors: []string{"connections", "env.GOGC"}}
	iv := func(x float64) stats.Interval {
		return stats.Interval{N: 16, Estimate: x, Low: x - 0.1, High: x + 0.1, Level: 0.95}
	}
	a.Sensitivity = []analysis.Sensitivity{
		{Subject: "go/gin", Load: "saturate", Metric: "cpu", Factors: []analysis.FactorVariance{
			{Factor: "connections", First: iv(0.62), Total: iv(0.95)}, {Factor: "env.GOGC", First: iv(0.04), Total: iv(0.35)},
		}},
		{Subject: "go/gin", Load: "saturate", Metric: "service.max", Missing: i18n.Verbatim("no sample of it")},
	}
	return a
}

func TestSensitivityIsShown(t *testing.T) {
	a := varied(study.SobolDesign)
	var markdown, page, table bytes.Buffer
	if err := Markdown(&markdown, a, "en"); err != nil {
		t.Fatal(err)
	}
	if want := "| connections | 62 % (52–72) | 95 % (85–105) |\n| env.GOGC | 4 % (-6–14) | 35 % (25–45) |"; !strings.Contains(markdown.String(), want) {
		t.Errorf("Markdown lacks %s", want)
	}
	if err := HTML(&page, a, "zh"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`id="chart-interactions"`, `<option selected>env.GOGC</option>`, `<rect class="span" x="52" y="1" width="20" height="5"/>`, `<rect class="span" x="0" y="1" width="14" height="5"/>`} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page.String(), "no sample of it") {
		t.Error("the page shows a metric that rankings don't")
	}
	if err := SensitivityCSV(&table, a); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(table.String()), "\n")
	if len(lines) != 3 || !strings.Contains(lines[1], ",go/gin,saturate,cpu,connections,0.62,0.52,0.72,0.95,") {
		t.Errorf("CSV:\n%s", table.String())
	}
}

func TestCrossed(t *testing.T) {
	for kind, want := range map[string][]string{study.SobolDesign: {"connections", "env.GOGC"}, study.OneAtATime: {}} {
		if got := crossed(varied(kind)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
	if got := crossed(eight().make()); len(got) != 0 {
		t.Errorf("one level each: %q", got)
	}
}

func TestSharesInWords(t *testing.T) {
	for _, c := range []struct {
		iv   stats.Interval
		want string
	}{
		{stats.Interval{N: 8, Estimate: -0.001, Low: -0.1, High: 0.1, Level: 0.95}, "0 % (-10–10)"},
		{stats.Interval{N: 4, Estimate: 0.5, Note: i18n.Verbatim("few")}, "50 %"},
		{stats.Interval{N: 4, Note: i18n.Verbatim("the result does not vary")}, "–"},
		{stats.Interval{}, "–"},
	} {
		if got := plainSpaces(newShare(c.iv, languages(t)["en"]).text()); got != c.want {
			t.Errorf("%+v: %s, want %s", c.iv, got, c.want)
		}
	}
}

// TestInteractionsPage draws interactions in a real browser.
func TestInteractionsPage(t *testing.T) {
	tb := openReport(t, browser(t), varied(study.SobolDesign), "en", desktop)
	checkDrawn(tb, 17+1)
	text := `document.querySelector("#chart-interactions svg").textContent`
	if got := eval[string](tb, text); !strings.Contains(got, "env.GOGC=400") || !strings.Contains(got, "connections") {
		t.Errorf("the plot says %q", got)
	}
	rows := `document.querySelectorAll("#interactions-table tbody tr").length`
	if n := eval[int](tb, rows); n != 2 {
		t.Errorf("%d rows of figures, want one a line", n)
	}
	eval[bool](tb, `(() => { for (const [id, value] of [["x", "env.GOGC"], ["by", "connections"]]) {
		const control = document.getElementById("interactions-" + id);
		control.value = value;
		control.dispatchEvent(new Event("change"));
	} return true; })()`)
	if got := eval[string](tb, text); !strings.Contains(got, "connections=64") || eval[int](tb, rows) != 3 {
		t.Errorf("with the factors exchanged the plot says %q", got)
	}
	tb.clean()
}

// TestSensitivityInATerminal: the indices in lines that fit.
func TestSensitivityInATerminal(t *testing.T) {
	a := varied(study.SobolDesign)
	for i := range a.Groups { // their titles are long
		a.Groups[i].Title = "saturate"
	}
	const whole = `Variance by factor

go/gin, saturate: CPU per request
                       Alone  With interactions
  Factor       (first order)            (total)
  connections   62 % (52–72)      95 % (85–105)
  env.GOGC       4 % (-6–14)       35 % (25–45)
`
	for width, want := range map[int]string{120: whole, 47: whole, 44: "  connect…   62 % (52–72)      95 % (85–105)\n"} {
		var out bytes.Buffer
		if err := Table(&out, a, "en", width, false); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("width %d: no\n%s\nin\n%s", width, want, out.String())
		}
	}
	var out bytes.Buffer
	if err := Table(&out, eight().make(), "en", 120, false); err != nil || strings.Contains(out.String(), "Variance by factor") {
		t.Errorf("without a Sobol design: %v\n%s", err, out.String())
	}
}
