package claim

import (
	"strings"
	"testing"

	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// sampled makes up a study with a Sobol design, and how wide the intervals of its
// indices are to either side.
func sampled(first, total map[string]float64, half float64) *madeUp {
	m := &madeUp{
		space:  SpaceOf(madeMetrics, []Cell{{Subject: "go/a", Load: "l", Levels: map[string]string{"env.A": "3", "env.B": "4"}}}),
		blocks: 2,
	}
	m.space.Sampled = []string{"env.A", "env.B"}
	m.index = func(of Share) (stats.Interval, i18n.Message) {
		x := first[of.Factor]
		if of.Total {
			x = total[of.Factor]
		}
		if of.Metric != "throughput" || of.Subject != "go/a" || of.Load != "l" {
			return stats.Interval{}, i18n.Verbatim("another one")
		}
		return stats.Interval{N: 32, Estimate: x, Low: x - half, High: x + half, Level: of.Level}, i18n.Message{}
	}
	return m
}

// What is claimed of an index is held against its interval.
func TestSobolIndices(t *testing.T) {
	first, total := map[string]float64{"env.A": 0.7, "env.B": 0.02}, map[string]float64{"env.A": 0.9, "env.B": 0.25}
	for _, c := range []struct {
		expression string
		half       float64
		want       Verdict
	}{
		{"sobol(throughput, env.A) >= 0.5", 0.1, Confirmed},
		{"sobol(throughput, env.A) >= 0.65", 0.1, Undecided},
		{"sobol(throughput, env.A) >= 0.9", 0.1, SizeRefuted},
		{"sobol(throughput, env.A)[a, load=l] ~ 0.7 +- 25% published 0.7", 0.1, AsPublished},
		{"sobol(throughput, env.B) ~ 0.43 +- 25% published 0.43", 0.1, SizeRefuted},
		{"sobol(throughput, env.B) <= 0.1", 0.05, Confirmed}, // an interval may reach below zero
		{"sobol(throughput, env.A) - sobol(throughput, env.B) > 0", 0.1, Confirmed},
		{"sobol(throughput, env.B) - sobol(throughput, env.A) > 0", 0.1, Opposite},
		{"sobol(throughput, env.A) - sobol(throughput, env.B) > 0", 0.4, Undecided},
		{"sobol.total(throughput, env.B) - sobol(throughput, env.B) >= 0.1", 0.05, Confirmed},
		{"sobol.total(throughput, env.B) > 0.3", 0.02, SizeRefuted},
	} {
		if out := decide(sampled(first, total, c.half), c.expression); out.Verdict != c.want {
			t.Errorf("%s with ±%g: %s, want %s", c.expression, c.half, describe(out), c.want)
		}
	}
}

// Of few samples there is no verdict, and more samples, not blocks, are what is missing.
func TestSobolIndexWithoutInterval(t *testing.T) {
	m := sampled(map[string]float64{"env.A": 0.5}, nil, 0.1)
	if out := decide(m, "sobol(throughput, env.A) > 0.45"); !strings.Contains(out.Why.String(), "it takes more samples") {
		t.Errorf("%s", describe(out))
	}
	whole := m.index
	m.index = func(of Share) (stats.Interval, i18n.Message) {
		iv, missing := whole(of)
		iv.Level, iv.Note = 0.90, i18n.Verbatim("8 groups give an interval of 90 %")
		return iv, missing
	}
	if out := decide(m, "sobol(throughput, env.A) > 0.1"); out.Verdict != Unmeasurable || !strings.Contains(out.Why.String(), "8 groups") {
		t.Errorf("%s", describe(out))
	}
	m.index = func(Share) (stats.Interval, i18n.Message) { return stats.Interval{}, i18n.Verbatim("a single block") }
	if out := decide(m, "sobol(throughput, env.A) > 0.1"); out.Verdict != Unmeasurable || !strings.Contains(out.Why.String(), "a single block") {
		t.Errorf("%s", describe(out))
	}
}

// What can't be an index is said where it stands.
func TestSobolIndicesAreChecked(t *testing.T) {
	several := sampled(nil, nil, 0).space
	several.Subjects = append(several.Subjects, "go/b")
	for _, c := range []struct {
		expression string
		space      *Space
		column     int
		want       string
	}{
		{"sobol(throughput, env.A) > 0.1", made(2).space, 1, "no Sobol samples"},
		{"sobol(througput, env.A) > 0.1", sampled(nil, nil, 0).space, 7, "througput"},
		{"sobol(throughput, env.C) > 0.1", sampled(nil, nil, 0).space, 19, "env.C"},
		{"sobol(throughput, env.A)[env.B=4] > 0.1", sampled(nil, nil, 0).space, 26, "all levels of env.B"},
		{"throughput[go/a] > 100", sampled(nil, nil, 0).space, 1, "have no names"},
		{"max(env.B: sobol(throughput, env.A) > 0.1) > 3", sampled(nil, nil, 0).space, 0, ""},
		{"sobol(throughput, env.A) > 0.1", several, 1, "go/a, go/b"},
		{"sobol(throughput, env.A) > 12ms", sampled(nil, nil, 0).space, 26, "can't be held"},
	} {
		e, err := Parse(c.expression)
		if err != nil {
			t.Errorf("%s: %v", c.expression, err)
			continue
		}
		found := check(e, c.space, nil)
		if len(found) == 0 || c.column > 0 && found[0].Column != c.column || !strings.Contains(found[0].What.String(), c.want) {
			t.Errorf("%s: %+v, want %q at %d", c.expression, found, c.want, c.column)
		}
	}
	for text, want := range map[string]string{
		"sobol(throughput) > 0.1":   "expected a comma and the factor",
		"sobol(, env.A) > 0.1":      "expected a metric and a factor",
		"sobol(throughput, ) > 0.1": "expected a metric and a factor",
		"sobol(throughput, env.A":   `expected ")"`,
		"sobel(throughput, env.A)":  "is no function",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// What is written of an index reads back.
func TestSobolIndexIsWritten(t *testing.T) {
	const text = `sobol.total(throughput, "a, b")[go/a, load=l] - sobol(cpu, env.A) > 0.1`
	e, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Comparisons[0].String(); got != text {
		t.Errorf("%s became %s", text, got)
	}
}
