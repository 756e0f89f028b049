package capacity

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
)

// law is a service that scales by the law, with some noise that repeats.
func law(n int, trial int) float64 {
	x := float64(n)
	return 100 * x / (1 + 0.02*(x-1) + 1e-5*x*(x-1)) * (1 + 0.01*math.Sin(float64(trial)))
}

func sweepOf(levels []int, measure func(n, trial int) LevelTrial) *Sweep {
	trial := 0
	return &Sweep{Levels: levels, Repeats: 2, Measure: func(_ context.Context, n int) (LevelTrial, error) {
		trial++
		return measure(n, trial), nil
	}}
}

func steps(from, to, step int) (levels []int) {
	for n := from; n <= to; n += step {
		levels = append(levels, n)
	}
	return levels
}

func TestSweepGoesUpAndDown(t *testing.T) {
	var order []int
	s := sweepOf([]int{1, 2, 3}, func(n, _ int) LevelTrial {
		order = append(order, n)
		return LevelTrial{Throughput: float64(10 * n)}
	})
	k, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range []int{1, 2, 3, 3, 2, 1} {
		if len(order) != 6 || order[i] != n {
			t.Fatalf("order %v", order)
		}
	}
	if l := k.Levels[1]; l.Up != 20 || l.Down != 20 || l.Hysteresis() != 0 || !l.Counts {
		t.Errorf("%+v", l)
	}
	if k.Fit != nil || k.FitNote.IsZero() || k.Enough != 3 {
		t.Errorf("three levels: %+v", k)
	}
}

func TestSweepFindsTheKnee(t *testing.T) {
	s := sweepOf(steps(20, 800, 40), func(n, trial int) LevelTrial {
		return LevelTrial{Throughput: law(n, trial), Memory: 10<<20 + uint64(n)*5000}
	})
	k, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	peak := math.Sqrt((1 - 0.02) / 1e-5)
	if k.Fit == nil || k.Fit.Peak == nil || !k.Fit.Peak.Contains(peak) || k.Fit.Peak.High > 1.5*peak {
		t.Errorf("fit %+v (%s), want a peak at %.0f", k.Fit, k.FitNote, peak)
	}
	if k.Enough < 50 || k.Enough > 300 {
		t.Errorf("%d connections are said to be enough", k.Enough)
	}
	if k.MemoryPer1000 == nil || math.Abs(*k.MemoryPer1000-5e6) > 1 {
		t.Errorf("memory %v, want 5,000,000 bytes", k.MemoryPer1000)
	}
}

// Levels at the generator's limit are in the record and in no conclusion.
func TestSweepLeavesOutWhatTheGeneratorLimits(t *testing.T) {
	s := sweepOf(steps(20, 800, 40), func(n, trial int) LevelTrial {
		x := law(n, trial)
		return LevelTrial{Throughput: min(x, 1500), Limited: x > 1500, Spoiled: x > 1500}
	})
	k, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	limited := 0
	for i := range k.Levels {
		l := &k.Levels[i]
		if l.Limited {
			limited++
			if l.Counts || len(l.Trials) != 2 || l.Throughput == 0 {
				t.Errorf("%+v", l)
			}
		}
	}
	if limited == 0 || k.Fit != nil && k.Fit.Peak != nil {
		t.Errorf("%d levels limited; a peak by the generator's limit: %+v", limited, k.Fit)
	}
}

func TestSweepRepeatsDisturbedTrials(t *testing.T) {
	s := sweepOf([]int{1, 2}, func(n, trial int) LevelTrial {
		return LevelTrial{Throughput: 10, Spoiled: trial < 4} // more often than it may be repeated
	})
	k, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if l := k.Levels[0]; !l.Trials[0].Spoiled || l.Trials[1].Spoiled || l.Up.Exists() || l.Down != 10 || !math.IsNaN(l.Hysteresis()) {
		t.Errorf("%+v", l)
	}
}

func TestMemory(t *testing.T) {
	levels := func(bytes ...uint64) (list []Level) {
		for i, b := range bytes {
			list = append(list, Level{Connections: 100 * (i + 1), Trials: []LevelTrial{{Down: true, Memory: 1 << 40}, {Memory: b}}})
		}
		return list
	}
	for _, c := range []struct {
		name   string
		levels []Level
		want   float64 // 0: not known
	}{
		{"a line", levels(1000, 2000, 3000, 4000), 10_000},
		{"with one level off", levels(1000, 2000, 3000, 3500, 5000, 6000, 7000), 10_000},
		{"the same everywhere", levels(5000, 5000, 5000, 5000), 0},
		{"up and down", levels(5000, 6000, 5000, 4000), 0},
		{"two levels", levels(1000, 2000), 0},
		{"not read", levels(0, 0, 0, 0), 0},
	} {
		got, note := memoryPer1000(c.levels)
		if c.want == 0 && (got != nil || note.IsZero()) || c.want > 0 && (got == nil || *got != c.want) {
			t.Errorf("%s: %v (%s), want %v", c.name, got, note, c.want)
		}
	}
}

func TestSweepCheck(t *testing.T) {
	for _, c := range []struct {
		sweep Sweep
		why   string
	}{
		{Sweep{}, "from 1 to 1000"},
		{Sweep{Levels: []int{0, 1}}, "from 0 to 1"},
		{Sweep{Levels: []int{1, 2_000_000}}, "2000000"},
		{Sweep{Levels: []int{2, 1}}, "ascend"},
		{Sweep{Levels: []int{1}, Passes: -1}, "passes"},
	} {
		if _, err := c.sweep.Run(t.Context()); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%+v: error %v, want %q", c.sweep, err, c.why)
		}
	}
}

func TestLevelAtTheGeneratorsCeiling(t *testing.T) {
	r := result(second(0, map[int]int64{1: 1000}))
	for ceiling, limited := range map[float64]bool{1050: true, 2000: false, 0: false} {
		var got LevelTrial
		got.judge(r, &measure.Calibration{Ceiling: ceiling})
		if got.Limited != limited || got.Spoiled != limited || got.Throughput != 1000 {
			t.Errorf("ceiling %v: %+v", ceiling, got)
		}
	}
	full := result(second(0, map[int]int64{1: 1000}))
	full.Findings = []finding.Finding{{Name: finding.GeneratorFull, Validity: finding.Suspect}}
	var got LevelTrial
	if got.judge(full, nil); !got.Limited {
		t.Errorf("%+v", got)
	}
	fewer := result(second(0, map[int]int64{1: 1000}))
	fewer.Total.Errors.Connect, fewer.FirstErrors = 7, map[string]i18n.Message{"connect": i18n.Verbatim("too many open files")}
	got = LevelTrial{}
	if got.judge(fewer, nil); !got.Spoiled || got.Limited || !strings.Contains(got.Why.String(), "too many open files") {
		t.Errorf("%+v", got)
	}
}

// A service that fails is not a trial that was too short, and is no different when it
// is asked again. What part of its requests failed is said with the knee.
func TestLevelOfAServiceThatFails(t *testing.T) {
	responses := second(0, map[int]int64{1: 1000})
	responses.Completed, responses.Errors.Status = 0, 1000
	r := result(responses)
	r.FirstErrors = map[string]i18n.Message{"status": i18n.Verbatim("status 500")}
	var got LevelTrial
	if got.judge(r, nil); got.Spoiled || strings.Contains(got.Why.String(), "too short") || !strings.Contains(got.Why.String(), "status 500") {
		t.Errorf("%+v", got)
	}
	silent := result(measure.Window{Length: time.Second})
	got = LevelTrial{}
	if got.judge(silent, nil); !got.Spoiled || !strings.Contains(got.Why.String(), "too short") {
		t.Errorf("%+v", got)
	}

	measured := 0
	k, err := sweepOf([]int{1, 2}, func(n, trial int) LevelTrial {
		measured++
		var of LevelTrial
		of.judge(r, nil)
		return of
	}).Run(t.Context())
	if err != nil || measured != 4 || k.Enough != 0 || len(k.Notes) == 0 {
		t.Errorf("%d trials, error %v: %+v", measured, err, k)
	}

	part := second(0, map[int]int64{1: 1000})
	part.Completed, part.Errors.Reset = 900, 100
	r = result(part)
	r.FirstErrors = map[string]i18n.Message{"reset": i18n.Verbatim("the connection ended first")}
	k, err = sweepOf([]int{1, 2}, func(n, trial int) LevelTrial {
		var of LevelTrial
		of.judge(r, nil)
		return of
	}).Run(t.Context())
	notes := i18n.List("\n", k.Notes...)
	if err != nil || k.Enough == 0 || !strings.Contains(notes.String(), "10 % of the requests failed at 1 to 2 connections") || !strings.Contains(notes.String(), "the connection ended first") {
		t.Errorf("error %v: %s: %+v", err, notes, k)
	}
}
