package found

import (
	"bytes"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/capacity"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/present"
	"dyno.example/dyno/present/curve"
	"dyno.example/dyno/report"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// outcome is one that is shown as text and as a page.
type outcome interface {
	Text(io.Writer, report.Texts)
	Page(report.Texts) *curve.Page
}

// everyKind are outcomes that have something of every kind to say.
func everyKind() map[string]outcome {
	disturbed := capacity.Disturbed{Validity: finding.Invalid, Findings: []finding.Finding{
		{Name: "generator-stalled", Validity: finding.Suspect, Detail: i18n.New("load.loop-away", "a load loop was away for %s", "412ms"), Windows: []int{0, 1}},
		{Name: "steal", Validity: finding.Valid, Detail: i18n.New("load.loop-away", "a load loop was away for %s", "412ms"), Windows: []int{1}},
	}}
	quiet := capacity.Disturbed{Validity: finding.Valid}
	lower := capacity.Load{Rate: 1000, Class: capacity.Lower, Trials: []capacity.Trial{
		{Length: time.Second, Decision: capacity.Holds}, {Length: 5 * time.Second, Decision: capacity.Holds}, {Length: 5 * time.Second, Decision: capacity.Spoiled},
	}}
	upper := capacity.Load{Rate: 1040, Class: capacity.Upper, Trials: []capacity.Trial{{Length: 5 * time.Second, Decision: capacity.Fails, P99: 8e7}}}
	open := capacity.Load{Rate: 1020, Class: capacity.Undecided}
	blocked := capacity.Load{Rate: 1100, Class: capacity.Blocked, Limited: true, Why: i18n.New("capacity.nothing-as-expected", "no response was as expected")}
	broke := []capacity.Broken{{Condition: "p99 < 50ms", Failed: 1, Of: 2, Unknown: 1, Measured: []i18n.Message{i18n.Verbatim("p99 = 80ms")}}}
	all := []capacity.Load{lower, open, upper, blocked}
	goal := capacity.DefaultGoal()
	kinds := map[string]outcome{}
	for name, r := range map[string]*capacity.Result{
		"bracket":   {Disturbed: disturbed, Holds: &lower, Fails: &upper, Why: i18n.New("capacity.time-up", "time was up"), Broke: broke, Hints: []i18n.Message{i18n.New("capacity.may-be-higher", "the capacity may be higher")}, Loads: all},
		"generator": {Holds: &lower, Limit: &blocked, Why: i18n.New("capacity.generator-limits-from", "from %s/s on the generator is the limit: %s", "1100", "no response was as expected")},
		"top":       {Holds: &lower, Why: i18n.New("capacity.holds-at-highest", "it holds even at the highest rate")},
		"floor":     {Fails: &upper, Why: i18n.New("capacity.fails-at-lowest", "it fails even at the lowest rate")},
		"nothing":   {Why: i18n.New("loadcmd.nothing-answered", "nothing responded: %s", i18n.New("capacity.generator-disturbed", "the generator was disturbed all the time: %s", "other-load"))},
	} {
		if r.Validity == "" {
			r.Validity = finding.Valid
		}
		kinds["capacity, "+name] = &Capacity{Result: r, Goal: goal}
	}
	estimate := stats.Interval{Estimate: 10, Low: 9, High: 11}
	memory := 3.5 * (1 << 20)
	levels := []capacity.Level{{Connections: 10, Throughput: 100, Up: 100, Down: 90, P99: 1e6, Memory: 1 << 20}}
	levels[0].Trials = []capacity.LevelTrial{{Why: i18n.New("capacity.connect-failed", "no connection came up: %s", "refused"), Spoiled: true}}
	failed := []capacity.Level{{Connections: 10, Trials: []capacity.LevelTrial{{Why: i18n.New("capacity.nothing-as-expected", "no response was as expected")}}}}
	notes := []i18n.Message{i18n.Verbatim("500")}
	kinds["knee, of a service that fails"] = &Knee{Knee: &capacity.Knee{Disturbed: quiet, Notes: notes, Levels: failed, FitNote: i18n.New("stats.law-needs-points", "a scalability law needs at least %s points at %s levels of concurrency", "6", "4")}}
	peak := &stats.USL{Lambda: estimate, Sigma: estimate, Kappa: estimate, Peak: &estimate, Top: &estimate}
	kinds["knee"] = &Knee{Pid: 1, Knee: &capacity.Knee{Disturbed: disturbed, Enough: 10, EnoughLow: 9, EnoughHigh: 11, Fit: peak, MemoryPer1000: &memory, Levels: levels}}
	kinds["knee, without a fit"] = &Knee{Knee: &capacity.Knee{Disturbed: quiet, Levels: levels, FitNote: i18n.New("stats.law-needs-points", "a scalability law needs at least %s points at %s levels of concurrency", "6", "4")}}
	kinds["knee, without memory"] = &Knee{Pid: 1, Knee: &capacity.Knee{Disturbed: quiet, Levels: levels, FitNote: i18n.New("stats.law-needs-points", "a scalability law needs at least %s points at %s levels of concurrency", "6", "4"), MemoryNote: i18n.New("capacity.too-few-memory-levels", "fewer than three levels have the server's memory")}}
	during := capacity.Stretch{Offered: 900, Goodput: 300, Shed: 7}
	during.Errors.Timeout = 3
	for name, a := range map[string]*capacity.Aftermath{
		"never": {During: during, Recovery: 20 * time.Second, Spoiled: true, Why: i18n.New("capacity.machine-disturbed", "the machine was disturbed: %s", "steal"), Notes: []i18n.Message{i18n.New("capacity.objective-without-time", "the objective has no limit on the response time: goodput counts every response")}},
		"dead":  {Failing: true}, "at once": {Recovered: true}, "later": {Recovered: true, Recovery: time.Second},
	} {
		kinds["overload, "+name] = &Overload{Aftermath: a, Validity: finding.Suspect, Findings: disturbed.Findings, Tries: 2}
	}
	return kinds
}

// The Chinese text has no English but names, units and what was on the wire.
func TestChineseText(t *testing.T) {
	texts, err := report.TextsIn("zh")
	if err != nil {
		t.Fatal(err)
	}
	english := regexp.MustCompile(`[A-Za-z_.]{2,}`)
	known := []string{"ms", "MiB", "CPU", "generator", "stalled", "steal", "other", "load", "pid", "refused", "status", "http", "example", "poisson"}
	for name, of := range everyKind() {
		var out bytes.Buffer
		of.Text(&out, texts)
		out.WriteString(pageText(t, of.Page(texts)))
		for line := range strings.Lines(out.String()) {
			for _, word := range english.FindAllString(line, -1) {
				if !slices.Contains(known, word) && strings.Trim(word, ".") != "" {
					t.Errorf("%s: %q in %q", name, word, line)
				}
			}
		}
	}
}

// pageText is what can be read on a page.
func pageText(t *testing.T, p *curve.Page) string {
	t.Helper()
	var out strings.Builder
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	if want := `<html lang="` + p.Lang + `">`; p.Lang == "" || !strings.Contains(out.String(), want) {
		t.Errorf("%s is missing", want)
	}
	_, body, _ := strings.Cut(out.String(), "</head>")
	return html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(body, "\n"))
}

// The page has all that the text says: also that it is INVALID, and why.
func TestPagesKeepTheirCaveats(t *testing.T) {
	for name, of := range everyKind() {
		var out bytes.Buffer
		of.Text(&out, report.English())
		page := pageText(t, of.Page(report.English()))
		for _, part := range []string{"INVALID", "SUSPECT", "generator-stalled", "tried 2 times", "% of the requests failed"} {
			if strings.Contains(out.String(), part) && !strings.Contains(page, part) {
				t.Errorf("%s: %q is in the text and not on the page", name, part)
			}
		}
	}
}

// The columns of a table end in the same column of the terminal in every language.
func TestTextAligns(t *testing.T) {
	for _, lang := range report.Languages() {
		texts, err := report.TextsIn(lang)
		if err != nil {
			t.Fatal(err)
		}
		for name, of := range everyKind() {
			var out bytes.Buffer
			of.Text(&out, texts)
			_, table, _ := strings.Cut(out.String()[1:], "\n\n")
			columns := 0
			for line := range strings.Lines(table) {
				n := present.Width(strings.TrimSuffix(line, "\n"))
				if columns == 0 {
					columns = n
				}
				if n != columns {
					t.Errorf("%s, %s: a line of %d columns, the first of %d:\n%s", lang, name, n, columns, table)
				}
			}
		}
	}
}

// Tables fit a terminal of 80 columns, with figures as wide as they get.
func TestTablesFitATerminal(t *testing.T) {
	trial := capacity.Trial{Length: time.Second, Decision: capacity.Fails, Throughput: 123456, P50: 1.234e9, P99: 1.234e9, AtLeast: true}
	trial.Errors.Status = 123456
	level := capacity.Level{Connections: 12345, Counts: true, Throughput: 123456, Up: 123456, Down: 123456, P99: 1.234e9, AtLeast: true, Memory: 12345 << 20, Trials: []capacity.LevelTrial{{}}}
	level.Trials[0].Errors.Status = 123456
	stretch := capacity.Stretch{Offered: 123456, Responses: 123456, Goodput: 123456, P50: 1.234e9, P99: 1.234e9, AtLeast: true, InFlight: 12345, Shed: 123456, Windows: 10}
	stretch.Errors.Status = 123456
	estimate := stats.Interval{Estimate: 123456, Low: 9, High: 11}
	quiet := capacity.Disturbed{Validity: finding.Valid}
	for name, of := range map[string]outcome{
		"capacity": &Capacity{Result: &capacity.Result{Disturbed: quiet, Why: i18n.New("capacity.time-up", "time was up"), Loads: []capacity.Load{{Rate: 123456, Class: capacity.Undecided, Trials: []capacity.Trial{trial}}}}, Goal: capacity.DefaultGoal()},
		"knee":     &Knee{Pid: 1, Knee: &capacity.Knee{Disturbed: quiet, Levels: []capacity.Level{level}, Fit: &stats.USL{Lambda: estimate, Sigma: estimate, Kappa: estimate}}},
		"overload": &Overload{Aftermath: &capacity.Aftermath{Baseline: stretch, During: stretch, After: stretch}, Validity: finding.Valid},
	} {
		for _, lang := range report.Languages() {
			texts, err := report.TextsIn(lang)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			of.Text(&out, texts)
			lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
			for _, line := range lines[len(lines)-2:] {
				if n := present.Width(line); n > 80 {
					t.Errorf("%s, %s: %d columns:\n%s", name, lang, n, out.String())
				}
			}
		}
	}
}
