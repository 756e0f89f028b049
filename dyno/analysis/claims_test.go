package analysis_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/study"
)

// In the made-up study subject n+1 costs 18 % more than subject n, from 1 on.
var claims = []claim.Claim{
	{ID: "costs", Expressions: []string{"cpu[echo] / cpu[nethttp] > 1.1"}},
	{ID: "less", Expressions: []string{"cpu[echo] / cpu[nethttp] > 2"}},
	{ID: "opposite", Expressions: []string{"throughput[echo] > throughput[nethttp]"}},
	{ID: "quick", Expressions: []string{"response.p50[nethttp] < 10ms"}},
	{ID: "blind", Expressions: []string{"cpu[raw-epoll] < 100us"}},
	{ID: "elsewhere", Unmeasurable: "it needs two NUMA nodes"},
	{ID: "unknown", Expressions: []string{"cpu[sinatra] < 100us"}},
}

func TestClaimsOfARun(t *testing.T) {
	run := analysistest.Run(4)
	run.Manifest.Claims = claims
	a := analyse(t, run)
	want := []claim.Verdict{claim.Confirmed, claim.SizeRefuted, claim.Opposite, claim.Confirmed, claim.Unmeasurable, claim.Unmeasurable, claim.Unmeasurable}
	if len(a.Claims) != len(want) {
		t.Fatalf("%d outcomes, want %d", len(a.Claims), len(want))
	}
	for i, out := range a.Claims {
		if out.ID != claims[i].ID || out.Verdict != want[i] || out.Why.IsZero() {
			t.Errorf("%s is %s (%s), want %s", out.ID, out.Verdict, out.Why, want[i])
		}
	}
	costs := a.Claims[0].Parts[0]
	if e := costs.Effect; e == nil || e.Unit != "×" || !near(e.Interval.Estimate, 1.18, 0.02) || costs.Blocks != analysistest.Blocks {
		t.Errorf("the effect is %+v over %d blocks, made up as 1.18 over %d", e, costs.Blocks, analysistest.Blocks)
	}
	if e := a.Claims[3].Parts[0].Effect; e == nil || e.Unit != "µs" || e.Bound != 10_000 {
		t.Errorf("the effect is %+v, want a bound of 10,000 µs", e)
	}
	if !strings.Contains(a.Claims[4].Why.String(), "could not be seen") {
		t.Errorf("a claim about an unseen process: %q", a.Claims[4].Why)
	}
}

// The ratio a claim is decided by is the one that the report shows next to it.
func TestClaimsAgreeWithRatios(t *testing.T) {
	run := analysistest.Run(4, "nethttp", "gin", "echo")
	run.Manifest.Claims = []claim.Claim{{ID: "a", Expressions: []string{"throughput[echo] / throughput[nethttp] < 1"}}}
	a := analyse(t, run)
	shown, decided := a.Groups[0].Cells[2].Ratios["throughput"], a.Claims[0].Parts[0].Effect.Interval
	const close = 1e-9
	if !near(shown.Estimate, decided.Estimate, close) || !near(shown.Low, decided.Low, close) || !near(shown.High, decided.High, close) || shown.N != decided.N {
		t.Errorf("the claim rests on %+v, the ranking shows %+v", decided, shown)
	}
}

// Of a run that could stop when its claims look decided, effects have the wider
// intervals that allow it.
func TestClaimsOfASequentialRun(t *testing.T) {
	run := analysistest.Run(4, "nethttp", "gin", "echo")
	run.Manifest.Claims = claims[:1]
	one := analyse(t, run).Claims[0].Parts[0].Effect.Interval
	run.Manifest.Until = study.Until{Time: 1}
	any := analyse(t, run).Claims[0].Parts[0].Effect.Interval
	if !near(any.Estimate, one.Estimate, 1e-9) || any.High/any.Low <= one.High/one.Low || any.Level != one.Level {
		t.Errorf("%+v, with a single look %+v", any, one)
	}
}

func near(a, b, share float64) bool { return a-b <= share*b && b-a <= share*b }

// Blocks in which one side has no usable trial are left out, and said.
func TestClaimsLeaveBlocksOut(t *testing.T) {
	run := analysistest.Run(4, "nethttp", "gin", "echo")
	run.Manifest.Claims = []claim.Claim{{ID: "a", Expressions: []string{"throughput[gin] > 0.5 * throughput[nethttp]"}}}
	p := analyse(t, run).Claims[0].Parts[0]
	if p.Blocks != analysistest.Blocks-1 || p.Left != 1 || !strings.Contains(p.Why.String(), "1 of 6 blocks are left out") {
		t.Errorf("%d blocks, %d left out: %s", p.Blocks, p.Left, p.Why)
	}
}

func TestARunWithoutClaimsHasNoneInJSON(t *testing.T) {
	document, err := json.Marshal(analyse(t, &archive.Run{}))
	if err != nil || strings.Contains(string(document), "claims") {
		t.Errorf("%s, %v", document, err)
	}
}

// A run that was broken off after its first trials decides little and breaks
// nothing.
func TestClaimsOfAnEarlyRun(t *testing.T) {
	for _, trials := range []int{0, 1, 9} {
		run := analysistest.Run(4)
		run.Trials = run.Trials[:trials]
		run.Manifest.Claims, run.Manifest.Status = claims, archive.Interrupted
		for _, out := range analyse(t, run).Claims {
			if out.Verdict != claim.Undecided && out.Verdict != claim.Unmeasurable {
				t.Errorf("after %d trials %s is %s: %s", trials, out.ID, out.Verdict, out.Why)
			}
		}
	}
	run := analysistest.Run(4)
	run.Manifest.Claims = claims
	for i := range run.Trials {
		run.Trials[i].Validity = finding.Invalid
	}
	if out := analyse(t, run).Claims[0]; out.Verdict != claim.Undecided || out.Needed != 2 {
		t.Errorf("without a usable trial: %+v", out)
	}
}

// What studies know of metrics is what there is.
func TestClaimMetricsAreThoseOfTheAnalysis(t *testing.T) {
	run := analysistest.Run(4) // with Go programs among the subjects
	withHandshakes(run, measure.FullHandshake, measure.ResumedHandshake)
	run.Manifest.Plan.Cells[0].TLS = study.TLSFull
	run.Manifest.WarmupMost = time.Minute
	for i := range run.Trials {
		trial := &run.Trials[i]
		trial.WarmUp, trial.Size = &archive.WarmUp{Steady: true, Took: time.Second}, 1<<20
		trial.Sliced = &archive.Sliced{Length: time.Second, First: time.Second / 2, Rounds: 1, Arms: 1, Cut: true}
		trial.Slices = []archive.Slice{{Requests: 100, CPU: time.Second, FirstRequests: 50, FirstCPU: time.Second / 2}}
		for w := range trial.Windows {
			if p := trial.Windows[w].Server.Process; p != nil {
				p.PSS = p.RSS / 2
			}
		}
	}
	known, metrics := study.ClaimMetrics(), analyse(t, run).Groups[0].Metrics
	for _, m := range metrics {
		if !slices.Contains(known, claim.Metric{Name: m.Name, Unit: m.Unit}) {
			t.Errorf("claims can't name %s in %s", m.Name, m.Unit)
		}
	}
	var names []string
	for _, m := range metrics {
		names = append(names, m.Name)
	}
	for _, m := range known {
		forWhoAsks := strings.HasPrefix(m.Name, "tail.") || strings.HasPrefix(m.Name, "explained.") || m.Name == "wait.max"
		if !slices.Contains(names, m.Name) && !strings.HasSuffix(m.Name, ".p99.99") && !forWhoAsks {
			t.Errorf("claims may name %s, which is never measured", m.Name)
		}
	}
}
