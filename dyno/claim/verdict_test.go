package claim

import (
	"math"
	"testing"

	"dyno.example/dyno/stats"
)

func TestOverRange(t *testing.T) {
	for _, c := range []struct {
		list []Verdict
		want Verdict
	}{
		{[]Verdict{AsPublished, AsPublished}, AsPublished},
		{[]Verdict{AsPublished, AtLeast}, Confirmed},
		{[]Verdict{AsPublished, Direction}, Direction},
		{[]Verdict{AsPublished, Undecided}, Undecided},
		{[]Verdict{AsPublished, Unmeasurable, Undecided}, Unmeasurable},
		{[]Verdict{Opposite, Direction, AsPublished}, SizeRefuted}, // one counterexample is enough
		{[]Verdict{Opposite, Opposite}, Opposite},
		{[]Verdict{NoEffect, SizeRefuted}, SizeRefuted},
	} {
		if got := overRange(c.list); got != c.want {
			t.Errorf("%v: %s, want %s", c.list, got, c.want)
		}
	}
}

func TestTally(t *testing.T) {
	for _, c := range []struct {
		list []Verdict
		want string
	}{
		{[]Verdict{AtLeast, AtLeast}, "all 2 parts: confirmed, at least"},
		{[]Verdict{AsPublished, Direction}, "of 2 parts 1 confirmed as published and 1 direction only"},
		{[]Verdict{SizeRefuted, Direction, Direction}, "of 3 parts 2 direction only and 1 size refuted; as a whole it does not hold"},
	} {
		if got := summary(c.list); got.String() != c.want {
			t.Errorf("%v: %q, want %q", c.list, got, c.want)
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
		{"a / b > 2.3", 2.3, 2.6, Direction},
		{"a / b >= 2.3", 2.2, 2.6, Direction}, // the size may hold or not
		{"a / b >= 2.3", 1.1, 1.2, SizeRefuted},
		{"a / b >= 2.3", 1.001, 2.2, SizeRefuted},
		{"a / b >= 2.3", 0.9, 1.2, SizeRefuted},
		{"a / b >= 2.3", 0.9, 2.5, Undecided},
		{"a / b >= 2.3", 0.5, 0.8, Opposite},
		{"a / b >= 2.3", 0.9, 0.99, SizeRefuted}, // not beyond the margin
		{"a / b >= 2.3", 0.99, 1.01, NoEffect},   // no effect where one was claimed
		{"a / b >= 2.3", 1.005, 1.015, NoEffect},
		{"a / b >= 2.3", 0.97, 1.03, SizeRefuted},
		{"a / b >= 2.3", 2.4, inf, Confirmed},
		{"a / b >= 2.3", 0, inf, Undecided},

		{"a / b > 1", 1.001, 1.01, Confirmed}, // little, but there
		{"a / b > 1", 0.99, 1.01, NoEffect},
		{"a / b > 1", 0.9, 1.1, Undecided},
		{"a / b >= 1", 0.99, 1.01, Undecided}, // which allows no effect
		{"a / b >= 1", 0.9, 0.95, Opposite},
		{"a / b >= 1", 0.9, 0.99, SizeRefuted},
		{"a / b > 1.01", 0.995, 1.015, Undecided},
		{"a / b > 1.01", 0.995, 1.005, NoEffect},

		{"a <= 0.8 * b", 0.7, 0.75, Confirmed},
		{"a <= 0.8 * b", 0.85, 0.95, SizeRefuted},
		{"a <= 0.8 * b", 0.75, 0.95, Direction},
		{"a <= 0.8 * b", 1.1, 1.2, Opposite},
		{"a <= 0.8 * b", 0.99, 1.01, NoEffect},
		{"a <= 0.8 * b", 0.95, 1.12, SizeRefuted},

		// Not much worse: no effect is what it allows.
		{"a < 1.2 * b", 0.9, 1.1, Confirmed},
		{"a < 1.2 * b", 1.1, 1.3, Undecided},
		{"a < 1.2 * b", 1.3, 1.4, SizeRefuted},

		{"a / b ~ 1.37", 1.3, 1.4, Confirmed},
		{"a / b ~ 1.37", 1.1, 1.2, SizeRefuted},
		{"a / b ~ 1.37", 1.6, 1.7, AtLeast},
		{"a / b ~ 1.37", 1.2, 1.4, Direction},
		{"a / b ~ 1.37", 0.7, 0.9, Opposite},
		{"a / b ~ 1.37", 0.99, 1.01, NoEffect},
		{"a / b ~ 1 +- 2%", 0.99, 1.01, Confirmed},
		{"a / b ~ 1 +- 2%", 1.03, 1.04, SizeRefuted},
		{"a / b ~ 1 +- 2%", 0.99, 1.03, Undecided},
	} {
		if got := read(t, c.claim, interval{low: c.low, high: c.high}); got != c.want {
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
		{"a > 1000", 800, 900, SizeRefuted},
		{"a ~ 1000", 950, 1050, Confirmed},
		{"a ~ 1000", 700, 800, SizeRefuted},
	} {
		if got := read(t, c.claim, interval{low: c.low, high: c.high}); got != c.want {
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
		{"a - b > 100", 30, 90, SizeRefuted},
		{"a - b > 100", -10, 10, NoEffect},
		{"a - b > 100", -90, -40, Opposite},
		{"a - b > 100", -90, -10, SizeRefuted},
		{"a - b > 100", -90, 40, SizeRefuted},
		{"a - b > 100", -90, 140, Undecided},
		{"(a - b) / 10 > 10", 110, 120, Confirmed},
		{"a > b - 100", 10, 70, Confirmed}, // not much less, which is no effect
		{"a > b - 100", -70, -10, SizeRefuted},
	} {
		if got := read(t, c.claim, interval{low: c.low, high: c.high}); got != c.want {
			t.Errorf("%s in [%g, %g]: %s, want %s", c.claim, c.low, c.high, got, c.want)
		}
	}
}

// read compares an interval with what is claimed of the throughputs a and b, with a
// margin of 2 %.
func read(t *testing.T, text string, where interval) Verdict {
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
	effect := newEffect(&e.Comparisons[0], s, nil)
	return effect.read(evidence{near: where, wide: where, margin: 0.02, base: 1000}).verdict
}

// TestReadWhatWasPublished goes through where the interval of a/b may lie if a
// figure was published.
func TestReadWhatWasPublished(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		claim     string
		low, high float64
		want      Verdict
	}{
		{"a / b >= 2.3 published 2.3", 2.2, 2.6, AsPublished},
		{"a / b >= 2.3 published 65300 / 28400", 2.2, 2.6, AsPublished},
		{"a > b published 2.3", 2.2, 2.6, AsPublished}, // the bound is the direction only
		{"a / b >= 2.3 published 2.3", 2.4, 2.6, AtLeast},

		// A limit that no effect keeps, too, is not an effect to be reached.
		{"a / b <= 1.2 published 1.2", 1.5, 1.6, SizeRefuted},
		{"a / b <= 1.2 published 1.2", 1.01, 1.05, AsPublished},
		{"a / b <= 1.2 published 1.2", 1.1, 1.6, Undecided},
		{"a / b >= 0.8 published 0.8", 0.5, 0.6, SizeRefuted},

		// What is published is of the figure as it is written, with its factor.
		{"a / b / 10 >= 0.23 published 0.23", 2.4, 2.6, AtLeast},
		{"a / b / 10 >= 0.23 published 0.23", 2.2, 2.6, AsPublished},
		{"0.23 <= a / b / 10 published 0.23", 2.2, 2.6, AsPublished},
		{"a / b >= 2.3 published 2.3", 2.4, inf, AtLeast},
		{"a / b >= 2.3 published 2.3", 1.4, 2.6, Direction}, // it may be half as much
		{"a / b >= 2.3 published 2.3", 2.0, 3.6, Direction}, // or as much again by half
		{"a / b >= 2.3 published 2.3", 1.8, 2.1, SizeRefuted},
		{"a > b published 2.3", 1.1, 1.2, Direction},
		{"a / b >= 2.3 published 2.3", 0.9, 1.2, SizeRefuted},
		{"a / b >= 2.3 published 2.3", 0.9, 2.4, Undecided},
		{"a / b >= 2.3 published 2.3", 0.99, 1.01, NoEffect},
		{"a / b >= 2.3 published 2.3", 0.5, 0.8, Opposite},
		{"a / b >= 1.01 published 1.01", 0.995, 1.015, Undecided},
		{"a / b >= 1.01 published 1.01", 1.006, 1.013, AsPublished},

		{"a <= 0.79 * b published 9.7 / 12.3", 0.75, 0.81, AsPublished},
		{"a <= 0.79 * b published 9.7 / 12.3", 0.7885, 0.7895, AsPublished},
		{"a <= 0.79 * b published 9.7 / 12.3", 0.5, 0.6, AtLeast},
		{"a <= 0.79 * b published 9.7 / 12.3", 0.98, 1.1, SizeRefuted},
		{"a <= 0.01 * b published 0", 0, 0, AsPublished},
		{"a <= 0.01 * b published 0", 0.001, 0.002, AsPublished}, // what the bound allows
		{"a <= 0.01 * b published 0", 0.1, 0.2, SizeRefuted},

		{"a / b ~ 1.37 +- 5% published 1.37", 1.31, 1.36, AsPublished},
		{"a / b ~ 1.37 +- 5% published 1.37", 1.5, 1.6, AtLeast},
		{"a / b ~ 1.37 +- 5% published 1.37", 1.2, 1.25, SizeRefuted},
		{"a / b ~ 1 +- 2% published 1", 0.99, 1.01, AsPublished},
		{"a / b ~ 1 +- 2% published 1", 1.03, 1.04, SizeRefuted},

		{"a > 1000 published 1000", 900, 1100, AsPublished},
		{"a >= 1000 published 1000", 1100, 1200, AtLeast},
		{"a >= 1000 published 1000", 800, 900, SizeRefuted},
		{"a >= 1000 published 1000", 600, 1100, Undecided},
		{"a ~ 1000 published 1000", 1200, 1300, SizeRefuted},
		{"a - b > 100 published 100", 80, 120, AsPublished},
		{"a - b > 100 published 100", 30, 90, SizeRefuted},
	} {
		if got := read(t, c.claim, interval{low: c.low, high: c.high}); got != c.want {
			t.Errorf("%s in [%g, %g]: %s, want %s", c.claim, c.low, c.high, got, c.want)
		}
	}
}

// What speaks against a claim has to hold at the level of all its parts, and the
// opposite beyond what two equal arms differ by; an effect beyond what they surely
// differ by.
func TestReadHoldsToNoiseAndFamily(t *testing.T) {
	noise := func(low, high float64) *stats.Interval {
		return &stats.Interval{N: 6, Estimate: 1, Low: low, High: high, Level: 0.95}
	}
	for _, c := range []struct {
		name       string
		claim      string
		near, wide interval
		noise      *stats.Interval
		want       Verdict
	}{
		{"opposite", "a > b published 2", interval{low: 0.9, high: 0.95}, interval{low: 0.88, high: 0.97}, nil, Opposite},
		{"but not for all parts", "a > b published 2", interval{low: 0.9, high: 0.95}, interval{low: 0.88, high: 0.99}, nil, SizeRefuted},
		{"but not beyond the noise", "a > b published 2", interval{low: 0.9, high: 0.95}, interval{low: 0.88, high: 0.97}, noise(0.9, 1.1), SizeRefuted},
		{"size refuted", "a > b published 1.2", interval{low: 0.95, high: 1.1}, interval{low: 0.93, high: 1.15}, nil, SizeRefuted},
		{"but not for all parts", "a > b published 1.2", interval{low: 0.95, high: 1.1}, interval{low: 0.9, high: 1.25}, nil, Undecided},
		{"a direction", "a > b published 1.2", interval{low: 1.01, high: 1.1}, interval{low: 0.99, high: 1.15}, noise(0.98, 1.03), SizeRefuted},
		{"that two equal arms have, too", "a > b published 1.2", interval{low: 1.01, high: 1.1}, interval{low: 0.99, high: 1.15}, noise(1.005, 1.03), SizeRefuted},
	} {
		s := SpaceOf([]Metric{{"a", "req/s"}}, []Cell{{Subject: "s", Load: "l"}})
		e, err := Parse(c.claim)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []*node{&e.Comparisons[0].left, &e.Comparisons[0].right} {
			*n = sameMetric(*n)
		}
		effect := newEffect(&e.Comparisons[0], s, nil)
		if got := effect.read(evidence{near: c.near, wide: c.wide, margin: 0.02, noise: c.noise}); got.verdict != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, got.verdict, got.why, c.want)
		}
	}
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
		got := newEffect(&e.Comparisons[0], s, nil)
		if text := write(got.figure, 0); text != c.figure || got.claimed.op != c.op || compare(got.claimed.bound, c.bound) != 0 {
			t.Errorf("%s is %s %s %g", c.text, text, got.claimed.op, got.claimed.bound)
		}
		if null, has := c.null.(float64); has != got.hasNull || has && null != got.null {
			t.Errorf("%s: without an effect it is %v %g, want %v", c.text, got.hasNull, got.null, c.null)
		}
	}
}
