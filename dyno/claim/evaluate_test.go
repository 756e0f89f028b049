package claim

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
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
		{"throughput[b, rate=100, tls=off] / throughput[a, rate=100, tls=off] >= 2.3", SizeRefuted, "×", 2},
		{"throughput[a, rate=100, tls=off] > throughput[b, rate=100, tls=off]", Opposite, "×", 0.5},
		{"throughput[b, rate=100, tls=off] / throughput[b, rate=200, tls=off] > 1.5", NoEffect, "×", 1},
		{"throughput[a, rate=100, tls=off] / throughput[b, rate=100, tls=off] ~ 0.5 +- 3%", Confirmed, "×", 0.5},
		{"cpu[a, rate=100, tls=off] < 30us", Confirmed, "µs", 20},
		{"response.p99[a, rate=400, tls=off] < 12ms", SizeRefuted, "µs", 20000},
		{"rss[a, rate=100, tls=off] <= 8MB", SizeRefuted, "bytes", 8.04e6},
		{"throughput[a, rate=100, tls=off] >= 0.9k", Confirmed, "req/s", 1005},
		{"errors[a, rate=100, tls=off] < 1%", Confirmed, "%", 0},
		{"throughput[a, rate=100, tls=off] * cpu[a, rate=100, tls=off] < 65%", Confirmed, "", 0.0202},
		{"cpu[a, rate=100, tls=off] - cpu[b, rate=100, tls=off] > 5us", Confirmed, "µs", 10.05},
		{"(cpu[a, rate=100, tls=off] - cpu[b, rate=100, tls=off]) / 100 ~ 0.1us", Confirmed, "µs", 0.1005},
		{"50ns <= (cpu[a, rate=100, tls=off] - cpu[b, rate=100, tls=off]) / 100 <= 0.2us", Confirmed, "µs", 0.1005},
		{"3us <= (cpu[a, rate=100, tls=off] - cpu[b, rate=100, tls=off]) / 100 <= 8us", SizeRefuted, "µs", 0.1005},
		{"0.01us <= (cpu[a, rate=100, tls=off] - cpu[b, rate=100, tls=off]) / 100 <= 0.05us", SizeRefuted, "µs", 0.1005}, // more than the range is not what was claimed
		{"cpu[b, rate=100, tls=off] - cpu[b, rate=200, tls=off] > 5us", NoEffect, "µs", 0},
		{"throughput[b, rate=100, tls=off] > 1k and throughput[a, rate=100, tls=off] > 5k", Mixed, "req/s", 2010},
	} {
		out := decide(src, c.text)
		e := out.Parts[0].Effect
		if out.Verdict != c.want || e == nil || e.Unit != c.unit || math.Abs(e.Interval.Estimate-c.near) > 0.01*c.near {
			t.Errorf("%s\n%s, want %s near %g %s", c.text, describe(out), c.want, c.near, c.unit)
		}
		if out.Blocks != 8 || out.Why.IsZero() {
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
		{"division of zero by zero", []float64{0, 0}, []float64{0, 0}, 0, 2, "in 2 there would be a division by zero"},
		{"division by zero", []float64{2, 2}, []float64{0, 0}, 2, 4, "in 2 of 2 blocks one of the figures is zero, so that there is no mean ratio"},
	} {
		out := decide(single(c.a, c.b), "throughput[a] / throughput[b] > 1")
		if out.Verdict != Undecided || out.Blocks != c.blocks || out.Needed != c.needed || !strings.Contains(out.Why.String(), c.why) {
			t.Errorf("%s: %s, %d blocks, %d needed", c.name, describe(out), out.Blocks, out.Needed)
		}
	}
}

func TestBlocksLeftOut(t *testing.T) {
	a := []float64{20, math.NaN(), 0, 20.1, 20, 20.1}
	b := []float64{10, 10, 0, 10.1, 10, 10}
	p := decide(single(a, b), "throughput[a] / throughput[b] > 1").Parts[0]
	if p.Verdict != Confirmed || p.Blocks != 4 || p.Left != 2 || !strings.Contains(p.Why.String(), "2 of 6 blocks are left out, 1 for a division by zero") {
		t.Errorf("%+v", p)
	}
}

func TestUnmeasurable(t *testing.T) {
	src := made(4)
	src.absent = map[string]i18n.Message{"cpu": i18n.Verbatim("the subject's process could not be seen")}
	for _, c := range []struct {
		claim Claim
		why   string
	}{
		{Claim{Unmeasurable: "it needs\n two nodes", Expressions: []string{"cpu > 1us"}}, "it needs two nodes"},
		{Claim{Expressions: []string{"cpu[a, rate=100, tls=off] > 1us"}}, "no cpu[a, rate=100, tls=off]: the subject's process could not be seen"},
		{Claim{Expressions: []string{"throughput[a, rate=300, tls=off] > 1"}}, `this run can't tell: there is no level of rate "300" here (there are 100, 200, 400)`},
		{Claim{Expressions: []string{"throughput[a, rate=100, tls=off] > 1"}, Direction: "cpu[a] > 1us"}, "direction: column 1: 6 cells fit (choose rate= (100, 200, 400) and tls= (off, resumed))"},
		{Claim{Expressions: []string{"throughput[a, rate=100, tls=off] > 1"}, Direction: "cpu[a, rate=100, tls=off] > 1us"}, "no cpu[a, rate=100, tls=off]: the subject's process could not be seen"},
		{Claim{Expressions: []string{"max(rate: cpu < 1ms)[a, tls=off] > 100"}}, "no cpu[rate=100, a, tls=off]: the subject's process could not be seen"},
		{Claim{}, "the claim has no expression"},
	} {
		out := Evaluate(&c.claim, src, Options{})
		if out.Verdict != Unmeasurable || out.Why.String() != c.why || !Decided(out) {
			t.Errorf("%+v: %s", c.claim, describe(out))
		}
	}
}

// What can't be decided can be read in a language of which nothing is English: lists too.
func TestUnmeasurableInAnotherLanguage(t *testing.T) {
	out := Evaluate(&Claim{Expressions: []string{"throughput[a, rate=100, tls=off] > 1"}, Direction: "cpu[a] > 1us"}, made(4), Options{})
	words := i18n.Catalogue{"claim.direction": "D {1}", "claim.choose": "C {1}", "claim.cells-fit": "F {1}", "claim.at-column-hint": "{1}: {2} ({3})", "list.and": "{1} + {2}", "list.enumeration": "/"}
	if got := words.Render(out.Why); !strings.HasPrefix(got, "D ") || !strings.HasSuffix(got, "C rate= (100/200/400) + tls= (off/resumed))") {
		t.Errorf("%q", got)
	}
}

// Each part has its verdict; the whole says what became of them.
func TestSeveralExpressions(t *testing.T) {
	const faster, slower = "throughput[b, rate=100, tls=off] > 1.5 * throughput[a, rate=100, tls=off]", "throughput[b, rate=100, tls=off] > 3 * throughput[a, rate=100, tls=off]"
	out := Evaluate(&Claim{Expressions: []string{faster, slower}}, made(6), Options{})
	if out.Verdict != Mixed || len(out.Parts) != 2 || out.Parts[0].Verdict != Confirmed || out.Parts[1].Verdict != SizeRefuted || out.Why.String() != "of 2 parts 1 confirmed and 1 size refuted; as a whole it does not hold" {
		t.Errorf("%+v", out)
	}
}

func TestADirectionOfItsOwn(t *testing.T) {
	const size = "throughput[b, rate=100, tls=off] > 3 * throughput[a, rate=100, tls=off]"
	for direction, want := range map[string]Verdict{
		"cpu[b, rate=100, tls=off] < cpu[a, rate=100, tls=off]": SizeRefuted, // though the direction holds
		"cpu[b, rate=100, tls=off] > cpu[a, rate=100, tls=off]": Opposite,
		"rss[b, rate=100, tls=off] > rss[a, rate=100, tls=off]": SizeRefuted, // the direction is open
	} {
		if out := Evaluate(&Claim{Expressions: []string{size}, Direction: direction}, made(6), Options{}); out.Verdict != want {
			t.Errorf("%s: %s, want %s", direction, describe(out), want)
		}
	}
}

// A direction of its own is opposite only beyond the margin and what two equal arms differ
// by, and holds only beyond the latter, as that of an effect does.
func TestADirectionOfItsOwnIsHeldToTheMargin(t *testing.T) {
	const size = "throughput[a] > 3 * throughput[b]"
	for _, c := range []struct {
		ratio, noise float64
		want         Verdict
	}{
		{0.99, 0, SizeRefuted},
		{0.9, 0, Opposite},
		{0.9, 0.15, SizeRefuted},
		{1.1, 0, SizeRefuted},
		{1.1, 0.15, SizeRefuted},
	} {
		a, b := make([]float64, 8), make([]float64, 8)
		for i := range a {
			a[i], b[i] = 1000*c.ratio*(1+0.0001*float64(i%3)), 1000
		}
		src := single(a, b)
		if c.noise > 0 {
			src.twins = map[string]stats.Interval{"throughput": {N: 8, Estimate: 1 + c.noise/2, Low: 1.01, High: 1 + c.noise, Level: 0.95}}
		}
		out := Evaluate(&Claim{Expressions: []string{size}, Direction: "throughput[a] > throughput[b]"}, src, Options{})
		if out.Verdict != c.want {
			t.Errorf("%g, A/A %g: %s, want %s", c.ratio, c.noise, describe(out), c.want)
		}
	}
}

func TestMargin(t *testing.T) {
	a, b := []float64{100, 101, 102, 100, 101, 102}, []float64{100, 100, 100, 100, 100, 100}
	for margin, want := range map[float64]Verdict{0: NoEffect, 0.005: SizeRefuted} {
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
	if out.Verdict != Direction || !out.Open || out.Needed < 1 {
		t.Fatalf("%s, %d needed", describe(out), out.Needed)
	}
	if want := "more block"; !strings.Contains(out.Why.String(), want) || !strings.Contains(Progress(out).String(), want) || Decided(out) {
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
	if out.Verdict != Undecided || out.Needed != 0 || !strings.Contains(out.Why.String(), "hardly") || !strings.Contains(Progress(out).String(), "hardly") {
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
	flat := [][]float64{{10, 10}, {30, 30}, {40, 40}, {40.2, 39.8}}
	rising := [][]float64{{10, 10}, {30, 30}, {40, 40}, {80, 80}}
	for _, c := range []struct {
		text   string
		values [][]float64
		want   Verdict
	}{
		{"knee(connections) > 60", flat, Confirmed}, // it is above 64, at 256 at the latest
		{"knee(connections) > 100", flat, Undecided},
		{"knee(connections) <= 256", flat, Confirmed},
		{"knee(connections) > 300", flat, SizeRefuted},
		{"knee(connections) > 200", rising, Confirmed},
		{"knee(connections) > 1000", rising, Undecided}, // where nothing was measured
		{"knee(connections) < 5000", rising, Undecided},
		{"knee(connections) < 200", rising, SizeRefuted},
		{"knee(connections) > 60", [][]float64{{40, 40}, {41, 41}, {40, 40}, {40, 40}}, SizeRefuted},
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
		// The level at which it fails is not one up to which it holds.
		{"max(rate: throughput < 100) >= 20000", [][]float64{{10, 10}, {20, 30}, {50, 50}, {200, 200}}, SizeRefuted},
		{"max(rate: throughput < 100) < 20000", [][]float64{{10, 10}, {20, 30}, {50, 50}, {200, 200}}, Confirmed},
		{"max(rate: throughput < 100) >= 12843 published 12843", [][]float64{{10, 10}, {20, 30}, {250, 250}, {200, 200}}, SizeRefuted},
		{"max(rate: throughput < 100) >= 12843 published 12843", [][]float64{{10, 10}, {20, 30}, {50, 50}, {200, 200}}, AtLeast},
		{"max(rate: throughput < 100) >= 12843 published 12843", [][]float64{{10, 10}, {20, 30}, {50, 250}, {200, 250}}, Undecided},
		{"max(rate: throughput < 100) > 25000", [][]float64{{10, 10}, {20, 30}, {50, 50}, {200, 200}}, SizeRefuted},
		{"max(rate: throughput < 100) >= 20000", [][]float64{{10, 10}, {20, 30}, {50, 50}, {60, 60}}, Confirmed},
		{"max(rate: throughput < 100) < 99999", [][]float64{{10, 10}, {20, 30}, {50, 50}, {60, 60}}, Undecided},
		// A level at which it fails ends it, whatever holds above.
		{"max(rate: throughput < 100) >= 12843", [][]float64{{10, 10}, {200, 300}, {50, 50}, {60, 60}}, SizeRefuted},
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

// A percentile that is only known to be above the limit has failed; one that is only
// known to be above less than that tells nothing.
func TestMaxOfWhatIsKnownByABound(t *testing.T) {
	for limit, want := range map[string]Verdict{"12ms": SizeRefuted, "400ms": Unmeasurable} {
		src := levels("rate", []string{"8000", "12843", "20000"}, [][]float64{{5, 5}, {1, 1}, {1, 1}})
		src.value = func(metric string, c *Cell, block int) float64 { return 5000 }
		src.bounds = func(metric string, c *Cell, block int) float64 {
			if c.Index == 0 {
				return 5000
			}
			return 250_000
		}
		src.absent = map[string]i18n.Message{"response.p99": i18n.Verbatim("requests were given up")}
		if out := decide(src, "max(rate: response.p99 < "+limit+") >= 12843"); out.Verdict != want {
			t.Errorf("below %s: %s, want %s", limit, describe(out), want)
		}
	}
}

// Where both have failed there is nothing to compare: such a block is left out, and not as if nobody had failed.
func TestBlocksInWhichBothFailed(t *testing.T) {
	inf := math.Inf(1)
	src := single([]float64{inf, inf, 20, 21, 22, 20}, []float64{inf, inf, 100, 101, 102, 100})
	failed := []bool{true, true, false, false, false, false}
	src.failed = map[int][]bool{0: failed, 1: failed}
	const want = "2 of 6 blocks are left out, 2 of them as a subject failed and there is nothing to compare it with"
	for _, text := range []string{"cpu[b] - cpu[a] > 20us", "cpu[b] / cpu[a] > 2"} {
		if out := decide(src, text); out.Verdict != Confirmed || !strings.Contains(out.Why.String(), want) {
			t.Errorf("%s: %s", text, describe(out))
		}
	}
}

// Whoever fails has the worst figure there is, in the blocks in which it does.
func TestFailuresCountAsTheWorst(t *testing.T) {
	inf := math.Inf(1)
	good := []float64{100, 101, 102, 100, 101, 102, 100}
	for _, c := range []struct {
		name string
		a    []float64
		text string
		want Verdict
	}{
		{"never", []float64{200, 201, 202, 200, 201, 200, 201}, "throughput[a] > throughput[b]", Confirmed},
		{"in half of the blocks", []float64{0, 201, 0, 200, 0, 200, 201}, "throughput[a] > throughput[b]", Undecided},
		{"in all", []float64{0, 0, 0, 0, 0, 0, 0}, "throughput[a] > 1.5 * throughput[b]", Opposite},
		{"as what the other is compared to", []float64{0, 0, 0, 0, 0, 0, 0}, "throughput[b] > 1.5 * throughput[a]", Confirmed},
		{"in half, and taken away", []float64{inf, inf, inf, 20, 21, 22}, "20us <= cpu[b] - cpu[a] <= 300us", Undecided},
		{"in a third, and taken away", []float64{inf, inf, 20, 21, 22, 20}, "20us <= cpu[b] - cpu[a] <= 300us", Undecided},
		{"with a time that has no end", []float64{inf, inf, inf, inf, inf, inf, inf}, "throughput[a] > 1.5 * throughput[b]", Confirmed},
	} {
		src := single(c.a, good[:len(c.a)])
		failed := make([]bool, len(c.a))
		for i, v := range c.a {
			failed[i] = v == 0 || v == inf
		}
		src.failed = map[int][]bool{0: failed}
		out := decide(src, c.text)
		if out.Verdict != c.want {
			t.Errorf("%s: %s, want %s", c.name, describe(out), c.want)
		}
		if c.name != "never" && !strings.Contains(out.Why.String(), "a subject failed") {
			t.Errorf("%s: %s", c.name, out.Why)
		}
		if _, err := json.Marshal(out); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// moderated makes up a study of work that is repeated in each request: of two
// variants, one of which costs half as much, next to a request that costs as much as
// ten of the dearer, and one without work.
func moderated(blocks int) *madeUp {
	var cells []Cell
	for _, variant := range []string{"plain", "pooled", "none"} {
		for _, repeat := range []string{"1", "10", "100"} {
			cells = append(cells, Cell{Index: len(cells), Subject: "s", Load: "l", Levels: map[string]string{"request": variant, "repeat": repeat}})
		}
	}
	src := &madeUp{space: SpaceOf(madeMetrics, cells), blocks: blocks}
	src.value = func(metric string, c *Cell, block int) float64 {
		repeat, _, _ := magnitude(c.Levels["repeat"])
		work := map[string]float64{"plain": 1, "pooled": 0.5}[c.Levels["request"]] * repeat
		return (10 + work) * (1 + 0.004*float64((block*7+c.Index*5)%4))
	}
	return src
}

// What depends on the moderator must hold over its range, and each place is shown.
func TestOverADial(t *testing.T) {
	c := Claim{Expressions: []string{"cpu[request=pooled] <= 0.6 * cpu[request=plain] published 0.545"}, Over: []Moderator{{Factor: "repeat"}}}
	out := Evaluate(&c, moderated(6), Options{})
	if out.Verdict != SizeRefuted || len(out.Parts) != 3 || out.Parts[2].At != "repeat=100" || out.Parts[2].Verdict != AsPublished {
		t.Errorf("%s: %+v", describe(out), out.Parts)
	}
	if want := "the dial decides: confirmed as published at repeat=100; size refuted at repeat=1 and repeat=10"; out.Why.String() != want {
		t.Errorf("%q, want %q", out.Why, want)
	}
	c.Over[0].Levels = []string{"10", "1000"}
	if out := Evaluate(&c, moderated(6), Options{}); out.Verdict != Unmeasurable || !strings.Contains(out.Why.String(), "1000") {
		t.Errorf("a level that is not measured: %s", describe(out))
	}
}

// Where not even work that costs nothing reaches the size, nothing is refuted.
func TestFloor(t *testing.T) {
	const text = "cpu[request=pooled, repeat=%s] <= 0.6 * cpu[request=plain, repeat=%s] published 0.545 floor cpu[request=none, repeat=%s] / cpu[request=plain, repeat=%s]"
	// The same with a factor, which published figure and floor are written with.
	const tenth = "cpu[request=pooled, repeat=%s] / cpu[request=plain, repeat=%s] / 10 <= 0.06 published 0.0545 floor cpu[request=none, repeat=%s] / cpu[request=plain, repeat=%s] / 10"
	for repeat, want := range map[string]Verdict{
		"1":   Unmeasurable, // 10 / 11 is the best there is
		"10":  SizeRefuted,  // 10 / 20
		"100": AsPublished,
	} {
		for _, text := range []string{text, tenth} {
			out := decide(moderated(6), strings.ReplaceAll(text, "%s", repeat))
			if out.Verdict != want || out.Parts[0].Effect.Floor == nil {
				t.Errorf("repeat %s: %s, want %s of %s", repeat, describe(out), want, text)
			}
		}
	}
}

// Why it is undecided says that levels are missing, not blocks.
func TestLevelsThatEndTooSoon(t *testing.T) {
	out := decide(levels("connections", []string{"1", "2"}, [][]float64{{10, 10}, {20, 20}}), "knee(connections) > 2")
	if out.Needed != 0 || !strings.Contains(out.Why.String(), "end too soon") || !out.Parts[0].Effect.Above {
		t.Errorf("%s: %+v", describe(out), out.Parts[0].Effect)
	}
}

// Two subjects that are the same, with figures that are now and then zero, as of errors
// and of rare allocations: neither is called the better more often than intervals err.
func TestRatiosOfWhatMayBeZero(t *testing.T) {
	const studies, blocks = 600, 16
	r := rand.New(rand.NewPCG(6, 6))
	draw := func() []float64 {
		x := make([]float64, blocks)
		for i := range x {
			if r.IntN(4) > 0 {
				x[i] = math.Exp(0.8 * r.NormFloat64())
			}
		}
		return x
	}
	count := map[Verdict]int{}
	for range studies {
		a, b := draw(), draw()
		for _, text := range []string{"goroutines[a] / goroutines[b] > 1", "goroutines[b] / goroutines[a] > 1"} {
			out := decide(single(a, b), text)
			count[out.Verdict]++
			if out.Verdict == Confirmed && !strings.Contains(out.Why.String(), "one of the figures is zero") && !strings.Contains(out.Why.String(), "division by zero") {
				t.Fatal(out.Why)
			}
		}
	}
	if count[Confirmed] > studies*2*36/1000 || count[Opposite] > studies*2*36/1000 {
		t.Errorf("%v", count)
	}
}

// Zeros in each block are what was measured.
func TestNothingIsLeftOfIt(t *testing.T) {
	out := decide(single([]float64{0, 0, 0, 0}, []float64{10, 10, 11, 10}), "goroutines[a] <= 0.1 * goroutines[b]")
	if out.Verdict != Confirmed {
		t.Error(describe(out))
	}
}

// A ratio that one subject's rare slow starts make depends on how starts are averaged, and
// its verdict says so.
func TestVerdictsSayThatRatiosPart(t *testing.T) {
	usual := []float64{100, 101, 99, 100, 102, 98, 100, 101}
	with := func(slow ...int) []float64 {
		b := []float64{100, 99, 101, 100, 98, 102, 101, 100, 100, 99, 101, 100, 98, 102, 101, 100}
		for _, i := range slow {
			b[i] = 30
		}
		return b
	}
	for _, c := range []struct {
		name        string
		a, b        []float64
		parts, same bool
	}{
		{"the mean alone has a direction", slices.Concat(usual, usual), with(1, 4, 9, 11, 14), true, false},
		{"neither has", usual, with(6)[:8], true, true},
		{"both have", []float64{200, 202, 198, 200, 204, 196, 200, 202}, with(6)[:8], true, true},
		{"nobody is slow", usual, with()[:8], false, false},
	} {
		out := decide(single(c.a, c.b), "throughput[a] > 1.1 * throughput[b]")
		p := out.Parts[0]
		if (p.ByRank != nil) != c.parts || p.SameByRank != c.same {
			t.Errorf("%s: %s, %+v, the same: %v", c.name, describe(out), p.ByRank, p.SameByRank)
		}
		differs := c.parts && !c.same
		for in, text := range map[string]string{"depends on how starts are averaged": out.Why.String(), "otherwise by ranks": out.Word().String()} {
			if strings.Contains(text, in) != differs {
				t.Errorf("%s: %q", c.name, text)
			}
		}
		if strings.Contains(out.WordOf(0).String(), "otherwise by ranks") != differs || strings.Contains(out.Why.String(), "of which the verdict is the same") != c.same {
			t.Errorf("%s: %s; %s", c.name, out.WordOf(0), out.Why)
		}
	}
}

// That no request failed in six starts says little of starts that are rare, and the verdict
// says how little.
func TestNoErrorsInFewBlocks(t *testing.T) {
	const says = "it was 0 in all of 6 blocks, which rules out only kinds of starts that more than 39 % of starts are of"
	for text, want := range map[string]bool{
		"errors[a, rate=100, tls=off] < 1 %":                                 true,
		"errors[a, rate=100, tls=off] - errors[b, rate=100, tls=off] < 0.5%": true,
		"throughput[a, rate=100, tls=off] > 10":                              false,
	} {
		if out := decide(made(6), text); out.Verdict != Confirmed || strings.Contains(out.Why.String(), says) != want {
			t.Errorf("%s: %s", text, describe(out))
		}
	}
	src := made(6)
	value := src.value
	src.value = func(metric string, c *Cell, block int) float64 {
		if metric == "errors" && block == 3 {
			return 0.2
		}
		return value(metric, c, block)
	}
	if out := decide(src, "errors[a, rate=100, tls=off] < 1 %"); strings.Contains(out.Why.String(), "it was 0") {
		t.Error(describe(out))
	}
}
