package claim

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"dyno/lab/stats"
)

func TestEvaluate(t *testing.T) {
	src := made(8)
	for _, c := range []struct {
		text string
		want Verdict
		unit string
		near float64 // the effect's estimate
	}{
		{"throughput[b, rate=100, tls=off] / throughput[a, rate=100, tls=off] >= 1.9", Confirmed, "×", 2},
		{"throughput[b, rate=100, tls=off] / throughput[a, rate=100, tls=off] >= 2.3", Direction, "×", 2},
		{"throughput[a, rate=100, tls=off] > throughput[b, rate=100, tls=off]", Refuted, "×", 0.5},
		{"throughput[b, rate=100, tls=off] / throughput[b, rate=200, tls=off] > 1.5", Refuted, "×", 1},
		{"throughput[a, rate=100, tls=off] / throughput[b, rate=100, tls=off] ~ 0.5 +- 3%", Confirmed, "×", 0.5},
		{"cpu[a, rate=100, tls=off] < 30us", Confirmed, "µs", 20},
		{"response.p99[a, rate=400, tls=off] < 12ms", Refuted, "µs", 20000},
		{"rss[a, rate=100, tls=off] <= 8MB", Refuted, "bytes", 8.04e6},
		{"throughput[a, rate=100, tls=off] >= 0.9k", Confirmed, "req/s", 1005},
		{"errors[a, rate=100, tls=off] < 1%", Confirmed, "%", 0},
		{"throughput[a, rate=100, tls=off] * cpu[a, rate=100, tls=off] < 65%", Confirmed, "", 0.0202},
		{"cpu[a, rate=100, tls=off] - cpu[b, rate=100, tls=off] > 5us", Confirmed, "µs", 10.05},
		{"(cpu[a, rate=100, tls=off] - cpu[b, rate=100, tls=off]) / 100 ~ 0.1us", Confirmed, "µs", 10.05},
		{"cpu[b, rate=100, tls=off] - cpu[b, rate=200, tls=off] > 5us", Refuted, "µs", 0},
		{"throughput[b, rate=100, tls=off] > 1k and throughput[a, rate=100, tls=off] > 5k", Refuted, "req/s", 2010},
	} {
		out := decide(src, c.text)
		e := out.Parts[0].Effect
		if out.Verdict != c.want || e == nil || e.Unit != c.unit || math.Abs(e.Interval.Estimate-c.near) > 0.01*c.near {
			t.Errorf("%s\n%s, want %s near %g %s", c.text, describe(out), c.want, c.near, c.unit)
		}
		if out.Blocks != 8 || out.Why == "" {
			t.Errorf("%s: %d blocks, %q", c.text, out.Blocks, out.Why)
		}
		if _, err := json.Marshal(out); err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}

// The interval of a claimed ratio is that of stats.Ratio: pairs, not means.
func TestRatiosArePaired(t *testing.T) {
	a, b := []float64{100, 200, 400, 800, 1600, 3200}, []float64{51, 99, 202, 398, 804, 1590}
	want := stats.Ratio(a, b, 0.95)
	got := decide(single(a, b), "throughput[a] > 1.9 * throughput[b]").Parts[0].Effect.Interval
	if compare(got.Estimate, want.Estimate) != 0 || compare(got.Low, want.Low) != 0 || compare(got.High, want.High) != 0 || got.Level != want.Level {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A difference has the interval of Student's t: mean 3, standard error 0.5774 with
// 2 degrees of freedom.
func TestDifferencesHaveTheIntervalOfAMean(t *testing.T) {
	got := decide(single([]float64{10, 10, 10}, []float64{6, 7, 8}), "throughput[a] - throughput[b] > 0").Parts[0].Effect.Interval
	half := 4.30265 * 1 / math.Sqrt(3)
	if math.Abs(got.Estimate-3) > 1e-9 || math.Abs(got.Low-(3-half)) > 1e-4 || math.Abs(got.High-(3+half)) > 1e-4 {
		t.Errorf("got %+v, want 3 ± %g", got, half)
	}
}

func TestTooLittleData(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		a, b   []float64
		blocks int
		needed int
		why    string
	}{
		{"nothing", nil, nil, 0, 2, "0 of at least 2 blocks"},
		{"one block", []float64{2}, []float64{1}, 1, 1, "1 of at least 2 blocks"},
		{"no pair", []float64{2, nan}, []float64{nan, 1}, 0, 2, "0 of at least 2 blocks"},
		{"division by zero", []float64{2, 2}, []float64{0, 0}, 0, 2, "in 2 there would be a division by zero"},
	} {
		out := decide(single(c.a, c.b), "throughput[a] / throughput[b] > 1")
		if out.Verdict != Undecided || out.Blocks != c.blocks || out.Needed != c.needed || !strings.Contains(out.Why, c.why) {
			t.Errorf("%s: %s, %d blocks, %d needed", c.name, describe(out), out.Blocks, out.Needed)
		}
	}
}

func TestBlocksLeftOut(t *testing.T) {
	a := []float64{20, math.NaN(), 20.2, 20.1, 20, 20.1}
	b := []float64{10, 10, 0, 10.1, 10, 10}
	p := decide(single(a, b), "throughput[a] / throughput[b] > 1").Parts[0]
	if p.Verdict != Confirmed || p.Blocks != 4 || p.Left != 2 || !strings.Contains(p.Why, "2 of 6 blocks are left out, 1 for a division by zero") {
		t.Errorf("%+v", p)
	}
}

func TestUnmeasurable(t *testing.T) {
	src := made(4)
	src.absent = map[string]string{"cpu": "the subject's process could not be seen"}
	for _, c := range []struct {
		claim Claim
		why   string
	}{
		{Claim{Unmeasurable: "it needs\n two nodes", Expressions: []string{"cpu > 1us"}}, "it needs two nodes"},
		{Claim{Expressions: []string{"cpu[a, rate=100, tls=off] > 1us"}}, "no cpu[a, rate=100, tls=off]: the subject's process could not be seen"},
		{Claim{Expressions: []string{"throughput[a, rate=300, tls=off] > 1"}}, `this run can't tell: there is no level of rate "300" here (there are 100, 200, 400)`},
		{Claim{Expressions: []string{"throughput[a, rate=100, tls=off] > 1"}, Direction: "cpu[a] > 1us"}, "direction: column 1: 6 cells fit (choose rate= (100, 200, 400), and tls= (off, resumed))"},
		{Claim{Expressions: []string{"throughput[a, rate=100, tls=off] > 1"}, Direction: "cpu[a, rate=100, tls=off] > 1us"}, "no cpu[a, rate=100, tls=off]: the subject's process could not be seen"},
		{Claim{Expressions: []string{"max(rate: cpu < 1ms)[a, tls=off] > 100"}}, "no cpu[rate=100, a, tls=off]: the subject's process could not be seen"},
		{Claim{}, "the claim has no expression"},
	} {
		out := Evaluate(&c.claim, src, Options{})
		if out.Verdict != Unmeasurable || out.Why != c.why || !Decided(out) {
			t.Errorf("%+v: %s", c.claim, describe(out))
		}
	}
}

// The weakest part decides, and says why.
func TestSeveralExpressions(t *testing.T) {
	const faster, slower = "throughput[b, rate=100, tls=off] > 1.5 * throughput[a, rate=100, tls=off]", "throughput[b, rate=100, tls=off] > 3 * throughput[a, rate=100, tls=off]"
	out := Evaluate(&Claim{Expressions: []string{faster, slower}}, made(6), Options{})
	if out.Verdict != Direction || len(out.Parts) != 2 || out.Parts[0].Verdict != Confirmed || out.Why != out.Parts[1].Why {
		t.Errorf("%+v", out)
	}
}

func TestADirectionOfItsOwn(t *testing.T) {
	const size = "throughput[b, rate=100, tls=off] > 3 * throughput[a, rate=100, tls=off]"
	for direction, want := range map[string]Verdict{
		"cpu[b, rate=100, tls=off] < cpu[a, rate=100, tls=off]": Direction,
		"cpu[b, rate=100, tls=off] > cpu[a, rate=100, tls=off]": Refuted,
		"rss[b, rate=100, tls=off] > rss[a, rate=100, tls=off]": Undecided,
	} {
		if out := Evaluate(&Claim{Expressions: []string{size}, Direction: direction}, made(6), Options{}); out.Verdict != want {
			t.Errorf("%s: %s, want %s", direction, describe(out), want)
		}
	}
}

func TestMargin(t *testing.T) {
	a, b := []float64{100, 101, 102, 100, 101, 102}, []float64{100, 100, 100, 100, 100, 100}
	for margin, want := range map[float64]Verdict{0: Refuted, 0.005: Direction} {
		c := Claim{Expressions: []string{"throughput[a] > 1.5 * throughput[b]"}, Margin: margin}
		if out := Evaluate(&c, single(a, b), Options{}); out.Verdict != want {
			t.Errorf("margin %g: %s, want %s", margin, describe(out), want)
		}
	}
}

// The blocks that are said to be needed do decide, one fewer do not.
func TestNeeded(t *testing.T) {
	a, b := []float64{100, 120, 104, 118, 103, 109}, []float64{100, 101, 99, 100, 102, 98}
	out := decide(single(a, b), "throughput[a] > 1.02 * throughput[b]")
	if out.Verdict != Undecided || out.Needed < 1 {
		t.Fatalf("%s, %d needed", describe(out), out.Needed)
	}
	if want := "more block"; !strings.Contains(out.Why, want) || !strings.Contains(Progress(out), want) || Decided(out) {
		t.Errorf("%q, %q", out.Why, Progress(out))
	}
	ratios := sample{logs: true}
	for i := range a {
		ratios.value = append(ratios.value, a[i]/b[i])
	}
	ratios.low, ratios.high = ratios.value, ratios.value
	for more, want := range map[int]state{out.Needed: holds, out.Needed - 1: open} {
		_, where := ratios.longer(more).estimate(Options{}.withDefaults())
		if got := (region{op: Greater, bound: 1.02}).holding(where); got != want {
			t.Errorf("with %d more blocks the interval is %+v", more, where)
		}
	}
}

func TestMoreBlocksWouldHardlyTell(t *testing.T) {
	out := decide(single([]float64{100, 104, 100, 104}, []float64{100, 100, 104, 104}), "throughput[a] >= throughput[b]")
	if out.Verdict != Undecided || out.Needed != 0 || !strings.Contains(out.Why, "hardly") || !strings.Contains(Progress(out), "hardly") {
		t.Errorf("%s, %d needed: %s", describe(out), out.Needed, Progress(out))
	}
}

// A longer sample has the mean and the deviation of the one it is made of.
func TestLongerSamples(t *testing.T) {
	x := []float64{1, 2, 4, 9}
	for _, logs := range []bool{false, true} {
		s := sample{series: exactly(x), logs: logs}
		base := s.mean(x, Options{}.withDefaults())
		for _, more := range []int{1, 2, 7} {
			iv := s.mean(s.stretch(x, more), Options{}.withDefaults())
			if compare(iv.Estimate, base.Estimate) != 0 || iv.N != len(x)+more || iv.High >= base.High {
				t.Errorf("logs %v, %d more: %+v of %+v", logs, more, iv, base)
			}
		}
	}
}

// Whoever stops at will gives the interval that allows it.
func TestTheIntervalIsTheCallers(t *testing.T) {
	calls := 0
	o := Options{Level: 0.9, Ratio: func(a, b []float64, level float64) stats.Interval {
		calls++
		iv := stats.Ratio(a, b, level)
		iv.Low, iv.High = 0, math.Inf(1)
		return iv
	}}
	for _, text := range []string{"throughput[a, rate=100, tls=off] > 1", "cpu[a, rate=100, tls=off] - cpu[b, rate=100, tls=off] > 1us"} {
		calls = 0
		out := Evaluate(&Claim{Expressions: []string{text}}, made(4), o)
		if out.Verdict != Undecided || calls == 0 || out.Parts[0].Effect.Interval.Level != 0.9 {
			t.Errorf("%s: %s after %d calls", text, describe(out), calls)
		}
		if e := out.Parts[0].Effect; !e.Above {
			t.Errorf("%s: the interval %+v has an upper end", text, e)
		}
		if _, err := json.Marshal(out); err != nil {
			t.Error(err)
		}
	}
}

func TestNoiseStandsBesideRatios(t *testing.T) {
	src := made(4)
	src.twins = map[string]stats.Interval{"throughput": {N: 4, Estimate: 1.001}}
	for text, want := range map[string]bool{
		"throughput[b, rate=100, tls=off] > throughput[a, rate=100, tls=off]": true,
		"throughput[b, rate=100, tls=off] > 1":                                false,
		"cpu[b, rate=100, tls=off] < cpu[a, rate=100, tls=off]":               false,
	} {
		if got := decide(src, text).Parts[0].Noise; (got != nil) != want {
			t.Errorf("%s: noise %+v", text, got)
		}
	}
}

func TestKnee(t *testing.T) {
	names := []string{"16", "64", "256", "1k"}
	flat := [][]float64{{10, 10}, {30, 30}, {40, 40}, {41, 39}}
	rising := [][]float64{{10, 10}, {30, 30}, {40, 40}, {80, 80}}
	for _, c := range []struct {
		text   string
		values [][]float64
		want   Verdict
	}{
		{"knee(connections) > 60", flat, Confirmed}, // it is above 64, at 256 at the latest
		{"knee(connections) > 100", flat, Undecided},
		{"knee(connections) <= 256", flat, Confirmed},
		{"knee(connections) > 300", flat, Refuted},
		{"knee(connections) > 200", rising, Confirmed},
		{"knee(connections) > 1000", rising, Undecided}, // where nothing was measured
		{"knee(connections) < 5000", rising, Undecided},
		{"knee(connections) < 200", rising, Refuted},
		{"knee(connections) > 60", [][]float64{{40, 40}, {41, 41}, {40, 40}, {40, 40}}, Refuted},
		{"knee(connections) > 1", [][]float64{{40, 40}, {41, 41}, {math.NaN(), math.NaN()}, {40, 40}}, Undecided},
	} {
		if out := decide(levels("connections", names, c.values), c.text); out.Verdict != c.want {
			t.Errorf("%s of %v: %s, want %s", c.text, c.values, describe(out), c.want)
		}
	}
}

func TestMax(t *testing.T) {
	nan := math.NaN()
	names := []string{"4000", "8000", "12843", "20000"}
	for _, c := range []struct {
		text   string
		values [][]float64 // of a throughput that must stay below 100
		want   Verdict
	}{
		{"max(rate: throughput < 100) >= 12843", [][]float64{{10, 10}, {20, 30}, {50, 50}, {200, 200}}, Confirmed},
		{"max(rate: throughput < 100) >= 12844", [][]float64{{10, 10}, {20, 30}, {50, 50}, {200, 200}}, Undecided},
		{"max(rate: throughput < 100) > 25000", [][]float64{{10, 10}, {20, 30}, {50, 50}, {200, 200}}, Refuted},
		{"max(rate: throughput < 100) >= 20000", [][]float64{{10, 10}, {20, 30}, {50, 50}, {60, 60}}, Confirmed},
		{"max(rate: throughput < 100) < 99999", [][]float64{{10, 10}, {20, 30}, {50, 50}, {60, 60}}, Undecided},
		// A level at which it fails ends it, whatever holds above.
		{"max(rate: throughput < 100) >= 12843", [][]float64{{10, 10}, {200, 300}, {50, 50}, {60, 60}}, Refuted},
		{"max(rate: throughput < 100) < 4001", [][]float64{{200, 200}, {200, 300}, {50, 50}, {60, 60}}, Confirmed},
		// What isn't known neither holds nor fails.
		{"max(rate: throughput < 100) >= 12843", [][]float64{{10, 10}, {nan, 20}, {50, 50}, {200, 200}}, Undecided},
		{"max(rate: throughput < 100) >= 4000", [][]float64{{10, 10}, {nan, nan}, {50, 50}, {200, 200}}, Confirmed},
		{"max(rate: throughput < 100 and throughput > 15) >= 1", [][]float64{{10, 10}, {20, 30}, {50, 50}, {60, 60}}, Undecided},
	} {
		out := decide(levels("rate", names, c.values), c.text)
		if out.Verdict != c.want {
			t.Errorf("%s of %v: %s, want %s", c.text, c.values, describe(out), c.want)
		}
		if _, err := json.Marshal(out); err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}

// Why it is undecided says that levels are missing, not blocks.
func TestLevelsThatEndTooSoon(t *testing.T) {
	out := decide(levels("connections", []string{"1", "2"}, [][]float64{{10, 10}, {20, 20}}), "knee(connections) > 2")
	if out.Needed != 0 || !strings.Contains(out.Why, "end too soon") || !out.Parts[0].Effect.Above {
		t.Errorf("%s: %+v", describe(out), out.Parts[0].Effect)
	}
}

func TestVerdictsAreFive(t *testing.T) {
	if v := Verdicts(); len(v) != 5 || len(slices.Compact(slices.Sorted(slices.Values(v)))) != 5 {
		t.Errorf("%v", v)
	}
}
