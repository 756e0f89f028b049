package analysis

import (
	"math"
	"slices"
	"strings"
	"testing"

	"dyno.example/dyno/load/measure"
)

// upTo records 1 to n µs once each, and so many given up.
func upTo(n, censored int64) *distribution {
	h := measure.NewHistogram()
	for v := range n {
		h.RecordValue((v + 1) * 1000)
	}
	return &distribution{recorded: h, censored: censored}
}

// near allows for the resolution of a histogram: a thousandth or 64 ns.
func near(got, want float64) bool { return math.Abs(got-want) <= 0.064+want/1000 }

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		name    string
		n, lost int64
		q, want float64
		missing string
	}{
		{"median", 1000, 0, 0.5, 500, ""},
		{"ten beyond", 1000, 0, 0.99, 990, ""},
		{"nine beyond", 999, 0, 0.99, 0, "999 requests are too few"},
		{"five nines of many", 100_000, 0, 0.9999, 99_990, ""},
		{"one too few", 99_999, 0, 0.9999, 0, "fewer than 10"},
		{"those given up count as slow", 900, 100, 0.5, 500, ""},
		{"the slowest known", 900, 100, 0.9, 900, ""},
		{"hidden by those given up", 900, 100, 0.91, 0, "100 of 1000 requests were given up, so it is only known to exceed 90"},
		{"nothing recorded", 0, 0, 0.5, 0, "0 requests are too few"},
		{"all given up", 0, 100, 0.5, 0, "only known to exceed 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, missing := upTo(c.n, c.lost).quantile(c.q)
			if !near(got, c.want) || (missing.IsZero()) != (c.missing == "") || !strings.Contains(missing.String(), c.missing) {
				t.Errorf("got %v %q, want %v %q", got, missing, c.want, c.missing)
			}
		})
	}
}

func TestMeanAndMax(t *testing.T) {
	whole := upTo(1000, 0)
	if mean, missing := whole.mean(); !near(mean, 500.5) || !missing.IsZero() {
		t.Errorf("mean %v %q", mean, missing)
	}
	if most, missing := whole.max(); !near(most, 1000) || !missing.IsZero() {
		t.Errorf("max %v %q", most, missing)
	}
	for _, d := range []*distribution{upTo(0, 0), upTo(1000, 1)} {
		if mean, missing := d.mean(); mean != 0 || missing.IsZero() {
			t.Errorf("mean %v %q of %d and %d given up", mean, missing, d.recorded.TotalCount(), d.censored)
		}
		if most, missing := d.max(); most != 0 || missing.IsZero() {
			t.Errorf("max %v %q of %d and %d given up", most, missing, d.recorded.TotalCount(), d.censored)
		}
	}
}

func TestCurve(t *testing.T) {
	points := upTo(100_000, 0).curve()
	if !slices.IsSortedFunc(points, func(a, b Point) int { return int(math.Copysign(1, a.Percentile-b.Percentile)) }) {
		t.Error("percentiles are not in order")
	}
	for _, want := range []Point{{0, 1, false}, {50, 50_000, false}, {90, 90_000, false}, {99, 99_000, false}, {99.99, 99_990, false}} {
		at := slices.IndexFunc(points, func(p Point) bool { return p.Percentile == want.Percentile })
		if at < 0 || !near(points[at].Micros, want.Micros) || points[at].Censored {
			t.Errorf("no point like %+v", want)
		}
	}
	if last := points[len(points)-1]; last.Percentile != 99.99 {
		t.Errorf("ends at %v %%, but ten requests lie beyond 99.99 %% only", last.Percentile)
	}
	if points := upTo(10, 0).curve(); len(points) != 0 {
		t.Errorf("%d points of ten requests", len(points))
	}
}

func TestCurveEndsAtFiveNines(t *testing.T) {
	list := curveQuantiles()
	if last := percentOf(list[len(list)-1]); last != 99.999 {
		t.Errorf("last is %v", last)
	}
}

func TestCurveMarksWhatIsCensored(t *testing.T) {
	for _, p := range upTo(9_000, 1_000).curve() {
		if want := p.Percentile > 90; p.Censored != want {
			t.Errorf("%v %%: censored is %v", p.Percentile, p.Censored)
		}
		if p.Censored && !near(p.Micros, 9_000) {
			t.Errorf("%v %%: %v µs, want the largest known", p.Percentile, p.Micros)
		}
	}
}
