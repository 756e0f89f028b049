package found

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno/lab/capacity"
	"dyno/lab/finding"
	"dyno/lab/present"
	"dyno/lab/report"
	"dyno/lab/stats"
)

// everyKind are outcomes that have something of every kind to say.
func everyKind() map[string]func(io.Writer, report.Texts) {
	disturbed := capacity.Disturbed{Validity: finding.Invalid, Findings: []finding.Finding{
		{Name: "generator-stalled", Validity: finding.Suspect, Detail: "a load loop was away for 412ms (limit 100ms)", Windows: []int{0, 1}},
		{Name: "steal", Validity: finding.Valid, Detail: "a load loop was away for 412ms (limit 100ms)", Windows: []int{1}},
	}}
	quiet := capacity.Disturbed{Validity: finding.Valid}
	lower := capacity.Load{Rate: 1000, Class: capacity.Lower, Trials: []capacity.Trial{
		{Length: time.Second, Verdict: capacity.Holds}, {Length: 5 * time.Second, Verdict: capacity.Holds}, {Length: 5 * time.Second, Verdict: capacity.Spoiled},
	}}
	upper := capacity.Load{Rate: 1040, Class: capacity.Upper, Trials: []capacity.Trial{{Length: 5 * time.Second, Verdict: capacity.Fails, P99: 8e7}}}
	open := capacity.Load{Rate: 1020, Class: capacity.Undecided}
	blocked := capacity.Load{Rate: 1100, Class: capacity.Blocked, Limited: true, Why: "no answer was as expected"}
	broke := []capacity.Broken{{Condition: "p99 < 50ms", Failed: 1, Of: 2, Unknown: 1, Measured: []string{"p99 = 80ms"}}}
	all := []capacity.Load{lower, open, upper, blocked}
	goal := capacity.DefaultGoal()
	kinds := map[string]func(io.Writer, report.Texts){}
	for name, r := range map[string]*capacity.Result{
		"bracket":   {Disturbed: disturbed, Holds: &lower, Fails: &upper, Why: "time was up", Broke: broke, Hints: []string{"the capacity may be higher"}, Loads: all},
		"generator": {Holds: &lower, Limit: &blocked, Why: "from 1100/s on the generator is the limit: no answer was as expected"},
		"top":       {Holds: &lower, Why: "it holds even at the highest rate"},
		"floor":     {Fails: &upper, Why: "it fails even at the lowest rate"},
		"nothing":   {Why: "nothing answered: the generator was disturbed all the time: other-load"},
	} {
		if r.Validity == "" {
			r.Validity = finding.Valid
		}
		kinds["capacity, "+name] = (&Capacity{Result: r, Goal: goal}).Text
	}
	estimate := stats.Interval{Estimate: 10, Low: 9, High: 11}
	memory := 3.5 * (1 << 20)
	levels := []capacity.Level{{Connections: 10, Throughput: 100, Up: 100, Down: 90, P99: 1e6, Memory: 1 << 20}}
	levels[0].Trials = []capacity.LevelTrial{{Why: "no connection came up: refused"}}
	peak := &stats.USL{Lambda: estimate, Sigma: estimate, Kappa: estimate, Peak: &estimate, Top: &estimate}
	kinds["knee"] = (&Knee{Pid: 1, Knee: &capacity.Knee{Disturbed: disturbed, Enough: 10, EnoughLow: 9, EnoughHigh: 11, Fit: peak, MemoryPer1000: &memory, Levels: levels}}).Text
	kinds["knee, without a fit"] = (&Knee{Knee: &capacity.Knee{Disturbed: quiet, Levels: levels, FitNote: "a scalability law needs at least 6 points at 4 levels of concurrency"}}).Text
	kinds["knee, without memory"] = (&Knee{Pid: 1, Knee: &capacity.Knee{Disturbed: quiet, Levels: levels, FitNote: "a scalability law needs at least 6 points at 4 levels of concurrency", MemoryNote: "fewer than three levels have the server's memory"}}).Text
	during := capacity.Stretch{Offered: 900, Goodput: 300, Shed: 7}
	during.Errors.Timeout = 3
	for name, a := range map[string]*capacity.Aftermath{
		"never":   {During: during, Recovery: 20 * time.Second, Spoiled: true, Why: "the machine was disturbed: steal", Notes: []string{"the objective has no limit on the response time: goodput counts every answer"}},
		"at once": {Recovered: true}, "later": {Recovered: true, Recovery: time.Second},
	} {
		kinds["overload, "+name] = (&Overload{Aftermath: a, Validity: finding.Suspect, Findings: disturbed.Findings, Tries: 2}).Text
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
	known := []string{"ms", "MiB", "CPU", "generator", "stalled", "steal", "other", "load", "pid", "refused"}
	for name, write := range everyKind() {
		var out bytes.Buffer
		write(&out, texts)
		for line := range strings.Lines(out.String()) {
			for _, word := range english.FindAllString(line, -1) {
				if !slices.Contains(known, word) && strings.Trim(word, ".") != "" {
					t.Errorf("%s: %q in %q", name, word, line)
				}
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
		for name, write := range everyKind() {
			var out bytes.Buffer
			write(&out, texts)
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
