package anytime

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A rate that isn't higher is found to be in no more of the series than allowed, though
// each is looked at after every event, at shares that change on the way and rates that
// swing a hundredfold for both.
func TestFalseAlarms(t *testing.T) {
	const series, events, alpha = 80, 100, 0.05
	r := rand.New(rand.NewPCG(1, 2))
	for name, c := range map[string]struct {
		ratio float64 // the true one, by how far the series is
		shape func(i int) float64
		shift func(i int) float64 // share in the group
	}{
		"equal":   {1, func(int) float64 { return 1 }, func(int) float64 { return 0.05 }},
		"half":    {1, func(int) float64 { return 1 }, func(int) float64 { return 0.5 }},
		"steps":   {1, func(int) float64 { return 1 }, func(i int) float64 { return []float64{0.01, 0.1, 0.5}[min(i/33, 2)] }},
		"at most": {1.5, func(int) float64 { return 1 }, func(int) float64 { return 0.1 }},
		"now and then lower": {1, func(i int) float64 {
			if i%100 < 50 {
				return 0.2
			}
			return 1
		}, func(int) float64 { return 0.2 }},
	} {
		t.Run(name, func(t *testing.T) {
			alarms := 0
			for range series {
				counts := map[float64]*Counts{}
				var all []Counts
				for i := range events {
					w := c.shift(i)
					if counts[w] == nil {
						counts[w] = &Counts{Share: w}
					}
					odds := w / (1 - w) * c.ratio * c.shape(i)
					counts[w].Events++
					if r.Float64() < odds/(1+odds) {
						counts[w].Group++
					}
					all = all[:0]
					for _, one := range counts {
						all = append(all, *one)
					}
					if Against(all, c.ratio) >= math.Log(1/alpha) {
						alarms++
						break
					}
				}
			}
			// Four standard deviations of what may be counted by chance.
			if most := series*alpha + 4*math.Sqrt(series*alpha*(1-alpha)); float64(alarms) > most {
				t.Errorf("%d alarms in %d series, expected %.0f at most", alarms, series, most)
			}
			t.Logf("%d alarms in %d series: %.1f %%", alarms, series, 100*float64(alarms)/series)
		})
	}
}

// A rate that is higher is found, the sooner the higher it is.
func TestPower(t *testing.T) {
	const series, alpha = 100, 0.01
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		share, ratio float64
		within       uint64 // events, of both groups, for nine in ten
	}{{0.05, 2, 800}, {0.05, 5, 100}, {0.05, 20, 30}, {0.5, 2, 220}, {0.5, 10, 30}} {
		found := 0
		for range series {
			one := Counts{Share: c.share}
			odds := c.share / (1 - c.share) * c.ratio
			for one.Events < c.within {
				one.Events++
				if r.Float64() < odds/(1+odds) {
					one.Group++
				}
				if Against([]Counts{one}, 1) >= math.Log(1/alpha) {
					found++
					break
				}
			}
		}
		if found < series*9/10 {
			t.Errorf("a share of %v, %v times the rate: found in %d of %d series within %d events", c.share, c.ratio, found, series, c.within)
		}
	}
}

// The interval holds the true ratio at every look, in all but the share of series that is
// allowed, and narrows down to it.
func TestInterval(t *testing.T) {
	const series, events, level = 40, 400, 0.9
	r := rand.New(rand.NewPCG(5, 6))
	for _, ratio := range []float64{0.3, 1, 4} {
		missed := 0
		for range series {
			one := Counts{Share: 0.2}
			odds := 0.25 * ratio
			for one.Events < events {
				one.Events++
				if r.Float64() < odds/(1+odds) {
					one.Group++
				}
				if one.Events%80 != 0 {
					continue
				}
				if low, high := Interval([]Counts{one}, level); low > ratio || high < ratio || low > high {
					missed++
					break
				}
			}
		}
		if most := series*(1-level) + 4*math.Sqrt(series*level*(1-level)); float64(missed) > most {
			t.Errorf("%v: %d of %d series have an interval that misses it", ratio, missed, series)
		}
	}
	low, high := Interval([]Counts{{Share: 0.5, Events: 200_000, Group: 100_000}}, 0.95)
	if low < 0.94 || high > 1.06 || low >= high {
		t.Errorf("%v to %v", low, high)
	}
}

func TestRatio(t *testing.T) {
	for _, c := range []struct {
		all       []Counts
		want      float64
		low, high float64
	}{
		{nil, math.NaN(), 0, math.Inf(1)},
		{[]Counts{{Share: 0.5}}, math.NaN(), 0, math.Inf(1)},
		{[]Counts{{Share: 1, Events: 9, Group: 9}, {Share: 0, Events: 9}}, math.NaN(), 0, math.Inf(1)},
		{[]Counts{{Share: 0.1, Events: 10, Group: 1}}, 1, 0, math.Inf(1)},
		{[]Counts{{Share: 0.1, Events: 1000, Group: 0}}, 0, 0, 0.2},
		{[]Counts{{Share: 0.1, Events: 1000, Group: 1000}}, math.Inf(1), 1000, math.Inf(1)},
		{[]Counts{{Share: 0.1, Events: 1200, Group: 300}, {Share: 0.5, Events: 400, Group: 300}}, 3, 2, 4},
	} {
		got := Ratio(c.all)
		if math.Abs(got-c.want) > 1e-6 && !(math.IsNaN(got) && math.IsNaN(c.want)) && got != c.want {
			t.Errorf("%+v: %v, want %v", c.all, got, c.want)
		}
		if low, high := Interval(c.all, 0.95); low < c.low || high > c.high || math.IsNaN(low) {
			t.Errorf("%+v: %v to %v, expected within %v to %v", c.all, low, high, c.low, c.high)
		}
	}
}
