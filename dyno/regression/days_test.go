package regression

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/baseline"
	"dyno.example/dyno/regression/threshold"
	"dyno.example/internal/i18n"
)

// aDay draws the restarts of one day, which share it.
func aDay(rng *rand.Rand, restarts int, day, noise float64) []float64 {
	return noisy(rng, restarts, 100*math.Exp(day*rng.NormFloat64()), noise)
}

// storedGates simulates gates of one check against a baseline of so many days, with
// nothing changed and the second run on the day of the first; it returns the share
// that alarms.
func storedGates(studies, days, restarts int, day float64, of threshold.Threshold) (alarms float64) {
	rng := rand.New(rand.NewPCG(12, 0))
	level := levelFor(1, false)
	for range studies {
		v := values{}
		for range days {
			values := aDay(rng, restarts, day, 0.02)
			v.days, v.old = append(v.days, values), append(v.old, values...)
		}
		today := 100 * math.Exp(day*rng.NormFloat64())
		confirmed := true
		for range 2 {
			v.new = noisy(rng, restarts, today, 0.02)
			confirmed = confirmed && judge(v.ratio(level), of) == Regression
		}
		if confirmed {
			alarms++
		}
	}
	return alarms / float64(studies)
}

// A baseline of several days alarms no more often than is promised, however much
// days differ; one of a single day does, which its output says.
func TestDaysAreInTheInterval(t *testing.T) {
	const studies = 3000
	promised := falseAlarm(1, levelFor(1, false), false)
	for _, days := range []int{2, 3, 5} {
		for _, day := range []float64{0.02, 0.03, 0.05} {
			if got := storedGates(studies, days, 10, day, cpu); got > promised {
				t.Errorf("%d days that differ by %v: %.3f of gates alarm, promised are %.3f", days, day, got, promised)
			}
		}
	}
	if got := storedGates(studies, 1, 10, 0.05, cpu); got < 0.1 {
		t.Errorf("one day alarms in %.3f: the simulation can't tell", got)
	}
}

// days is a baseline of made-up runs whose figures are up and down by so much.
func days(t *testing.T, shifts ...float64) *baseline.Baseline {
	t.Helper()
	var all *baseline.Baseline
	a := twins(t, 1, 0.005)
	began := a.Run.Started
	for i, shift := range shifts {
		values := a.Groups[0].Cells[0].Values["cpu"]
		for k, v := range values {
			values[k] = v * math.Exp(shift)
		}
		a.Run.ID = fmt.Sprintf("day-%d", i)
		a.Run.Started = began.Add(time.Duration(i) * 24 * time.Hour)
		b, err := baseline.New("main", a, fmt.Sprintf("sha256:%064d", i))
		if err != nil {
			t.Fatal(err)
		}
		if all != nil {
			if b, err = all.Add(b); err != nil {
				t.Fatal(err)
			}
		}
		all = b
		for k, v := range values {
			values[k] = v / math.Exp(shift)
		}
	}
	return all
}

func TestJudgeByDays(t *testing.T) {
	calm, wild := []float64{-0.004, 0.004, 0.002, -0.002, 0}, []float64{-0.06, 0.06, 0.03, -0.03, 0}
	for _, c := range []struct {
		name   string
		shifts []float64
		worse  float64
		want   Decision
	}{
		{"calm days, the same", calm, 1, OK},
		{"calm days, worse", calm, 1.12, Regression},
		{"wild days, worse by no more than they differ", wild, 1.12, CannotTell},
		{"wild days, much worse", wild, 1.5, Regression},
	} {
		r := JudgeStored(twins(t, c.worse, 0.005), days(t, c.shifts...), asked)
		check := r.Checks[0]
		if check.Decision != c.want || r.Days != 5 || check.Finds <= 0 {
			t.Errorf("%s: %+v", c.name, check)
		}
		if strings.Contains(i18n.List("\n", r.Remarks...).String(), "one day") {
			t.Errorf("%s: %q", c.name, r.Remarks)
		}
	}
	one := JudgeStored(twins(t, 1.2, 0.005), days(t, 0), asked)
	if text := i18n.List("\n", one.Remarks...); one.Days != 1 || !strings.Contains(text.String(), "the baseline is of one day") || !strings.Contains(one.summary().String(), "the day included") {
		t.Errorf("%q, %s", one.Remarks, one.summary())
	}
}

// A change as large as it says is found in nine of ten gates.
func TestWhatDaysFind(t *testing.T) {
	const studies, restarts, between = 600, 10, 0.01
	rng := rand.New(rand.NewPCG(13, 0))
	level, found := levelFor(1, false), 0
	for range studies {
		v := values{}
		for range 6 {
			v.days = append(v.days, aDay(rng, restarts, between, 0.002))
		}
		v.new = noisy(rng, restarts, 100*math.Exp(between*rng.NormFloat64())*1.09, 0.002)
		if judge(v.ratio(level), cpu) == Regression {
			found++
		}
	}
	// 9 % is what six days with a deviation of 1 % find: 5 % and 1.88·1.08 %, or more.
	if share := float64(found) / studies; share < 0.9 {
		t.Errorf("found in %.3f", share)
	}
}

// A run long after the baseline's days is said to be that: days that follow each other differ
// less than those that lie apart.
func TestFarFromTheDays(t *testing.T) {
	b := days(t, 0, 0.01, -0.01, 0)
	_, last := b.Span()
	for after, want := range map[int]bool{-1: false, 1: false, 3: false, 4: true, 60: true} {
		a := twins(t, 1, 0.005)
		a.Run.Started = last.Add(time.Duration(after) * 24 * time.Hour)
		remarks := i18n.List("\n", JudgeStored(a, b, asked).Remarks...)
		if strings.Contains(remarks.String(), "were started within 4 days") != want {
			t.Errorf("%d days after: %q", after, remarks)
		}
	}
}
