package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno/lab/analysis"
	"dyno/lab/analysis/analysistest"
	"dyno/lab/load"
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
		if !strings.Contains(c.Sentence, part) {
			t.Errorf("%q lacks %q", c.Sentence, part)
		}
	}
	var text, markdown, document bytes.Buffer
	for _, err := range []error{h.Text(&text, 80), h.Markdown(&markdown), h.JSON(&document)} {
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
	list[2].Validity = load.Invalid
	list[3].Run.Study = "other"
	list[4].Run.Plan.Cells = slices.Clone(list[4].Run.Plan.Cells)
	list[4].Run.Plan.Cells[0].Timeout++
	h, err := Of(list, options)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"run-01: it is of another machine (cpus: 64, now 4)", "run-02: it is invalid", "run-03: it is of the study other", "run-04: " + h.Series[0].Group + ": its load is not the newest run's"}
	if got := h.leftTexts(); !slices.Equal(got, want) {
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
	if err := h.Text(&text, 80); err != nil || !strings.Contains(text.String(), "ACROSS MACHINES") {
		t.Errorf("%v\n%s", err, &text)
	}
}

func TestTooLittle(t *testing.T) {
	if _, err := Of(nil, options); err == nil {
		t.Error("a history of nothing")
	}
	h, err := Of(runs(t, 2, step(1)), options)
	if err != nil || len(h.Series[0].Changes) != 0 || !strings.Contains(h.Notes[0], "2 runs are few") {
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
