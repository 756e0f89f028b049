package compare

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/present"
	"dyno.example/dyno/report"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

func TestNewEffect(t *testing.T) {
	iv := func(low, estimate, high float64) stats.Interval {
		return stats.Interval{N: 8, Low: low, Estimate: estimate, High: high, Level: 0.95}
	}
	for _, c := range []struct {
		name     string
		metric   string
		ratio    stats.Interval
		margin   float64
		outcome  stats.Outcome
		sentence string
	}{
		{"lower", "cpu", iv(0.947, 0.959, 0.971), 0.02, stats.IsLower, "CPU per request is 4.1 % lower (2.9–5.3 %)"},
		{"higher", "throughput", iv(1.10, 1.12, 1.14), 0.02, stats.IsHigher, "throughput is 12 % higher (10–14 %)"},
		{"several times", "response.p99", iv(2.2, 2.31, 2.43), 0.02, stats.IsHigher, "response.p99 is 2.31 times as high (2.20–2.43)"},
		{"same", "cpu", iv(0.99, 1.004, 1.015), 0.02, stats.IsSame, "CPU per request is the same within 2 % (1.0 % lower to 1.5 % higher)"},
		{"certain but small", "cpu", iv(1.002, 1.004, 1.006), 0.02, stats.IsSame, "CPU per request is the same within 2 % (0.20 % higher to 0.60 % higher)"},
		{"certain but small, no margin", "cpu", iv(1.002, 1.004, 1.006), 0, stats.IsHigher, "CPU per request is 0.40 % higher (0.20–0.60 %)"},
		{"wide", "rss", iv(0.97, 1.01, 1.051), 0.02, stats.CantTell, "can't tell: memory is between 3.0 % lower and 5.1 % higher"},
		{"no interval", "rss", stats.Interval{N: 2, Estimate: 1.2, Low: 1.2, High: 1.2, Note: i18n.Verbatim("need ≥ 2 trials")}, 0.02, stats.CantTell, "can't tell about memory: need ≥ 2 trials"},
	} {
		e := NewEffect(c.metric, c.ratio, c.margin)
		if e.Outcome != c.outcome || e.Sentence.String() != c.sentence {
			t.Errorf("%s: %s, %q; want %s, %q", c.name, e.Outcome, e.Sentence, c.outcome, c.sentence)
		}
	}
}

// made is an analysed made-up run of two subjects, after change.
func made(t *testing.T, seed uint64, change func(*analysis.Analysis)) *analysis.Analysis {
	t.Helper()
	a, err := analysis.Analyse(analysistest.Run(seed, "x", "y"))
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(a)
	}
	return a
}

// scale multiplies all values of a metric.
func scale(a *analysis.Analysis, metric string, by float64) {
	for i := range a.Groups {
		for _, c := range a.Groups[i].Cells {
			for k := range c.Values[metric] {
				c.Values[metric][k] *= by
			}
		}
	}
}

var usual = Options{Level: DefaultLevel, Margin: DefaultMargin}

func TestRuns(t *testing.T) {
	old := made(t, 2, nil)
	new := made(t, 2, func(a *analysis.Analysis) { scale(a, "cpu", 0.5); a.Run.ID = "new" })
	c, err := Runs(old, new, usual)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Rows) != 10 || c.AcrossMachines || len(c.Conditions) != 0 {
		t.Fatalf("%d rows, conditions %v", len(c.Rows), c.Conditions)
	}
	for _, r := range c.Rows {
		want := stats.CantTell
		if r.Metric == "cpu" {
			want = stats.IsLower
		}
		if r.Metric == "cpu" && (r.Outcome != want || r.Ratio.Estimate > 0.5001 || r.Ratio.Estimate < 0.4999 || r.Adjusted > 0.01) {
			t.Errorf("%s of %s: %+v", r.Metric, r.Subject, r)
		}
		if r.Metric != "cpu" && r.Outcome != want && r.Outcome != stats.IsSame {
			t.Errorf("%s of %s: %+v", r.Metric, r.Subject, r)
		}
	}
	if !slices.ContainsFunc(c.Notes, func(n i18n.Message) bool { return strings.Contains(n.String(), "10 comparisons at 95 %: about 0.5 ") }) {
		t.Errorf("notes %q", c.Notes)
	}
	worse, err := Runs(new, old, Options{Level: 0.95, Metrics: []string{"cpu"}})
	if err != nil || len(worse.Rows) != 2 || !worse.Rows[0].Worse() || c.Rows[1].Worse() {
		t.Errorf("%+v, %v", worse, err)
	}
}

// A version that fails may be a quicker one: that it fails stands next to the ratios.
func TestFailuresStandBesideRatios(t *testing.T) {
	old := made(t, 2, nil)
	new := made(t, 2, func(a *analysis.Analysis) {
		a.Run.ID = "new"
		cells := a.Groups[0].Cells
		cells[0].Failed = []int{1, 3}
		cells[1].Estimates["errors"] = stats.Interval{N: 6, Estimate: 14.6}
	})
	c, err := Runs(old, new, usual)
	if err != nil {
		t.Fatal(err)
	}
	notes := i18n.List("\n", c.Notes...)
	for _, part := range []string{"x under saturate, connections=64 failed in 2 of ", "trials of run new", "y under saturate, connections=64 failed 14.6 % of its requests in run new"} {
		if !strings.Contains(notes.String(), part) {
			t.Errorf("%q is missing in:\n%s", part, notes)
		}
	}
}

// A change whose medians say the opposite is reported with that.
func TestMediansThatSayTheOpposite(t *testing.T) {
	cost := func(values ...float64) func(*analysis.Analysis) {
		return func(a *analysis.Analysis) { a.Groups[0].Cells[0].Values["cpu"] = values }
	}
	old := made(t, 2, cost(20, 20.1, 19.9, 20, 20.1, 19.9, 20, 20.1, 19.9, 20, 20.1, 19.9))
	new := made(t, 2, cost(19.5, 30, 19.6, 31, 19.5, 32, 19.4, 30, 19.6, 31, 19.5, 19.6))
	c, err := Runs(old, new, Options{Level: 0.95, Metrics: []string{"cpu"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false} {
		if got := c.Rows[i].Sentence; strings.Contains(got.String(), "by their medians it is the other way") != want {
			t.Errorf("%s: %s", c.Rows[i].Subject, got)
		}
	}
}

func TestWhatCannotBeCompared(t *testing.T) {
	old := made(t, 2, nil)
	other := made(t, 2, func(a *analysis.Analysis) {
		for i := range a.Groups {
			a.Groups[i].Title = "other"
		}
	})
	if _, err := Runs(old, other, usual); err == nil || !strings.Contains(err.Error(), "no cell in common") || !strings.Contains(err.Error(), "x under") {
		t.Errorf("%v", err)
	}
	if _, err := Runs(old, old, Options{Level: 0.95, Metrics: []string{"nonsense"}}); err == nil || !strings.Contains(err.Error(), "lacks nonsense of x under saturate, connections=64: not measured") {
		t.Errorf("%v", err)
	}
	empty := made(t, 2, func(a *analysis.Analysis) {
		c := &a.Groups[0].Cells[0]
		c.Trials, c.Values = nil, nil
	})
	c, err := Runs(old, empty, usual)
	if err != nil || len(c.Rows) != 5 || len(c.Unmatched) != 5 || !strings.Contains(c.Unmatched[0].String(), ": no valid trial") {
		t.Errorf("%+v, %v", c, err)
	}
	all, err := Runs(old, old, Options{Level: 0.95, Margin: 0.02, Metrics: []string{"all"}})
	if err != nil || len(all.Rows) < 20 {
		t.Errorf("%v", err)
	}
}

// The trials in which nothing is zero would be a choice.
func TestOfZeroThereIsNoRatio(t *testing.T) {
	zero := func(cells int) *analysis.Analysis {
		return made(t, 2, func(a *analysis.Analysis) {
			for i := range cells {
				a.Groups[0].Cells[i].Values["cpu"][2] = 0
			}
		})
	}
	o := Options{Level: 0.95, Margin: 0.02, Metrics: []string{"cpu", "errors"}}
	for _, runs := range [][2]*analysis.Analysis{{zero(0), zero(1)}, {zero(1), zero(0)}, {zero(2), zero(2)}} {
		c, err := Runs(runs[0], runs[1], o)
		if err != nil {
			t.Fatal(err)
		}
		if r := c.Rows[0]; r.Outcome != stats.CantTell || r.P != 1 || !strings.Contains(r.Sentence.String(), "zero in some trials") {
			t.Errorf("%+v", r)
		}
		if r := c.Rows[1]; r.Metric != "errors" || !strings.Contains(r.Sentence.String(), "no values above zero") {
			t.Errorf("%+v", r)
		}
	}
}

func TestARunThatCouldEndEarlyIsTold(t *testing.T) {
	new := made(t, 2, func(a *analysis.Analysis) { a.Run.ID, a.Run.Until = "early", study.Until{Blocks: 12} })
	c, err := Runs(made(t, 2, nil), new, usual)
	if err != nil || !strings.Contains(i18n.List("\n", c.Notes...).String(), "run early could end by what it found") {
		t.Errorf("%v, %q", err, c.Notes)
	}
}

func TestAcrossMachines(t *testing.T) {
	old := made(t, 2, nil)
	new := made(t, 2, func(a *analysis.Analysis) { a.Run.Machine.CPUs = 64 })
	_, err := Runs(old, new, usual)
	var machines *MachinesError
	if !errors.As(err, &machines) || !strings.Contains(err.Error(), "cpus: 4, 64") || !strings.Contains(err.Error(), "--across-machines") {
		t.Fatalf("%v", err)
	}
	o := usual
	o.AcrossMachines = true
	c, err := Runs(old, new, o)
	if err != nil || !c.AcrossMachines {
		t.Fatalf("%+v, %v", c, err)
	}
	for name, write := range outputs(c) {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.ToLower(b.String()), "across") {
			t.Errorf("%s does not say that the machines differ:\n%s", name, &b)
		}
	}
	same, err := Runs(old, made(t, 2, func(a *analysis.Analysis) { a.Run.Machine.MemoryBytes -= 1 << 20 }), o)
	if err != nil || same.AcrossMachines {
		t.Errorf("a MiB less is another machine: %v", err)
	}
}

func outputs(c *Comparison) map[string]func(*bytes.Buffer) error {
	return map[string]func(*bytes.Buffer) error{
		"text":     func(b *bytes.Buffer) error { return c.Text(b, report.English(), 0, false) },
		"markdown": func(b *bytes.Buffer) error { return c.Markdown(b, report.English()) },
		"csv":      func(b *bytes.Buffer) error { return c.CSV(b) },
		"json":     func(b *bytes.Buffer) error { return c.JSON(b) },
	}
}

func TestConditions(t *testing.T) {
	old := made(t, 2, nil)
	for _, c := range []struct {
		what   string
		change func(*analysis.Analysis)
	}{
		{"machine: kernel", func(a *analysis.Analysis) { a.Run.Machine.Kernel = "7.0" }},
		{"machine: governor", func(a *analysis.Analysis) { a.Run.Machine.Governor = "powersave" }},
		{"dyno", func(a *analysis.Analysis) { a.Run.Dyno = "v9" }},
		{"study text", func(a *analysis.Analysis) { a.Run.StudySource += "#" }},
		{"quick", func(a *analysis.Analysis) { a.Run.Quick = true }},
		{"placement", func(a *analysis.Analysis) { a.Run.Placement.Mode = "shared" }},
		{"duration of a trial", func(a *analysis.Analysis) { a.Run.Duration++ }},
		{"subject x: build", func(a *analysis.Analysis) { a.Run.Subjects[0].BuildHash = "sha256:f" }},
		{"subject x: env GOGC", func(a *analysis.Analysis) { a.Run.Subjects[0].Env = map[string]string{"GOGC": "400"} }},
		{"load saturate: requests", func(a *analysis.Analysis) {
			for i := range a.Run.Plan.Cells {
				a.Run.Plan.Cells[i].Requests = []request.Request{{Name: "other", Method: "GET", Path: "/other"}}
			}
		}},
	} {
		got, err := Runs(old, made(t, 2, c.change), usual)
		if err != nil || len(got.Conditions) != 1 || got.Conditions[0].What.String() != c.what {
			t.Errorf("%s: %v, %v", c.what, got.Conditions, err)
		}
	}
}

// Figures of slices are not compared with figures of trials, nor with those of other slices.
func TestAnotherFormIsNotCompared(t *testing.T) {
	in := func(length time.Duration, cells ...int) *analysis.Analysis {
		return made(t, 2, func(a *analysis.Analysis) {
			g := &a.Groups[0]
			g.Slices = &analysis.Slices{Length: length, Settle: 20 * time.Millisecond}
			for _, i := range cells {
				g.Cells[i].Sliced = g.Cells[i].Trials
			}
		})
	}
	trials := made(t, 2, nil)
	for name, c := range map[string]struct {
		old, new *analysis.Analysis
		left     []string // of which figures are not compared
		why      string
	}{
		"trials":              {trials, trials, nil, ""},
		"the same slices":     {in(15e6, 0, 1), in(15e6, 0, 1), nil, ""},
		"slices after trials": {trials, in(15e6, 0, 1), []string{"x", "y"}, "was measured in trials in run "},
		"trials after slices": {in(15e6, 0, 1), trials, []string{"x", "y"}, "was measured in slices of 15ms after 20ms each in run "},
		"other slices":        {in(25e6, 0, 1), in(15e6, 0, 1), []string{"x", "y"}, "and in slices of 15ms after 20ms each in run "},
		"one alone":           {in(15e6, 0, 1), in(15e6, 0), []string{"y"}, "and in trials in run "},
	} {
		got, err := Runs(c.old, c.new, usual)
		if len(c.left) == 2 {
			if err == nil || strings.Count(err.Error(), c.why) != 2 || !strings.HasPrefix(err.Error(), "nothing to compare: ") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || len(got.Unmatched) != len(c.left) {
			t.Fatalf("%s: %v, %v", name, got, err)
		}
		for i, subject := range c.left {
			if text := got.Unmatched[i].String(); !strings.HasPrefix(text, subject+" under ") || !strings.Contains(text, c.why) || slices.ContainsFunc(got.Rows, func(r Row) bool { return r.Subject == subject }) {
				t.Errorf("%s: %s; %v", name, text, got.Rows)
			}
		}
	}
}

func TestLoadHash(t *testing.T) {
	a := made(t, 2, nil)
	hash := LoadHash(&a.Run, 0, Form{})
	if hash == "" || LoadHash(&a.Run, 1, Form{}) != hash {
		t.Errorf("two subjects under one load: %q and %q", hash, LoadHash(&a.Run, 1, Form{}))
	}
	older, err := json.Marshal(struct { // what baselines of trials have been made with
		Cell   map[string]json.RawMessage
		Timing study.Timing
	}{asked(&a.Run.Plan.Cells[0]), a.Run.Plan.Cells[0].Timing(study.Timing{Warmup: a.Run.Warmup, Duration: a.Run.Duration})})
	if err != nil || shortHash(older) != hash {
		t.Errorf("the hash of a load in trials is no longer what it was: %v", err)
	}
	if LoadHash(&a.Run, 0, Form{Length: 1}) == hash {
		t.Error("slices are the same load as trials")
	}
	a.Run.Duration++
	if LoadHash(&a.Run, 0, Form{}) == hash {
		t.Error("another duration is the same load")
	}
}

func TestOutputs(t *testing.T) {
	c, err := Runs(made(t, 2, nil), made(t, 2, func(a *analysis.Analysis) {
		scale(a, "cpu", 2.5)
		a.Groups[0].Cells[0].Subject = "x"
	}), usual)
	if err != nil {
		t.Fatal(err)
	}
	c.Rows[0].Subject = "pipe|and\x1b[31m"
	for name, write := range outputs(c) {
		var first, second bytes.Buffer
		if err := errors.Join(write(&first), write(&second)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if first.String() != second.String() {
			t.Errorf("%s differs from one time to the next", name)
		}
		if name == "text" && strings.Contains(first.String(), "\x1b") {
			t.Error("an escape code reaches the terminal")
		}
		if name == "text" || name == "markdown" {
			for _, part := range []string{"CPU per request is 2.50 times as high", "Notes"} {
				if !strings.Contains(first.String(), part) {
					t.Errorf("%s lacks %q:\n%s", name, part, &first)
				}
			}
		}
	}
	var table, document bytes.Buffer
	if err := errors.Join(c.CSV(&table), c.JSON(&document)); err != nil {
		t.Fatal(err)
	}
	if rows, err := csv.NewReader(&table).ReadAll(); err != nil || len(rows) != 1+len(c.Rows) {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	var back Comparison
	if err := json.Unmarshal(document.Bytes(), &back); err != nil || len(back.Rows) != len(c.Rows) || back.Rows[1].Outcome != c.Rows[1].Outcome {
		t.Errorf("%v: %s", err, &document)
	}
}

// A run that is valid only because somebody accepted a finding isn't called valid.
func TestAcceptedRunsAreNoValidOnes(t *testing.T) {
	other := made(t, 2, func(a *analysis.Analysis) {
		a.Validity = finding.Valid
		a.Findings = []analysis.Finding{{Finding: finding.Finding{Name: finding.Steal, Validity: finding.Suspect, Accepted: true}}}
	})
	c, err := Runs(made(t, 1, nil), other, Options{Level: 0.95, Margin: 0.02, Metrics: []string{"cpu"}})
	if err != nil {
		t.Fatal(err)
	}
	if notes := i18n.List("\n", c.Notes...); c.New.Validity != finding.Accepted || !strings.Contains(notes.String(), "is accepted: dyno show") {
		t.Errorf("the new run is %s, with %s", c.New.Validity, notes)
	}
	texts, err := report.TextsIn("en")
	if err != nil {
		t.Fatal(err)
	}
	if text := c.New.text(texts); !strings.Contains(text, "ACCEPTED") {
		t.Error(text)
	}
}

// The comparison in Chinese has no English sentence.
// A comparison fits a terminal of 80 columns.
func TestFitsATerminal(t *testing.T) {
	other := made(t, 2, func(a *analysis.Analysis) {
		a.Run.Machine.Kernel = "6.18.44-a-kernel-with-a-name"
		a.Validity = finding.Suspect
	})
	c, err := Runs(made(t, 1, nil), other, Options{Level: 0.95, Margin: 0.02, Metrics: []string{"throughput", "cpu", "errors", "response.p50"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range report.Languages() {
		texts, err := report.TextsIn(lang)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := c.Text(&b, texts, 80, false); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := present.Width(strings.TrimRight(line, "\n")); n > 80 {
				t.Errorf("%s: %d columns: %s", lang, n, line)
			}
		}
	}
}

func TestComparisonInChinese(t *testing.T) {
	zh, err := report.TextsIn("zh")
	if err != nil {
		t.Fatal(err)
	}
	noisy := made(t, 2, func(a *analysis.Analysis) {
		a.Run.Machine.Kernel = "9.9"
		a.Run.Until.Time = time.Hour
		a.Validity = finding.Suspect
		values := a.Groups[0].Cells[0].Values["cpu"]
		for i := range values {
			values[i] *= []float64{0.5, 1, 2}[i%3]
		}
	})
	c, err := Runs(made(t, 2, nil), noisy, Options{Level: 0.95, Margin: 0.02, Metrics: []string{"throughput", "cpu", "errors", "response.p50", "nonsense"}})
	if err != nil {
		t.Fatal(err)
	}
	c.AcrossMachines = true
	var b bytes.Buffer
	if err := errors.Join(c.Text(&b, zh, 0, false), c.Markdown(&b, zh)); err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`\b[a-z’']{2,} [a-z’']{2,} [a-z’']{2,}\b`).FindString(b.String()); m != "" || !strings.Contains(b.String(), "跨机器") {
		t.Errorf("%q in\n%s", m, &b)
	}
}
