package regression

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/baseline"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/regression/threshold"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

var (
	cpu        = threshold.Threshold{Metric: "cpu", Change: 0.05}
	throughput = threshold.Threshold{Metric: "throughput", Change: -0.05}
)

func TestJudge(t *testing.T) {
	iv := func(low, estimate, high float64) stats.Interval {
		return stats.Interval{N: 8, Low: low, Estimate: estimate, High: high, Level: 0.95}
	}
	for _, c := range []struct {
		name  string
		ratio stats.Interval
		of    threshold.Threshold
		want  Decision
	}{
		{"no change", iv(0.98, 1, 1.02), cpu, OK},
		{"a little worse, but surely within", iv(1.01, 1.02, 1.03), cpu, OK},
		{"better", iv(0.5, 0.6, 0.7), cpu, OK},
		{"worse", iv(1.04, 1.08, 1.12), cpu, Regression},
		{"worse, and surely beyond", iv(1.2, 1.3, 1.4), cpu, Regression},
		{"worse, but perhaps within", iv(1.01, 1.04, 1.07), cpu, CannotTell},
		{"beyond, but perhaps no change", iv(0.99, 1.08, 1.18), cpu, CannotTell},
		{"wide", iv(0.8, 1, 1.25), cpu, CannotTell},
		{"no interval", stats.Interval{N: 1, Estimate: 2, Low: 2, High: 2}, cpu, CannotTell},
		{"throughput unchanged", iv(0.98, 1, 1.02), throughput, OK},
		{"more throughput", iv(1.2, 1.3, 1.4), throughput, OK},
		{"less throughput", iv(0.88, 0.92, 0.96), throughput, Regression},
		{"less throughput, perhaps none", iv(0.88, 0.94, 1.01), throughput, CannotTell},
		{"less throughput, perhaps within", iv(0.94, 0.96, 0.98), throughput, CannotTell},
	} {
		if got := judge(c.ratio, c.of); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestErrorRates(t *testing.T) {
	for _, checks := range []int{0, 1, 3, 80, 1000} {
		for _, confirms := range []bool{false, true} {
			level := levelFor(checks, confirms)
			rate := falseAlarm(checks, level, confirms)
			if level < 1-alpha || level >= 1 || rate > falseAlarms+1e-12 {
				t.Errorf("%d checks, confirmed %v: level %v, false alarms %v", checks, confirms, level, rate)
			}
		}
	}
	if rate := falseAlarm(3, levelFor(3, true), true); math.Abs(rate-3*0.000625) > 1e-12 {
		t.Errorf("three confirmed checks: %v", rate)
	}
}

// noisy draws n values about center, with a deviation that is a share.
func noisy(rng *rand.Rand, n int, center, deviation float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = center * math.Exp(deviation*rng.NormFloat64())
	}
	return values
}

// gates simulates gates of one check, with a second run of each alarm, and
// returns which shares of them alarm and say that all is well.
func gates(studies int, worse, deviation float64, blocks int, of threshold.Threshold) (alarms, fine float64) {
	rng := rand.New(rand.NewPCG(11, 0))
	level := levelFor(1, true)
	decide := func() Decision {
		v := values{paired: true, old: noisy(rng, blocks, 100, deviation), new: noisy(rng, blocks, 100*worse, deviation)}
		return judge(v.ratio(level), of)
	}
	for range studies {
		first := decide()
		if first == Regression && decide() == Regression {
			alarms++
		} else if first == OK {
			fine++
		}
	}
	return alarms / float64(studies), fine / float64(studies)
}

func TestFalseAlarmsAreAsRareAsPromised(t *testing.T) {
	const studies = 20_000
	promised := falseAlarm(1, levelFor(1, true), true)
	// A threshold that is small against the noise, so that it does not protect.
	alarms, _ := gates(studies, 1, 0.05, 6, threshold.Threshold{Metric: "cpu", Change: 0.001})
	if limit := promised + 4*math.Sqrt(promised/studies); alarms > limit {
		t.Errorf("%.5f of gates alarm about nothing, promised are %.5f", alarms, promised)
	}
}

func TestWhatIsPromisedToBeFoundIsFound(t *testing.T) {
	for _, of := range []threshold.Threshold{cpu, throughput} {
		for _, blocks := range []int{4, 8, 20} {
			const deviation = 0.03
			smallest := finds(deviation, blocks, of, levelFor(1, true))
			worse := 1 + smallest
			if !of.Rises() {
				worse = 1 - smallest
			}
			// Four standard errors of a share of 0.9 of 2,000 are 0.027.
			if alarms, _ := gates(2000, worse, deviation, blocks, of); alarms < 0.9-0.027 {
				t.Errorf("%s, %d blocks: a change of %.3f is found in %.3f of gates", of, blocks, smallest, alarms)
			}
		}
	}
}

func TestNeeds(t *testing.T) {
	const deviation = 0.03
	level := levelFor(1, true)
	n := needs(deviation, 6, cpu, level)
	if n <= 6 || n > 40 {
		t.Fatalf("%d blocks for 5 %% at a noise of 3 %%", n)
	}
	if at, before := stats.DetectableRatio(deviation, n, level, power), stats.DetectableRatio(deviation, n-1, level, power); at > 1.05 || before <= 1.05 {
		t.Errorf("%d blocks find %v, one less %v", n, at, before)
	}
	if needs(deviation, n, cpu, level) != 0 || needs(5, 6, cpu, level) != 0 {
		t.Error("blocks are asked for that are there, or that don't help")
	}
	// With so many, versions that are the same are mostly said to be so.
	if _, fine := gates(2000, 1, deviation, n, cpu); fine < 0.9 {
		t.Errorf("with %d blocks %.3f of gates say that all is well", n, fine)
	}
}

// twins is an analysed made-up run of x and, as its old version, y, whose values
// are those of x times worse, with a share of noise.
func twins(t *testing.T, worse, noise float64) *analysis.Analysis {
	t.Helper()
	a, err := analysis.Analyse(analysistest.Run(4, "x", "x@main"))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 0))
	cells := a.Groups[0].Cells
	// The second subject's trial of block 4 is invalid: its values are of others.
	for i := range cells[0].Values["cpu"] {
		cells[0].Values["cpu"][i] = 20 * worse * math.Exp(noise*rng.NormFloat64())
	}
	for i := range cells[1].Values["cpu"] {
		cells[1].Values["cpu"][i] = 20 * math.Exp(noise*rng.NormFloat64())
	}
	return a
}

var (
	both  = []Pair{{Old: "x@main", New: "x"}}
	asked = Options{Thresholds: []threshold.Threshold{cpu}, Explicit: true}
)

func TestJudgePairs(t *testing.T) {
	for _, c := range []struct {
		name         string
		worse, noise float64
		want         Decision
		says         string
	}{
		{"the same", 1, 0.005, OK, "5 % are allowed"},
		{"slower", 1.2, 0.005, Regression, "CPU per request is 20 % higher"},
		{"noisy", 1, 0.2, CannotTell, "blocks would tell"},
	} {
		r := JudgePairs(twins(t, c.worse, c.noise), both, asked)
		if r.Decision != c.want || len(r.Checks) != 2 || !strings.Contains(r.Checks[0].Sentence.String(), c.says) {
			t.Errorf("%s: %s, %+v", c.name, r.Decision, r.Checks)
			continue
		}
		if check := r.Checks[0]; check.Finds <= 0 || check.Ratio.N != 5 || check.Subject != "x" {
			t.Errorf("%s: %+v; want a ratio of 5 blocks", c.name, check)
		}
	}
}

func TestWhatIsNotJudged(t *testing.T) {
	broken := func(change func(*analysis.Analysis)) *Result {
		a := twins(t, 1.5, 0.001)
		change(a)
		return JudgePairs(a, both, asked)
	}
	cell := func(a *analysis.Analysis, i int) *analysis.Cell { return &a.Groups[0].Cells[i] }
	keep := func(c *analysis.Cell, n int) {
		c.Trials = c.Trials[:n]
		for name := range c.Values {
			c.Values[name] = c.Values[name][:n]
		}
	}
	for why, change := range map[string]func(*analysis.Analysis){
		"the run is invalid": func(a *analysis.Analysis) { a.Validity = finding.Invalid },
		"only 2 of 6 trials of x@main can be used: rate-missed": func(a *analysis.Analysis) {
			c := cell(a, 1)
			c.Left = append(c.Left, c.Trials[2:]...)
			keep(c, 2)
		},
		"the subject's process could not be seen": func(a *analysis.Analysis) {
			delete(cell(a, 0).Values, "cpu")
			cell(a, 0).Omitted["cpu"] = i18n.Verbatim("the subject's process could not be seen")
		},
		"are too few": func(a *analysis.Analysis) {
			for i := range 2 {
				cell(a, i).Left = nil
				keep(cell(a, i), 2)
			}
		},
		"no block has a valid trial of both versions": func(a *analysis.Analysis) {
			for i := range cell(a, 1).Seconds {
				cell(a, 1).Seconds[i].Block += 100
			}
		},
	} {
		r := broken(change)
		if r.Decision != CannotTell || r.Checks[0].Metric != "cpu" || !strings.Contains(r.Checks[0].Sentence.String(), why) {
			t.Errorf("%s: %s, %+v", why, r.Decision, r.Checks)
		}
	}
	if r := JudgePairs(twins(t, 1, 0.001), []Pair{{Old: "p", New: "q"}}, asked); r.Decision != CannotTell {
		t.Errorf("nothing was checked, yet it is %s", r.Decision)
	}
	// What nobody asked for, and can't be measured, is left out and told.
	a := twins(t, 1, 0.001)
	for i := range 2 {
		delete(cell(a, i).Values, "rss")
	}
	o := Options{Thresholds: []threshold.Threshold{cpu, {Metric: "rss", Change: 0.1}}}
	if r := JudgePairs(a, both, o); r.Decision != OK || len(r.Checks) != 2 || !strings.Contains(i18n.List("\n", r.Remarks...).String(), "rss is not checked") {
		t.Errorf("%s, %+v, %q", r.Decision, r.Checks, r.Remarks)
	}
}

// A percentile that only the new version lacks, as its slow requests were given
// up, may lack because the version is worse.
func TestWhatOneVersionLacksIsNotWell(t *testing.T) {
	o := Options{Thresholds: []threshold.Threshold{cpu, {Metric: "response.p99", Change: 0.1}}}
	for lacks := range 2 {
		a := twins(t, 1, 0.001)
		c := &a.Groups[0].Cells[lacks]
		delete(c.Values, "response.p99")
		c.Omitted["response.p99"] = i18n.Verbatim("41 of 900 requests were given up")
		r := JudgePairs(a, both, o)
		if r.Decision != CannotTell || len(r.Checks) != 3 || !strings.Contains(r.Checks[1].Sentence.String(), "were given up") {
			t.Errorf("%s lacks it: %s, %+v", c.Subject, r.Decision, r.Checks)
		}
	}
	old := twins(t, 1, 0.001)
	b, err := baseline.New("main", old, someHash)
	if err != nil {
		t.Fatal(err)
	}
	a := twins(t, 1, 0.001)
	delete(a.Groups[0].Cells[0].Values, "response.p99")
	if r := JudgeStored(a, b, o); r.Decision != CannotTell {
		t.Errorf("of a baseline: %s, %+v", r.Decision, r.Checks)
	}
}

// setAll sets all values of a cell's metric.
func setAll(a *analysis.Analysis, cell int, metric string, to ...float64) {
	values := a.Groups[0].Cells[cell].Values[metric]
	for i := range values {
		values[i] = to[i%len(to)]
	}
}

// The blocks in which nothing is zero would be a choice.
func TestOfZeroThereIsNoRatio(t *testing.T) {
	for cell := range 2 {
		a := twins(t, 1, 0.001)
		setAll(a, cell, "cpu", 20, 20.1, 0)
		if r := JudgePairs(a, both, asked); r.Decision != CannotTell || !strings.Contains(r.Checks[0].Sentence.String(), "zero in some trials") {
			t.Errorf("%s, %+v", r.Decision, r.Checks)
		}
	}
}

// A change whose medians say the opposite is reported with that: some restarts of one version
// are far off.
func TestMediansThatSayTheOpposite(t *testing.T) {
	old := []float64{20, 20.1, 19.9, 20, 20.1, 19.9, 20, 20.1, 19.9, 20, 20.1, 19.9}
	new := []float64{19.5, 30, 19.6, 31, 19.5, 32, 19.4, 30, 19.6, 31, 19.5, 19.6}
	for name, c := range map[string]struct {
		values values
		says   bool
	}{
		"in pairs":           {values{paired: true, old: old, new: new}, true},
		"with a baseline":    {values{old: old, new: new, days: [][]float64{old}}, true},
		"the other way":      {values{paired: true, old: new, new: old}, true},
		"medians that agree": {values{paired: true, old: old, new: []float64{21, 30, 21.1, 31, 21, 32, 21.2, 30, 21, 31, 21, 21.1}}, false},
		"no change":          {values{paired: true, old: old, new: old}, false},
	} {
		s := sample{metrics: map[string]values{cpu.Metric: c.values}}
		check := s.check(cpu, 0.95, nil)
		if strings.Contains(check.Sentence.String(), "by their medians it is the other way") != c.says {
			t.Errorf("%s: %s %+v", name, check.Sentence, check.Ratio)
		}
	}
}
