package stats_test

import (
	"fmt"
	"testing"

	"dyno.example/dyno/stats"
	"dyno.example/dyno/stats/statstest"
)

// Simulations in short. dyno/bench/statistics repeats them at length; what is asked
// here leaves room for chance at these numbers of draws, though not for much
// else.

func spending(first, last int) statstest.Rule { return stats.NewSpending(first, last, 0.95).Ratio }

func anytime(a, b []float64) stats.Interval { return stats.RatioAnytime(a, b, 0.95) }

// everyLook looks with intervals that are valid only once.
func everyLook(a, b []float64) stats.Interval { return stats.Ratio(a, b, 0.95) }

// Whatever the noise, looking after every block must not make differences of
// nothing more often than stated.
func TestSequentialFalseAlarms(t *testing.T) {
	looks := statstest.Looks{First: 5, Last: 12}
	rules := map[string]statstest.Rule{"spending": spending(5, 12), "anytime": anytime}
	for _, noise := range statstest.Noises() {
		for name, rule := range rules {
			t.Run(noise.Name+"/"+name, func(t *testing.T) {
				got := statstest.Sequential(noise, rule, looks, 1, 1500, 1)
				if got.Different.Share() > 0.065 || got.Missed.Share() > 0.065 {
					t.Errorf("different in %v, an interval missed in %v, want at most 5 %%", got.Different, got.Missed)
				}
			})
		}
	}
}

// The simulation can tell: with ordinary intervals it finds what is wrong with
// looking often.
func TestLookingOftenIsFoundOut(t *testing.T) {
	got := statstest.Sequential(statstest.Noises()[0], everyLook, statstest.Looks{First: 5, Last: 12}, 1, 1500, 1)
	if got.Different.Share() < 0.08 {
		t.Errorf("different in %v", got.Different)
	}
}

// A small share of the power is paid for stopping early.
func TestSequentialPower(t *testing.T) {
	looks := statstest.Looks{First: 5, Last: 12}
	quiet := statstest.Noises()[0]
	ratio := stats.DetectableRatio(0.02, 12, 0.95, 0.9)
	got := statstest.Sequential(quiet, spending(5, 12), looks, ratio, 1500, 2)
	if got.Different.Share() < 0.84 || got.Blocks > 11 {
		t.Errorf("found in %v after %.1f blocks, want nearly 90 %% and earlier than 12", got.Different, got.Blocks)
	}
	sure := statstest.Sequential(quiet, spending(5, 12), looks, 1.2, 300, 3)
	if sure.Different.Share() < 0.999 || sure.Blocks > 5.5 {
		t.Errorf("a large difference is found in %v after %.1f blocks", sure.Different, sure.Blocks)
	}
}

// With a margin, what is the same is found to be, and early.
func TestSequentialEquivalence(t *testing.T) {
	looks := statstest.Looks{First: 5, Last: 30, Margin: 0.03}
	got := statstest.Sequential(statstest.Noises()[0], spending(5, 30), looks, 1, 500, 4)
	if got.Same.Share() < 0.9 || got.Different.Share() > 0.05 {
		t.Errorf("the same in %v, different in %v", got.Same, got.Different)
	}
	apart := statstest.Sequential(statstest.Noises()[0], spending(5, 30), looks, 1.03, 500, 5)
	if apart.Same.Share() > 0.05 {
		t.Errorf("what differs by the margin is called the same in %v", apart.Same)
	}
}

func TestRatioCoverageOfSeries(t *testing.T) {
	for _, noise := range statstest.Noises() {
		for _, blocks := range []int{6, 12} {
			t.Run(fmt.Sprintf("%s/%d", noise.Name, blocks), func(t *testing.T) {
				if got := statstest.RatioCoverage(noise, blocks, 1500, 0.95, 1).Share(); got < 0.93 || got > 0.99 {
					t.Errorf("covers in %.3f, want 0.95", got)
				}
			})
		}
	}
}

func TestQuantileCoverage(t *testing.T) {
	for _, latency := range statstest.Latencies() {
		t.Run(latency.Name, func(t *testing.T) {
			got := statstest.QuantileCoverage(latency, 0.9, 12, 6, 120, 250, 1)
			if got.Share() < 0.90 || got.Share() > 0.99 {
				t.Errorf("covers in %v, want 95 %%", got)
			}
		})
	}
}

func TestSteadinessOfTrials(t *testing.T) {
	for _, trial := range statstest.Trials() {
		for _, windows := range []int{10, 30} {
			if windows < trial.Least {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", trial.Name, windows), func(t *testing.T) {
				for _, rho := range []float64{0, 0.5} {
					if got := statstest.Steadiness(trial, windows, 0.01, rho, 60, 1).Share(); got < 0.93 {
						t.Errorf("neighbours alike by %v: called %s in %.2f", rho, trial.Want, got)
					}
				}
			})
		}
	}
}

// The knee is not drawn upwards by the highest of many noisy levels, and its interval
// holds it.
func TestKneeIsWhereItIs(t *testing.T) {
	for _, curve := range statstest.Curves()[:3] {
		truth := curve.Knee(statstest.KneeLevels(), 0.95)
		k := statstest.SimulateKnees(curve, 4, 0.1, 60, 1)
		if k.Mean < 0.85*truth || k.Mean > 1.1*truth || k.Covered.Share() < 0.93 {
			t.Errorf("%s: mean estimate %.0f, truth %.0f, held in %v", curve.Name, k.Mean, truth, k.Covered)
		}
		if curve.Name == statstest.Curves()[0].Name && k.ByBlock < 1.5*truth {
			t.Errorf("%s: knees of single blocks are at %.0f on average: the simulation can't tell", curve.Name, k.ByBlock)
		}
	}
}

// Inputs with a few levels let rows share measurements, and with them their noise: it is
// subtracted where it is, and the intervals have it though resampling does not show it.
func TestSobolOfLevels(t *testing.T) {
	grid := statstest.NewGrid(statstest.Responses()[0], 2)
	if got := grid.Total[0]; got < 16.0/21-1e-9 || got > 16.0/21+1e-9 {
		t.Fatalf("total index %v of an additive function", got)
	}
	first, total, firstBias, totalBias := grid.Intervals(64, 0.5, 50, 1)
	if max(firstBias, -firstBias) > 0.05 || max(totalBias, -totalBias) > 0.05 {
		t.Errorf("indices are off by %.3f and %.3f on average", firstBias, totalBias)
	}
	if first.Share() < 0.88 || total.Share() < 0.88 {
		t.Errorf("intervals hold them in %v and %v, said are 93 %%", first, total)
	}
}
