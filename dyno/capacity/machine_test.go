package capacity

import (
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/internal/i18n"
)

// What was accepted by its name is shown so, and what rests on it isn't called valid.
func TestAcceptedIsNotValid(t *testing.T) {
	r := &load.Result{Validity: finding.Valid, Findings: []finding.Finding{
		{Name: finding.OtherLoad, Validity: finding.Invalid, Accepted: true, Detail: i18n.Verbatim("other programs used 90 %")},
		{Name: finding.Errors, Validity: finding.Suspect, Accepted: true}, // is none of the machine's
	}}
	trial := describe(r, &profile.Profile{Connections: 1})
	if trial.Validity != finding.Accepted || len(trial.Accepted) != 1 || trial.Accepted[0].Name != finding.OtherLoad {
		t.Errorf("a trial is %s with %+v", trial.Validity, trial.Accepted)
	}
	var level LevelTrial
	level.judge(r, nil)
	for name, found := range map[string][]finding.Finding{"trial": trial.Accepted, "level": level.Accepted} {
		if d := judgeTrials([]troubled{{found: found}}); d.Validity != finding.Accepted || len(d.Findings) != 1 || !d.Findings[0].Accepted {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// robbedSecond is a window in which others used so much of two CPUs that generator
// and service share; before is what of it was there before the load.
func robbedSecond(w measure.Window, used, before time.Duration) measure.Window {
	o := &measure.Others{Length: time.Second, Waited: time.Second, Foreign: true, Before: before, Parts: []measure.OthersPart{{Use: "both", CPUs: []int{0, 1}, Used: used}}}
	w.Health = &measure.Health{Others: o}
	if f, found := o.Finding(w.Index); found {
		w.Findings = append(w.Findings, f)
	}
	return w
}

// A rate that fails while others are busy is not the service's failure, unless these
// others may be a part of the service.
func TestJudgeBesideOtherPrograms(t *testing.T) {
	const some, much = 250 * time.Millisecond, 900 * time.Millisecond
	slow, quick := map[int]int64{5: 900, 25: 100}, map[int]int64{5: 1000}
	for name, c := range map[string]struct {
		times        map[int]int64
		used, before time.Duration
		want         Decision
		useless      bool
	}{
		"nobody":                 {slow, 0, 0, Fails, false},
		"some, as before":        {slow, some, some, Spoiled, false},
		"some, though it held":   {quick, some, some, Holds, false},
		"a newcomer":             {slow, much, 0, Fails, false},
		"as much as before":      {slow, much, much, Spoiled, true},
		"as much, and it held":   {quick, much, much, Spoiled, true},
		"little of it as before": {slow, much, 100 * time.Millisecond, Fails, false},
	} {
		r := result(robbedSecond(second(0, c.times), c.used, c.before))
		if c.useless {
			r.Findings = append(r.Findings, finding.Finding{Name: finding.NoValidWindow, Validity: finding.Invalid})
		}
		got := judge(parse(t, "p99 < 10ms"), r, &profile.Profile{Mode: profile.Open, Connections: 10})
		if got.Decision != c.want || got.Useless != c.useless || (got.Decision == Spoiled) != strings.Contains(got.Why.String(), string(finding.OtherLoad)) {
			t.Errorf("%s: %s (useless: %v): %q, want %s", name, got.Decision, got.Useless, got.Why, c.want)
		}
		if (c.used > 0) != (len(got.Disturbed) == 1) {
			t.Errorf("%s: disturbed by %+v", name, got.Disturbed)
		}
	}
}

// A finding that is accepted spoils nothing.
func TestJudgeAccepts(t *testing.T) {
	w := robbedSecond(second(0, map[int]int64{25: 1000}), 250*time.Millisecond, 250*time.Millisecond)
	finding.Accept(w.Findings, []finding.Name{finding.OtherLoad})
	if got := judge(parse(t, "p99 < 10ms"), result(w), &profile.Profile{Mode: profile.Open, Connections: 10}); got.Decision != Fails {
		t.Errorf("got %s: %s", got.Decision, got.Why)
	}
}

func TestJudgeTrials(t *testing.T) {
	other := []finding.Finding{{Name: finding.OtherLoad, Validity: finding.Suspect, Detail: i18n.Verbatim("a")}}
	for name, c := range map[string]struct {
		disturbed, useless int // of 20 trials
		want               finding.Validity
	}{
		"none": {0, 0, finding.Valid}, "a tenth": {2, 0, finding.Valid}, "more": {3, 0, finding.Suspect}, "all, and it was no matter": {20, 0, finding.Suspect},
		"half of no use": {10, 10, finding.Suspect}, "more than half of no use": {11, 11, finding.Invalid},
	} {
		trials := make([]troubled, 20)
		for i := range c.disturbed {
			trials[i] = troubled{other, i < c.useless}
		}
		if d := judgeTrials(trials); d.Validity != c.want || (c.disturbed > 0) != (len(d.Findings) == 1 && len(d.Findings[0].Windows) == c.disturbed) {
			t.Errorf("%s: %+v, want %s", name, d, c.want)
		}
	}
}

// A level of a closed loop while others have part of the CPUs is measured again; one
// with a stall of some milliseconds counts.
func TestLevelBesideOtherPrograms(t *testing.T) {
	for name, c := range map[string]struct {
		w    measure.Window
		want bool
	}{
		"others":   {robbedSecond(second(0, map[int]int64{5: 1000}), 250*time.Millisecond, 250*time.Millisecond), true},
		"newcomer": {robbedSecond(second(0, map[int]int64{5: 1000}), 250*time.Millisecond, 0), false},
		"a stall":  {stalled(second(0, map[int]int64{5: 1000}), 30*time.Millisecond, finding.Suspect), false},
	} {
		var level LevelTrial
		level.judge(result(c.w), nil)
		if level.Spoiled != c.want || len(level.Disturbed) != 1 {
			t.Errorf("%s: %+v", name, level)
		}
	}
}

// Where not one trial can be used, other rates are not tried: the answer would be the
// same after many minutes.
func TestSearchEndsWhereNothingCanBeMeasured(t *testing.T) {
	s := newSimulated(1000)
	s.useless = true
	r := find(t, s, nil)
	if r.Found() || r.Validity != finding.Invalid || len(r.Loads) != 1 || !strings.Contains(r.Why.String(), errDisturbed.Error()) {
		t.Errorf("%+v", r)
	}
}

// A phase of which half the seconds are invalid tells nothing.
func TestOverloadSpoiled(t *testing.T) {
	o := Overload{Capacity: 1000, Easy: 0.5, Factor: 2, Before: 3 * time.Second, For: 2 * time.Second, After: 3 * time.Second, Within: 0.25}
	for bad, want := range map[int]bool{0: false, 1: false, 2: true, 3: true} {
		var windows []measure.Window
		for i := range 8 {
			w := second(i, map[int]int64{5: 500})
			if i < bad {
				w = robbedSecond(w, time.Second, time.Second)
			}
			windows = append(windows, w)
		}
		a := o.Analyse(parse(t, "p99 < 50ms"), result(windows...))
		if a.Spoiled != want || want != strings.Contains(a.Why.String(), "machine was disturbed") {
			t.Errorf("%d of 3 seconds of the baseline are invalid: spoiled %v, %q", bad, a.Spoiled, a.Why)
		}
	}
}
