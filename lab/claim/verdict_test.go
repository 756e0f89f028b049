package claim

import (
	"math"
	"testing"
)

// TestRule is the table of docs/claims-and-verdicts.md.
func TestRule(t *testing.T) {
	for _, c := range []struct {
		size, direction state
		want            Verdict
	}{
		{holds, holds, Confirmed}, {open, holds, Undecided}, {fails, holds, Direction},
		{holds, open, Undecided}, {open, open, Undecided}, {fails, open, Undecided},
		{holds, fails, Refuted}, {open, fails, Refuted}, {fails, fails, Refuted},
	} {
		if got := rule(c.size, c.direction); got != c.want {
			t.Errorf("size %d, direction %d: %s, want %s", c.size, c.direction, got, c.want)
		}
	}
}

func TestWeakest(t *testing.T) {
	order := []Verdict{Confirmed, Direction, Undecided, Unmeasurable, Refuted}
	for i, worse := range order {
		for _, better := range order[:i+1] {
			if got := weakest([]Verdict{better, worse, better}); got != worse {
				t.Errorf("%s and %s: %s", better, worse, got)
			}
		}
	}
}

// TestReadARatio goes through where the interval of a/b may lie, for claims of
// each kind.
func TestReadARatio(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		claim     string
		low, high float64
		want      Verdict
	}{
		{"a / b >= 2.3", 2.4, 2.6, Confirmed},
		{"a / b >= 2.3", 2.3, 2.6, Confirmed},
		{"a / b > 2.3", 2.3, 2.6, Undecided},
		{"a / b >= 2.3", 2.2, 2.6, Undecided}, // the direction is known, the size is not
		{"a / b >= 2.3", 1.1, 1.2, Direction},
		{"a / b >= 2.3", 1.001, 2.2, Direction},
		{"a / b >= 2.3", 0.9, 1.2, Undecided}, // the size fails, the direction isn't known
		{"a / b >= 2.3", 0.9, 2.5, Undecided},
		{"a / b >= 2.3", 0.5, 0.8, Refuted},
		{"a / b >= 2.3", 0.99, 1.01, Refuted}, // no effect where one was claimed
		{"a / b >= 2.3", 1.005, 1.015, Refuted},
		{"a / b >= 2.3", 0.97, 1.03, Undecided},
		{"a / b >= 2.3", 2.4, inf, Confirmed},
		{"a / b >= 2.3", 0, inf, Undecided},

		{"a / b > 1", 1.001, 1.01, Confirmed}, // little, but there
		{"a / b > 1", 0.99, 1.01, Refuted},
		{"a / b > 1", 0.9, 1.1, Undecided},
		{"a / b >= 1", 0.99, 1.01, Undecided}, // which claims no effect
		{"a / b > 1.01", 0.995, 1.015, Undecided},
		{"a / b > 1.01", 0.995, 1.005, Refuted},

		{"a <= 0.8 * b", 0.7, 0.75, Confirmed},
		{"a <= 0.8 * b", 0.85, 0.95, Direction},
		{"a <= 0.8 * b", 0.75, 0.95, Undecided},
		{"a <= 0.8 * b", 1.1, 1.2, Refuted},
		{"a <= 0.8 * b", 0.99, 1.01, Refuted},

		// Not much worse: no effect is what it allows.
		{"a < 1.2 * b", 0.9, 1.1, Confirmed},
		{"a < 1.2 * b", 1.1, 1.3, Undecided},
		{"a < 1.2 * b", 1.3, 1.4, Refuted},

		{"a / b ~ 1.37", 1.3, 1.4, Confirmed},
		{"a / b ~ 1.37", 1.1, 1.2, Direction},
		{"a / b ~ 1.37", 1.6, 1.7, Direction},
		{"a / b ~ 1.37", 1.2, 1.4, Undecided},
		{"a / b ~ 1.37", 0.7, 0.9, Refuted},
		{"a / b ~ 1.37", 0.99, 1.01, Refuted},
		{"a / b ~ 1 +- 2%", 0.99, 1.01, Confirmed},
		{"a / b ~ 1 +- 2%", 1.03, 1.04, Refuted},
		{"a / b ~ 1 +- 2%", 0.99, 1.03, Undecided},
	} {
		if got := read(t, c.claim, span{c.low, c.high}); got != c.want {
			t.Errorf("%s in [%g, %g]: %s, want %s", c.claim, c.low, c.high, got, c.want)
		}
	}
}

// A figure of one cell has no direction: its claim holds or it doesn't.
func TestReadASingleFigure(t *testing.T) {
	for _, c := range []struct {
		claim     string
		low, high float64
		want      Verdict
	}{
		{"a > 1000", 1100, 1200, Confirmed},
		{"a > 1000", 900, 1200, Undecided},
		{"a > 1000", 800, 900, Refuted},
		{"a ~ 1000", 950, 1050, Confirmed},
		{"a ~ 1000", 700, 800, Refuted},
	} {
		if got := read(t, c.claim, span{c.low, c.high}); got != c.want {
			t.Errorf("%s in [%g, %g]: %s, want %s", c.claim, c.low, c.high, got, c.want)
		}
	}
}

// The margin of a difference is a share of what it is taken from, here 1000.
func TestReadADifference(t *testing.T) {
	for _, c := range []struct {
		claim     string
		low, high float64
		want      Verdict
	}{
		{"a - b > 100", 110, 120, Confirmed},
		{"a - b > 100", 30, 90, Direction},
		{"a - b > 100", -10, 10, Refuted},
		{"a - b > 100", -90, -40, Refuted},
		{"a - b > 100", -90, 40, Undecided},
		{"(a - b) / 10 > 10", 110, 120, Confirmed},
		{"a > b - 100", 10, 70, Confirmed}, // not much less, which is no effect
		{"a > b - 100", -70, -10, Refuted},
	} {
		if got := read(t, c.claim, span{c.low, c.high}); got != c.want {
			t.Errorf("%s in [%g, %g]: %s, want %s", c.claim, c.low, c.high, got, c.want)
		}
	}
}

// read compares a span with what is claimed of the throughputs a and b, with a
// margin of 2 %.
func read(t *testing.T, text string, where span) Verdict {
	t.Helper()
	s := SpaceOf([]Metric{{"a", "req/s"}, {"b", "req/s"}}, []Cell{{Subject: "s", Load: "l"}})
	e, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	// What counts is that both are the same metric.
	for _, n := range []*node{&e.Comparisons[0].left, &e.Comparisons[0].right} {
		*n = sameMetric(*n)
	}
	effect := newEffect(&e.Comparisons[0], s)
	return effect.read(where, 0.02, 1000).verdict()
}

func sameMetric(n node) node {
	switch n := n.(type) {
	case quantity:
		n.metric = "a"
		return n
	case operation:
		n.left, n.right = sameMetric(n.left), sameMetric(n.right)
		return n
	}
	return n
}

func TestEffects(t *testing.T) {
	s := made(2).Space()
	for _, c := range []struct {
		text, figure string
		op           Op
		bound        float64
		null         any
	}{
		{"throughput[a] / throughput[b] >= 2.3", "throughput[a] / throughput[b]", GreaterEq, 2.3, 1.},
		{"throughput[a] >= 2.3 * throughput[b]", "throughput[a] / throughput[b]", GreaterEq, 2.3, 1.},
		{"2 * throughput[a] > throughput[b] / 2", "throughput[a] / throughput[b]", Greater, 0.25, 1.},
		{"2.3 <= throughput[a] / throughput[b]", "throughput[a] / throughput[b]", GreaterEq, 2.3, 1.},
		{"throughput[a] + throughput[b] < 3 * throughput[b]", "(throughput[a] + throughput[b]) / throughput[b]", Less, 3, 1.},
		{"throughput[a] > 100", "throughput[a]", Greater, 100, nil},
		{"100 > 2 * throughput[a]", "throughput[a]", Less, 50, nil},
		{"response.p99[a] > 3 * response.p50[a]", "response.p99[a] / response.p50[a]", Greater, 3, nil},
		{"throughput[a] * cpu[a] < 65%", "throughput[a] * cpu[a]", Less, 0.65, nil},
		{"cpu[a] - cpu[b] > 5us", "cpu[a] - cpu[b]", Greater, 5e-6, 0.},
		{"(cpu[a] - cpu[b]) / 100 > 5us", "cpu[a] - cpu[b]", Greater, 5e-4, 0.},
		{"cpu[a] > cpu[b] - 5us", "cpu[a] - (cpu[b] - 0.005ms)", Greater, 0, nil},
		{"response.p99[a] - response.p50[a] > 5us", "response.p99[a] - response.p50[a]", Greater, 5e-6, nil},
		{"1 / cpu[a] > 3/s", "1 / cpu[a]", Greater, 3, nil},
		{"knee(rate)[a] / knee(rate)[b] > 2", "knee(rate)[a] / knee(rate)[b]", Greater, 2, 1.},
	} {
		e, err := Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		got := newEffect(&e.Comparisons[0], s)
		if text := write(got.figure, 0); text != c.figure || got.claimed.op != c.op || compare(got.claimed.bound, c.bound) != 0 {
			t.Errorf("%s is %s %s %g", c.text, text, got.claimed.op, got.claimed.bound)
		}
		if null, has := c.null.(float64); has != got.hasNull || has && null != got.null {
			t.Errorf("%s: without an effect it is %v %g, want %v", c.text, got.hasNull, got.null, c.null)
		}
	}
}
