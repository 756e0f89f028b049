package analysis_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/finding"
	"dyno.example/internal/i18n"
)

func analyse(t *testing.T, run *archive.Run) *analysis.Analysis {
	t.Helper()
	a, err := analysis.Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// findings returns those of the name given.
func findings(a *analysis.Analysis, name finding.Name) (list []analysis.Finding) {
	for _, f := range a.Findings {
		if f.Name == name {
			list = append(list, f)
		}
	}
	return list
}

// trialOf is the index of a cell's trial in a block.
func trialOf(t *testing.T, run *archive.Run, cell, block int) int {
	t.Helper()
	at := slices.IndexFunc(run.Trials, func(tr archive.Trial) bool { return tr.Cell == cell && tr.Block == block })
	if at < 0 {
		t.Fatalf("no trial of cell %d in block %d", cell, block)
	}
	return run.Trials[at].Index
}

// TestAMadeUpStudy looks at one analysis from all sides, as making one takes
// its time.
func TestAMadeUpStudy(t *testing.T) {
	run := analysistest.Run(4) // one seed in twenty tells the two equal subjects apart
	a := analyse(t, run)
	if len(a.Groups) != 1 || len(a.Subjects) != 8 || a.Run.ID != run.Manifest.ID || a.Schema != analysis.Schema {
		t.Fatalf("%d groups, subjects %v", len(a.Groups), a.Subjects)
	}
	g := &a.Groups[0]
	if g.Title != "saturate, connections=64" || g.Load != "saturate" || g.Levels["connections"] != "64" || len(g.Cells) != 8 {
		t.Errorf("group %q, load %q, levels %v, %d cells", g.Title, g.Load, g.Levels, len(g.Cells))
	}
	t.Run("ranks", func(t *testing.T) { checkRanks(t, g) })
	t.Run("trials", func(t *testing.T) { checkTrials(t, run, g) })
	t.Run("figures", func(t *testing.T) { checkFigures(t, g) })
	t.Run("ratios", func(t *testing.T) { checkRatios(t, g) })
	t.Run("findings", func(t *testing.T) { checkFindings(t, run, a) })
	t.Run("seconds", func(t *testing.T) { checkSeconds(t, g) })
}

func checkRanks(t *testing.T, g *analysis.Group) {
	places := g.Ranking["throughput"]
	if len(places) != 8 || places[0].Rank != 1 || places[1].Rank != 1 || places[2].Rank < 3 {
		t.Fatalf("places %+v, want the first rank shared by two", places)
	}
	if first := []int{places[0].Cell, places[1].Cell}; !slices.Contains(first, 0) || !slices.Contains(first, 1) {
		t.Errorf("cells %v share the first rank, want 0 and 1", first)
	}
	for i, p := range places[2:] {
		if p.Cell != i+2 || p.Subject != g.Cells[i+2].Subject {
			t.Errorf("place %d is cell %d, want %d", i+3, p.Cell, i+2)
		}
	}
	if n := len(g.Ranking["cpu"]); n != 7 {
		t.Errorf("%d places by cpu, want all but the one whose process was not seen", n)
	}
	for _, name := range []string{"errors", "lag.p99", "generator.cpu"} {
		if g.Ranking[name] != nil {
			t.Errorf("there is a ranking by %s", name)
		}
	}
}

func checkTrials(t *testing.T, run *archive.Run, g *analysis.Group) {
	left := map[int][]int{1: {trialOf(t, run, 1, 4)}, 6: {trialOf(t, run, 6, 3)}}
	for i, c := range g.Cells {
		if !slices.Equal(c.Left, left[i]) || len(c.Trials)+len(c.Left) != analysistest.Blocks {
			t.Errorf("cell %d: used %v, left out %v, want %v", i, c.Trials, c.Left, left[i])
		}
		invalid := 0
		if i == 3 {
			invalid = 1
		}
		if c.Invalid != invalid || c.Windows != len(c.Trials)*analysistest.Seconds-invalid {
			t.Errorf("cell %d: %d windows used, %d invalid", i, c.Windows, c.Invalid)
		}
	}
}

func checkFigures(t *testing.T, g *analysis.Group) {
	if g.Metrics[0].Name != "throughput" || g.Metrics[0].Unit != "req/s" || g.Metrics[0].Better != "higher" {
		t.Errorf("first metric %+v", g.Metrics[0])
	}
	for _, m := range g.Metrics {
		for i, c := range g.Cells {
			values, why := c.Values[m.Name], c.Omitted[m.Name]
			if (len(values) > 0) == (!why.IsZero()) || len(values) > 0 && len(values) != len(c.Trials) {
				t.Errorf("cell %d, %s: values %v, omitted %q", i, m.Name, values, why)
			}
			if iv := c.Estimates[m.Name]; iv.N != len(values) || iv.Low > iv.Estimate || iv.High < iv.Estimate {
				t.Errorf("cell %d, %s: estimate %+v of %v", i, m.Name, iv, values)
			}
		}
	}
	first, slow := g.Cells[0], g.Cells[7]
	if got := first.Estimates["throughput"].Estimate; math.Abs(got/158_000-1) > 0.1 {
		t.Errorf("throughput %v, made up around 158,000", got)
	}
	if got := first.Estimates["cpu"].Estimate; math.Abs(got/12-1) > 0.1 {
		t.Errorf("cpu %v, made up around 12", got)
	}
	if first.Estimates["throughput"].Level != 0.95 || g.Cells[1].Estimates["throughput"].Level != 0.9375 {
		t.Errorf("levels %v of six trials, %v of five", first.Estimates["throughput"].Level, g.Cells[1].Estimates["throughput"].Level)
	}
	if slow.Omitted["cpu"].IsZero() || slow.Omitted["response.max"].IsZero() || slow.Estimates["errors"].Estimate == 0 {
		t.Errorf("omitted of the subject with timeouts and without probe: %v", slow.Omitted)
	}
	if p := g.Cells[2].Estimates["response.p99.9"].Estimate; p < 5_000 {
		t.Errorf("p99.9 of a collecting subject is %v µs: its pauses are lost", p)
	}
	if n := len(first.Curve); n < 60 || first.Curve[n-1].Micros < first.Curve[0].Micros || len(first.Service) == 0 {
		t.Errorf("curve of %d points", n)
	}
}

func checkRatios(t *testing.T, g *analysis.Group) {
	self := g.Cells[0].Ratios["throughput"]
	if self.Estimate != 1 || self.Low != 1 || self.High != 1 {
		t.Errorf("the reference to itself: %+v", self)
	}
	if twin := g.Cells[1].Ratios["throughput"]; !twin.Contains(1) || twin.N != analysistest.Blocks-1 {
		t.Errorf("the subject that costs the same: %+v", twin)
	}
	for i, c := range g.Cells[2:] {
		want := math.Pow(1.18, float64(i+1))
		if got := c.Ratios["throughput"]; got.High >= 1 || math.Abs(got.Estimate*want-1) > 0.05 {
			t.Errorf("cell %d: %+v, made up as 1/%.3f", i+2, got, want)
		}
	}
	if _, there := g.Cells[3].Ratios["errors"]; there {
		t.Error("a ratio of no errors to no errors")
	}
}

func checkFindings(t *testing.T, run *archive.Run, a *analysis.Analysis) {
	want := map[finding.Name]struct {
		level finding.Validity
		trial int
	}{
		finding.TrialFailed:      {finding.Invalid, trialOf(t, run, 6, 3)},
		finding.RateMissed:       {finding.Invalid, trialOf(t, run, 1, 4)},
		finding.GeneratorStalled: {finding.Suspect, trialOf(t, run, 3, 1)},
		finding.Steal:            {finding.Suspect, trialOf(t, run, 4, 2)},
	}
	if len(a.Findings) != len(want) {
		t.Errorf("findings %+v", a.Findings)
	}
	for name, w := range want {
		list := findings(a, name)
		if len(list) != 1 || list[0].Validity != w.level || !slices.Equal(list[0].Trials, []int{w.trial}) || list[0].Detail.IsZero() {
			t.Errorf("%s: %+v, want %s in trial %d", name, list, w.level, w.trial)
		}
	}
	if last := a.Findings[len(a.Findings)-1]; last.Validity != finding.Suspect {
		t.Errorf("the worst do not come first: %+v", a.Findings)
	}
	if a.Validity != finding.Valid {
		t.Errorf("the run is %s for 4 of 48 trials", a.Validity)
	}
}

func checkSeconds(t *testing.T, g *analysis.Group) {
	for i, c := range g.Cells {
		want := analysistest.Blocks * (analysistest.Seconds + 1)
		if i == 6 {
			want -= 2 // those after the subject died
		}
		if len(c.Seconds) != want || c.Seconds[0].Index != -1 {
			t.Errorf("cell %d: %d seconds, want %d", i, len(c.Seconds), want)
		}
	}
	for _, s := range g.Cells[2].Seconds {
		if s.P50 <= 0 || s.P99 < s.P50 || s.Max < s.P99 || s.CPU == nil || s.GCPause == nil || s.Throughput <= 0 || s.Generator <= 0 {
			t.Fatalf("second %+v", s)
		}
		if (*s.GCPause > 0) != (s.P99 > 5_000) {
			t.Errorf("pause %v µs, p99 %v µs", *s.GCPause, s.P99)
		}
	}
	if s := g.Cells[7].Seconds[0]; s.CPU != nil || s.GCPause != nil || s.Steal == nil {
		t.Errorf("second without a process %+v", s)
	}
	stalled := slices.IndexFunc(g.Cells[3].Seconds, func(s analysis.Second) bool { return s.Validity == finding.Invalid })
	if s := g.Cells[3].Seconds[stalled]; s.Block != 1 || s.Index != 1 || !slices.Equal(s.Why, []string{"generator-stalled"}) {
		t.Errorf("invalid second %+v", s)
	}
}

// An archived run has to give the same report for ever.
func TestAnalysisIsTheSameToTheByte(t *testing.T) {
	run := analysistest.Run(5, "a", "b")
	run.Trials, run.Manifest.Plan.Trials = run.Trials[:6], run.Manifest.Plan.Trials[:6]
	run.Manifest.Claims = []claim.Claim{{ID: "c", Says: "a costs less", Expressions: []string{"cpu[a] < cpu[b]"}, Margin: 0.01}}
	store := archive.Store{Dir: t.TempDir()}
	w, err := store.Create(run.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range run.Trials {
		if err := w.AddTrial(trial); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(archive.Complete, nil); err != nil {
		t.Fatal(err)
	}
	var documents [2][]byte
	for i := range documents {
		back, err := store.Open(archive.Latest)
		if err != nil {
			t.Fatal(err)
		}
		run.Manifest, run.Address = back.Manifest, back.Address
		documents[i] = marshal(t, back)
	}
	if !strings.Contains(string(documents[0]), "a costs less") {
		t.Error("the archive has lost a claim")
	}
	if string(documents[0]) != string(documents[1]) {
		t.Error("two analyses of one run differ")
	}
	if string(documents[0]) != string(marshal(t, run)) {
		t.Error("the archived run gives another analysis than the one in memory")
	}
}

func marshal(t *testing.T, run *archive.Run) []byte {
	t.Helper()
	document, err := json.Marshal(analyse(t, run)) // fails on NaN and infinities
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func TestShedArrivalsHideTheTail(t *testing.T) {
	a := analyse(t, analysistest.OpenLoop(1, "a", "b"))
	g := &a.Groups[0]
	whole, shedding := g.Cells[0], g.Cells[1]
	if _, ok := whole.Estimates["response.p99.9"]; !ok {
		t.Errorf("without shedding there is no p99.9: %v", whole.Omitted)
	}
	if _, ok := shedding.Estimates["response.p99"]; !ok {
		t.Errorf("half a percent shed hides p99: %v", shedding.Omitted)
	}
	if why := shedding.Omitted["response.p99.9"]; !strings.Contains(why.String(), "given up") {
		t.Errorf("p99.9 is omitted for %q", why)
	}
	if _, ok := shedding.Estimates["service.p99.9"]; !ok {
		t.Errorf("what was never sent hides the service time: %v", shedding.Omitted)
	}
	if !slices.ContainsFunc(shedding.Curve, func(p analysis.Point) bool { return p.Censored }) {
		t.Error("no point of the curve is censored")
	}
	if slices.ContainsFunc(whole.Curve, func(p analysis.Point) bool { return p.Censored }) {
		t.Error("a point of the other curve is censored")
	}
}

func TestARunThatWasCutShort(t *testing.T) {
	run := analysistest.Run(2, "a", "b")
	run.Trials = run.Trials[:3]
	run.Manifest.Status, run.Manifest.Error = archive.Interrupted, i18n.Verbatim("its writer died")
	run.Trials[2].Status, run.Trials[2].Validity = archive.Interrupted, finding.Invalid
	a := analyse(t, run)
	if a.Validity != finding.Suspect {
		t.Errorf("the run is %s", a.Validity)
	}
	list := findings(a, finding.RunIncomplete)
	if len(list) != 1 || !strings.Contains(list[0].Detail.String(), "3 of 12 planned trials were started; the run is interrupted: its writer died") {
		t.Errorf("findings %+v", list)
	}
	if len(findings(a, finding.TrialInterrupted)) != 1 {
		t.Errorf("findings %+v", a.Findings)
	}
	for _, c := range a.Groups[0].Cells {
		if len(c.Trials) == 1 && c.Estimates["throughput"].Level != 0 {
			t.Errorf("one trial gives %+v", c.Estimates["throughput"])
		}
	}
}

// A tenth of the trials may be doubtful before the run is.
func TestDoubtfulTrialsMakeTheRunSuspect(t *testing.T) {
	run := analysistest.Run(2, "a", "b") // with one of twelve trials left out
	if a := analyse(t, run); a.Validity != finding.Valid {
		t.Errorf("one of twelve: the run is %s", a.Validity)
	}
	run.Trials[0].Validity = finding.Suspect
	if a := analyse(t, run); a.Validity != finding.Suspect {
		t.Errorf("two of twelve: the run is %s", a.Validity)
	}
	run.Trials[0].Validity = finding.Valid
	run.Trials = slices.DeleteFunc(run.Trials, func(tr archive.Trial) bool { return tr.Cell == 1 })
	if a := analyse(t, run); a.Validity != finding.Suspect {
		t.Errorf("a subject without trials: the run is %s", a.Validity)
	}
}

func TestARunWithNothingUsable(t *testing.T) {
	run := analysistest.Run(2, "a")
	run.Trials = run.Trials[:2]
	for i := range run.Trials {
		for j := range run.Trials[i].Windows {
			run.Trials[i].Windows[j].Level = finding.Invalid
		}
	}
	a := analyse(t, run)
	c := a.Groups[0].Cells[0]
	if a.Validity != finding.Invalid || len(c.Trials) != 0 || len(c.Left) != 2 || len(c.Estimates) != 0 || len(c.Curve) != 0 {
		t.Errorf("run is %s, cell %+v", a.Validity, c)
	}
	if list := findings(a, finding.NoUsableWindow); len(list) != 1 || len(list[0].Trials) != 2 {
		t.Errorf("findings %+v", a.Findings)
	}
	if len(c.Seconds) != 2*(analysistest.Seconds+1) {
		t.Errorf("%d seconds, want all to be shown", len(c.Seconds))
	}
}

func TestAnEmptyRun(t *testing.T) {
	a := analyse(t, &archive.Run{})
	document, err := json.Marshal(a)
	if err != nil || !strings.Contains(string(document), `"groups":[]`) {
		t.Errorf("%s, %v", document, err)
	}
}

func TestErrorsNameTheTrial(t *testing.T) {
	run := analysistest.Run(2, "a")
	run.Trials = run.Trials[:1]
	run.Dir = t.TempDir() // where there is nothing
	if _, err := analysis.Analyse(run); err == nil || !strings.Contains(err.Error(), filepath.Join("0000", "histograms.hlog")) {
		t.Errorf("error %v does not name the file", err)
	} else if !os.IsNotExist(unwrapAll(err)) {
		t.Errorf("error %v hides its cause", err)
	}
	run.Trials[0].Cell = 9
	if _, err := analysis.Analyse(run); err == nil || !strings.Contains(err.Error(), "cell 9") {
		t.Errorf("error %v does not name the cell", err)
	}
}

func unwrapAll(err error) error {
	for {
		inner, ok := err.(interface{ Unwrap() error })
		if !ok {
			return err
		}
		err = inner.Unwrap()
	}
}
