package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
)

// onServices is a run whose first subject stands on a database that burns 0.4 of a CPU.
func onServices() *analysis.Analysis {
	a := fixture{subjects: []string{"go/a", "go/b"}, costs: []float64{10, 12}, blocks: 6, seconds: 2}.make()
	known := func(x float64) *float64 { return &x }
	a.Groups[0].Cells[0].Services = []analysis.Service{
		{Name: "db", CPU: known(0.4), Subject: known(0.8), PerRequest: known(123), RSS: known(64 << 20),
			Rates: map[string]float64{"commits": 2500, "sessions": 9, "rows_fetched": 77}, Gauges: map[string]float64{"active": 7, "connections": 16}},
		{Name: "redis", CPU: known(0.1), Subject: known(0.8), PerRequest: known(31), Rates: map[string]float64{"hits": 75, "misses": 25, "commands": 100}},
		{Name: "mine", Rates: map[string]float64{"slow": 1, "fast": 900, "never": 0}},
	}
	for i := range a.Groups[0].Cells[0].Seconds {
		s := &a.Groups[0].Cells[0].Seconds[i]
		s.Services = []analysis.ServiceSecond{{Name: "db", CPU: 0.4 + 0.01*float64(i%3)}, {Name: "panel.rss", CPU: 0.1}}
	}
	return a
}

// allOnServices is the same with a database below both subjects, to look at.
func allOnServices() *analysis.Analysis {
	a := onServices()
	for i := range a.Groups[0].Cells[1].Seconds {
		a.Groups[0].Cells[1].Seconds[i].Services = []analysis.ServiceSecond{{Name: "db", CPU: 0.3 + 0.02*float64(i%4)}, {Name: "redis", CPU: 0.1}}
	}
	return a
}

// What services use is on the terminal, next to what the subject used.
func TestServicesOnTheTerminal(t *testing.T) {
	for lang, head := range map[string]string{"en": "What they stood on", "zh": "它们所依赖的服务"} {
		var out bytes.Buffer
		if err := Table(&out, onServices(), lang, 200, false); err != nil {
			t.Fatal(err)
		}
		var got []string
		_, rest, found := strings.Cut(out.String(), head)
		if !found {
			t.Fatalf("%s: no services in\n%s", lang, &out)
		}
		for line := range strings.Lines(strings.TrimSpace(rest)) {
			if got = append(got, strings.Join(strings.Fields(line), " ")); len(got) == 4 {
				break
			}
		}
		want := []string{
			"go/a db 0.400 0.800 123 µs 64.0 MiB commits 2500/s · active 7.00 · rows_fetched 77.0/s",
			"redis 0.100 0.800 31.0 µs – hits 75.0 % · commands 100/s",
			"mine – – – – fast 900/s · slow 1.00/s",
		}
		for i, line := range want {
			if len(got) <= i+1 || got[i+1] != line {
				t.Errorf("%s: line %d of\n%s\nwant %q", lang, i+1, strings.Join(got, "\n"), line)
			}
		}
	}
	var narrow, none bytes.Buffer
	if err := Table(&narrow, onServices(), "en", 80, false); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(narrow.String(), "What they stood on")
	for line := range strings.Lines(rest) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
			t.Errorf("%d characters: %q", n, line)
		}
	}
	if err := Table(&none, eight().make(), "en", 120, false); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(none.String(), "What they stood on") {
		t.Error("a run without services has a table of them")
	}
}

// The page draws the CPU time of services over time, in one panel with the subject's.
func TestServicesOverTime(t *testing.T) {
	ctx := browser(t)
	for lang, subject := range map[string]string{"en": "subject", "zh": "对象"} {
		tb := openReport(t, ctx, onServices(), lang, desktop)
		eval[int](tb, `(dyno.windows.select(dyno.current().cells.findIndex(({ subject }) => subject === "go/a"), dyno.current().cells.find(({ subject }) => subject === "go/a").trials[0]), 0)`)
		lines := eval[map[string][]float64](tb, `(() => {
			const { panel } = dyno.windows.shown.find(({ panel }) => panel.name === "services");
			const { seconds } = dyno.windows.trial();
			return Object.fromEntries(panel.lines.map(([key, label]) => [label, seconds.map((second) => dyno.panels.value(panel, second, key))]));
		})()`)
		if len(lines) != 3 || len(lines[subject]) == 0 || !near(lines["db"], 0.40, 0.42) || !near(lines["panel.rss"], 0.1, 0.1) {
			t.Errorf("%s: lines %v", lang, lines)
		}
		if drawn := eval[int](tb, `dyno.windows.shown.find(({ panel }) => panel.name === "services").chart.instance.getOption().series.length`); drawn != 3 {
			t.Errorf("%s: %d lines are drawn, want 3", lang, drawn)
		}
		eval[int](tb, `(dyno.windows.select(dyno.current().cells.findIndex(({ subject }) => subject === "go/b"), dyno.current().cells.find(({ subject }) => subject === "go/b").trials[0]), 0)`)
		if n := eval[int](tb, `dyno.windows.shown.filter(({ panel }) => panel.name === "services").length`); n != 0 {
			t.Errorf("%s: a subject without services has %d panels of them", lang, n)
		}
		tb.clean()
	}
}

func near(list []float64, low, high float64) bool {
	return len(list) > 0 && slices.Min(list) >= low-1e-9 && slices.Max(list) <= high+1e-9
}
