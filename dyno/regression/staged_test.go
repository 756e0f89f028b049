package regression

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dyno.example/dyno/regression/threshold"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/stats/statstest"
)

// stagedGate goes pair by pair, with a second run after an alarm, as dyno gate does. next
// measures a pair.
func stagedGate(stages *Stages, of threshold.Threshold, next func() (old, new float64)) (v Decision, pairs int) {
	run := func() Check {
		m := values{paired: true, better: "lower"}
		for {
			old, new := next()
			m.old, m.new = append(m.old, old), append(m.new, new)
			pairs++
			s := sample{metrics: map[string]values{of.Metric: m}}
			r := &Result{Checks: []Check{s.check(of, 0.95, stages)}}
			if standing := r.Standings(len(m.old)); standing[0].Done {
				return r.Checks[0]
			}
		}
	}
	first := run()
	if first.Decision != Regression {
		return first.Decision, pairs
	}
	return run().Decision, pairs
}

// Injected regressions are found, and what is the same passes, also where the machine
// becomes slower for both versions alike from pair to pair.
func TestStagesFindWhatIsInjected(t *testing.T) {
	const gates = 400
	falls := threshold.Threshold{Metric: "throughput", Change: -0.03}
	for _, c := range []struct {
		name          string
		worse, common float64 // ratio of new to old; factor of both from one pair to the next
		deviation     float64 // of a pair
		of            threshold.Threshold
		want          Decision
		share         float64 // of the gates, at least
		pairs         float64 // on average, at most
	}{
		{"the same", 1, 1, 0.02, threshold.Threshold{Metric: "cpu", Change: 0.03}, OK, 0.93, 8.5},
		{"3 % more", 1.03, 1, 0.02, threshold.Threshold{Metric: "cpu", Change: 0.03}, Regression, 0.95, 12},
		{"3 % more where pairs are as far apart as on a restless machine", 1.03, 1, 0.028, threshold.Threshold{Metric: "cpu", Change: 0.03}, Regression, 0.95, 14},
		{"10 % more", 1.10, 1, 0.02, threshold.Threshold{Metric: "cpu", Change: 0.10}, Regression, 0.99, 8},
		{"the same on a machine that becomes slower", 1, 1.1, 0.02, threshold.Threshold{Metric: "cpu", Change: 0.03}, OK, 0.93, 8.5},
		{"3 % more on a machine that becomes slower", 1.03, 1.1, 0.02, threshold.Threshold{Metric: "cpu", Change: 0.03}, Regression, 0.95, 12},
		{"10 % less", 0.9, 1, 0.02, threshold.Threshold{Metric: "cpu", Change: 0.03}, OK, 0.99, 4},
		{"3 % less throughput", 0.97, 1, 0.02, falls, Regression, 0.95, 12},
		{"more throughput", 1.05, 1, 0.02, falls, OK, 0.99, 5},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		stages := NewStages(0)
		stages.share(1)
		var right, alarms statstest.Rate
		sum := 0
		for range gates {
			level := 100.0
			v, pairs := stagedGate(stages, c.of, func() (old, new float64) {
				level *= c.common
				return level * math.Exp(c.deviation/math.Sqrt2*r.NormFloat64()), level * c.worse * math.Exp(c.deviation/math.Sqrt2*r.NormFloat64())
			})
			right.Add(v == c.want)
			alarms.Add(v == Regression)
			sum += pairs
		}
		if _, high := right.Interval(); high < c.share || float64(sum)/gates > c.pairs {
			t.Errorf("%s: right in %s, after %.1f pairs", c.name, right, float64(sum)/gates)
		}
		if low, _ := alarms.Interval(); c.want == OK && low > stages.Alarms {
			t.Errorf("%s: alarms in %s", c.name, alarms)
		}
	}
}

// A noisy pair ends undecided, with what would tell; a check without figures keeps nobody
// waiting.
func TestStagesEnd(t *testing.T) {
	stages := NewStages(4)
	stages.share(1)
	of := threshold.Threshold{Metric: "cpu", Change: 0.03}
	s := sample{metrics: map[string]values{"cpu": {paired: true, old: []float64{1, 1, 1, 1}, new: []float64{1.3, 0.8, 1.2, 0.9}}}}
	c := s.check(of, 0.95, stages)
	if c.Decision != CannotTell || c.Pairs.Stand != stats.Spent || c.Needs <= 4 || c.Finds < 0.03 || c.Pairs.Deviation < 0.1 {
		t.Errorf("%+v, %+v", c, c.Pairs)
	}
	r := &Result{Checks: []Check{c, s.check(threshold.Threshold{Metric: "response.p99", Change: 0.1}, 0.95, stages)}}
	for _, at := range []struct {
		pairs int
		done  []bool
	}{{1, []bool{false, false}}, {4, []bool{true, true}}} {
		var done []bool
		for _, s := range r.Standings(at.pairs) {
			done = append(done, s.Done)
		}
		if !slices.Equal(done, at.done) {
			t.Errorf("after %d pairs: done %v", at.pairs, done)
		}
	}
	if few := NewStages(1); few.Most != minTrials {
		t.Errorf("at most %d pairs", few.Most)
	}
}

// Checks share the rate of false alarms, errors apart; the second run does not forget how
// many there were.
func TestStagesShareTheirRate(t *testing.T) {
	a := twins(t, 1.10, 0.005)
	stages := NewStages(0)
	o := Options{Thresholds: []threshold.Threshold{{Metric: "cpu", Change: 0.05}, {Metric: "throughput", Change: -0.05}}, Stages: stages}
	list := []Pair{{Old: "x@main", New: "x"}}
	r := JudgePairs(a, list, o)
	if len(r.Checks) != 3 || r.Checks[0].Pairs == nil || r.Checks[0].Decision != Regression || r.Checks[2].Pairs != nil {
		t.Fatalf("%+v", r.Checks)
	}
	if stages.checks != 2 || r.FalseAlarm < stages.Alarms || r.FalseAlarm > stages.Alarms+0.001 {
		t.Errorf("%d checks share %v", stages.checks, r.FalseAlarm)
	}
	narrow := o
	narrow.Thresholds = o.Thresholds[:1]
	if r.ConfirmPairs(a, list, narrow); stages.checks != 2 || r.Decision != Regression {
		t.Errorf("%d checks, %s", stages.checks, r.Decision)
	}
}
