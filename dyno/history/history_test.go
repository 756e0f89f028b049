package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/report"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// runs are n analysed runs of one study, a day apart, whose CPU per request is
// what cost says, in µs, about a percent up or down.
func runs(t *testing.T, n int, cost func(i int) float64) []*analysis.Analysis {
	t.Helper()
	made, err := analysis.Analyse(analysistest.Run(1, "x"))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 0))
	var list []*analysis.Analysis
	for i := range n {
		a := *made
		a.Run.ID = fmt.Sprintf("run-%02d", i)
		a.Run.Started = made.Run.Started.Add(time.Duration(i) * 24 * time.Hour)
		a.Run.Subjects = slices.Clone(made.Run.Subjects)
		a.Run.Subjects[0].Version = fmt.Sprintf("commit-%02d", i)
		a.Groups = slices.Clone(made.Groups)
		a.Groups[0].Cells = slices.Clone(made.Groups[0].Cells)
		center := cost(i) * math.Exp(0.01*rng.NormFloat64())
		a.Groups[0].Cells[0].Values = map[string][]float64{"cpu": {center * 0.99, center, center * 1.01}}
		list = append(list, &a)
	}
	return list
}

var options = Options{P: DefaultP, Margin: DefaultMargin}

func steady(int) float64 { return 20 }

// step is 10 % more from the run given on.
func step(at int) func(int) float64 {
	return func(i int) float64 {
		if i >= at {
			return 22
		}
		return 20
	}
}

func TestTheFirstBadRunIsNamed(t *testing.T) {
	list := runs(t, 20, step(12))
	slices.Reverse(list) // the order given does not matter
	h, err := Of(list, options)
	if err != nil {
		t.Fatal(err)
	}
	if bad := h.FirstBad(); !slices.Equal(bad, []string{"run-12"}) {
		t.Fatalf("first bad runs %q, changes %+v", bad, h.Series[0].Changes)
	}
	c := h.Series[0].Changes[0]
	if c.Previous != "run-11" || !c.Worse || c.P > DefaultP || math.Abs(c.After/c.Before-1.1) > 0.02 {
		t.Errorf("change %+v", c)
	}
	for _, part := range []string{"CPU per request is", "% higher, which is worse, from run-12 of 2026-03-26 on", "x commit-12, before commit-11"} {
		if !strings.Contains(c.Sentence.String(), part) {
			t.Errorf("%q lacks %q", c.Sentence, part)
		}
	}
	var text, markdown, document bytes.Buffer
	for _, err := range []error{h.Text(&text, report.English(), 80), h.Markdown(&markdown, report.English()), h.JSON(&document)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, out := range map[string]string{"text": text.String(), "markdown": markdown.String(), "json": document.String()} {
		if !strings.Contains(out, "run-12") {
			t.Errorf("%s does not name the run:\n%s", name, out)
		}
	}
	if !strings.Contains(text.String(), "│") {
		t.Errorf("no change in the sparkline:\n%s", &text)
	}
	var back History
	if err := json.Unmarshal(document.Bytes(), &back); err != nil || len(back.Series) != len(h.Series) {
		t.Errorf("%v", err)
	}
}

func TestWhatIsNoRegression(t *testing.T) {
	for _, c := range []struct {
		name    string
		cost    func(int) float64
		margin  float64
		changes int
	}{
		{"nothing happens", steady, DefaultMargin, 0},
		{"better", func(i int) float64 { return 42 - step(12)(i) }, DefaultMargin, 1},
		{"below the margin", step(12), 0.5, 0},
	} {
		o := options
		o.Margin = c.margin
		h, err := Of(runs(t, 20, c.cost), o)
		if err != nil {
			t.Fatal(err)
		}
		if len(h.FirstBad()) != 0 || len(h.Series[0].Changes) != c.changes {
			t.Errorf("%s: %+v", c.name, h.Series[0].Changes)
		}
	}
}

func TestRunsThatAreLeftOut(t *testing.T) {
	list := runs(t, 12, steady)
	list[1].Run.Machine.CPUs = 64
	list[2].Validity = finding.Invalid
	list[3].Run.Study = "other"
	list[4].Run.Plan.Cells = slices.Clone(list[4].Run.Plan.Cells)
	list[4].Run.Plan.Cells[0].Timeout++
	h, err := Of(list, options)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"run-01: it is of another machine (cpus: 64, now 4)", "run-02: it is invalid", "run-03: it is of the study other", "run-04: " + h.Series[0].Group + ": its load, or that it was measured in slices or in trials, is not as in the newest run"}
	if got := i18n.List("\n", h.leftTexts()...).String(); got != strings.Join(want, "\n") {
		t.Errorf("left out %q, want %q", got, want)
	}
	if n := len(h.Series[0].Points); n != 8 || h.AcrossMachines {
		t.Errorf("%d points, across machines %v", n, h.AcrossMachines)
	}
	o := options
	o.AcrossMachines = true
	if h, err = Of(list, o); err != nil || len(h.Series[0].Points) != 9 || !h.AcrossMachines {
		t.Errorf("%+v, %v", h, err)
	}
	var text bytes.Buffer
	if err := h.Text(&text, report.English(), 80); err != nil || !strings.Contains(text.String(), "ACROSS MACHINES") {
		t.Errorf("%v\n%s", err, &text)
	}
}

// Of many series that don't change none is said to, most nights: the limit falls with
// their number.
func TestManySeriesShareTheError(t *testing.T) {
	list := runs(t, 20, steady)
	for i, a := range list {
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		a.Groups[0].Metrics = slices.Clone(a.Groups[0].Metrics)
		for k := range 40 {
			a.Groups[0].Metrics = append(a.Groups[0].Metrics, analysis.Metric{Name: fmt.Sprintf("figure-%d", k), Better: "lower"})
			value := 100 * math.Exp(0.02*rng.NormFloat64())
			if k == 0 && i >= 18 {
				value *= 1.25
			}
			a.Groups[0].Cells[0].Values[fmt.Sprintf("figure-%d", k)] = []float64{value, value, value}
		}
	}
	o := options
	o.Metrics = []string{"all"}
	h, err := Of(list, o)
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for _, s := range h.Series {
		changed += len(s.Changes)
		if s.P <= 0 || s.P > 1 {
			t.Errorf("%s: p-value %v", s.Metric, s.P)
		}
	}
	if len(h.Series) < 40 || changed != 1 || h.Limit > 2*DefaultP/float64(len(h.Series)) || !slices.Equal(h.FirstBad(), []string{"run-18"}) {
		t.Errorf("%d series, %d changes up to %v, first bad %q", len(h.Series), changed, h.Limit, h.FirstBad())
	}
}

func TestTwinsArePooled(t *testing.T) {
	list := runs(t, 30, steady)
	for i, a := range list {
		low := 0.98
		if i < 8 {
			low = 1.01
		}
		a.Groups[0].Twin = map[string]stats.Interval{"cpu": {N: 6, Estimate: 1.02, Low: low, High: 1.04, Level: 0.95}}
	}
	h, err := Of(list, options)
	if err != nil || h.Twins == nil || h.Twins.Compared != 30 || h.Twins.Differ != 8 || h.Twins.P > 1e-3 {
		t.Fatalf("%+v, %v", h.Twins, err)
	}
	if text := h.Twins.text(); !strings.Contains(text.String(), "8 of 30") || !strings.Contains(text.String(), "makes differences of nothing") {
		t.Error(text)
	}
	if p := atLeast(2, 3, 0.5); math.Abs(p-0.5) > 1e-9 {
		t.Errorf("two or three heads of three: %v", p)
	}
}

func TestTooLittle(t *testing.T) {
	if _, err := Of(nil, options); err == nil {
		t.Error("a history of nothing")
	}
	h, err := Of(runs(t, 2, step(1)), options)
	if err != nil || len(h.Series[0].Changes) != 0 || !strings.Contains(h.Notes[0].String(), "2 runs are few") {
		t.Errorf("%+v, %v", h, err)
	}
	o := options
	o.Metrics = []string{"nonsense"}
	if _, err := Of(runs(t, 2, steady), o); err == nil || !strings.Contains(err.Error(), "no figures of what was asked for") {
		t.Errorf("%v", err)
	}
}

func TestSparkline(t *testing.T) {
	s := Series{Changes: []Change{{Point: 2}}}
	for _, v := range []float64{1, 1, 2, 8} {
		p := Point{}
		p.Value.Estimate = v
		s.Points = append(s.Points, p)
	}
	if got := s.Sparkline(80); got != "▁▁│▂█" {
		t.Errorf("%s", got)
	}
	if got := s.Sparkline(2); got != "│▁█" {
		t.Errorf("%s", got)
	}
	flat := Series{Points: s.Points[:2]}
	if got := flat.Sparkline(80); got != "▁▁" {
		t.Errorf("%s", got)
	}
}

// The history in Chinese has no English sentence.
func TestHistoryInChinese(t *testing.T) {
	zh, err := report.TextsIn("zh")
	if err != nil {
		t.Fatal(err)
	}
	list := runs(t, 20, step(12))
	list[1].Run.Machine.CPUs = 64
	list[2].Validity = finding.Invalid
	list[3].Run.Study = "other"
	h, err := Of(list, options)
	if err != nil {
		t.Fatal(err)
	}
	h.Twins = &Twins{Compared: 40, Differ: 12, Wanted: 0.05, P: 1e-6}
	h.Notes = append(h.Notes, h.Twins.text())
	var b bytes.Buffer
	if err := errors.Join(h.Text(&b, zh, 80), h.Markdown(&b, zh)); err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`\b[a-z’']{2,} [a-z’']{2,} [a-z’']{2,}\b`).FindString(b.String()); m != "" || !strings.Contains(b.String(), "第一个变差的运行") {
		t.Errorf("%q in\n%s", m, &b)
	}
}

// A service that becomes so slow that its percentile has no figure, or so bad that its
// trials fail, is not one whose series is steady.
func TestRunsWithoutAFigure(t *testing.T) {
	list := runs(t, 14, steady)
	for i, a := range list {
		cell := &a.Groups[0].Cells[0]
		cell.Values["response.p99"] = []float64{900, 910, 890}
		if i >= 12 {
			delete(cell.Values, "response.p99")
			cell.Omitted = map[string]i18n.Message{"response.p99": i18n.Verbatim("it lies among requests that were given up")}
		}
		if i == 11 {
			cell.Failed = []int{1, 2}
		}
	}
	h, err := Of(list, options)
	if err != nil {
		t.Fatal(err)
	}
	notes := i18n.List("\n", h.Notes...)
	for _, want := range []string{
		"response.p99 of x under " + h.Series[0].Group + " has no figure in 2 of 14 runs, the last of which is run-13 (it lies among requests that were given up); so the series ends before it",
		"failed in 2 of", "of 1 runs, the last of which is run-11",
	} {
		if !strings.Contains(notes.String(), want) {
			t.Errorf("%q lacks %q", notes, want)
		}
	}
	if strings.Contains(notes.String(), "CPU") {
		t.Errorf("CPU has a figure in each run: %q", notes)
	}
}

// The share of errors is mostly zero, of which there is no logarithm; a service that
// begins to fail is a change all the same.
func TestErrorsThatBegin(t *testing.T) {
	for name, c := range map[string]struct {
		share func(i int, random float64) float64
		bad   []string
	}{
		"never":                {func(int, float64) float64 { return 0 }, nil},
		"now and then":         {func(_ int, random float64) float64 { return max(0, random-1) }, nil},
		"once":                 {func(i int, _ float64) float64 { return map[int]float64{9: 8}[i] }, nil},
		"a tenth, from a date": {func(i int, random float64) float64 { return 10 * float64(i/12) * (1 + 0.05*random) }, []string{"run-12"}},
	} {
		list, random := runs(t, 20, steady), rand.New(rand.NewPCG(3, 0))
		for i, a := range list {
			share := c.share(i, random.NormFloat64())
			a.Groups[0].Cells[0].Values["errors"] = []float64{share, share, share}
		}
		h, err := Of(list, options) // which name no metric
		if err != nil {
			t.Fatal(err)
		}
		if bad := h.FirstBad(); !slices.Equal(bad, c.bad) {
			t.Errorf("%s: first bad runs %q, want %q: %+v", name, bad, c.bad, h.Series)
		}
		last := h.Series[len(h.Series)-1]
		if (last.Metric == "errors") != (name != "never") {
			t.Errorf("%s: the last series is of %s", name, last.Metric)
		}
		for _, change := range last.Changes {
			if !strings.Contains(change.Sentence.String(), "% instead of 0 %") || !change.Worse {
				t.Errorf("%s: %q", name, change.Sentence)
			}
		}
	}
}

// Metrics of one run rise and fall together: a run that differs from itself in one
// differs in all, which is no more of a coincidence.
func TestTwinsOfMetricsThatMoveTogether(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 0))
	metrics := []string{"throughput", "cpu", "response.p50", "response.p99"}
	const histories = 400
	unlikelies := 0
	for range histories {
		var list []*analysis.Analysis
		for range 20 {
			a := &analysis.Analysis{Groups: []analysis.Group{{Twin: map[string]stats.Interval{}}}}
			low := 0.99
			if random.Float64() < 0.05 {
				low = 1.01
			}
			for _, m := range metrics {
				a.Groups[0].Twin[m] = stats.Interval{N: 6, Estimate: 1.02, Low: low, High: 1.04, Level: 0.95}
			}
			list = append(list, a)
		}
		if poolTwins(list, metrics).P < unlikely {
			unlikelies++
		}
	}
	if unlikelies > histories*2/100 {
		t.Errorf("chance alone is ruled out in %d of %d histories of twins that are the same", unlikelies, histories)
	}
}
