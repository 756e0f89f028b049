package validity

import (
	"strings"
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/machine/speed"
)

// speedOf is that of a trial on CPUs 0 and 1, of which the second is a tenth
// slower, each before the trial and after it at so many times the usual.
func speedOf(chain, wide [4]float64) *archive.Speed {
	return &archive.Speed{
		Before: []speed.Reading{{CPU: 0, Chain: 2 * chain[0], Wide: 12 * wide[0]}, {CPU: 1, Chain: 1.8 * chain[1], Wide: 10.8 * wide[1]}},
		After:  []speed.Reading{{CPU: 0, Chain: 2 * chain[2], Wide: 12 * wide[2]}, {CPU: 1, Chain: 1.8 * chain[3], Wide: 10.8 * wide[3]}},
	}
}

var same = [4]float64{1, 1, 1, 1}

// usually is so many trials without fault, whose CPUs differ by 1 % or less.
func usually(n int) (list []*archive.Speed) {
	for i := range n {
		f := 1 + 0.005*float64(i%5-2)
		list = append(list, speedOf([4]float64{f, 1, 1, f}, [4]float64{1, f, f, 1}))
	}
	return list
}

func TestCPUSpeed(t *testing.T) {
	for name, c := range map[string]struct {
		trial *archive.Speed
		level finding.Validity
		says  []string // nothing: no finding
	}{
		"as ever":           {speedOf(same, same), "", nil},
		"just within":       {speedOf([4]float64{1, 1, 1, 0.955}, [4]float64{1, 1.045, 1, 1}), "", nil},
		"a slower clock":    {speedOf([4]float64{1, 1, 0.8, 1}, [4]float64{1, 1, 0.8, 1}), finding.Suspect, []string{"after the trial CPU 0 did 9.6 ", "median of 10 trials", "-20 %, and -20 %", "clock rate", "1 of 4"}},
		"a busy neighbour":  {speedOf([4]float64{1, 0.98, 1, 0.98}, [4]float64{1, 0.6, 1, 0.7}), finding.Suspect, []string{"before the trial CPU 1 did 6.48 ", "-40 %, and -2 %", "hyper-thread", "2 of 4"}},
		"no neighbour":      {speedOf(same, [4]float64{1.5, 1, 1.5, 1}), finding.Suspect, []string{"+50 %, and +0 %", "hyper-thread"}},
		"one that left":     {speedOf(same, [4]float64{0.6, 1, 1, 1}), finding.Valid, []string{"-40 %, and +0 %", "hyper-thread", "1 of 4"}},
		"one after another": {speedOf(same, [4]float64{0.6, 1, 1, 0.7}), finding.Valid, []string{"2 of 4"}},
		"there and away":    {speedOf(same, [4]float64{0.6, 1, 1.5, 1}), finding.Valid, []string{"2 of 4"}},
		"only the chain":    {speedOf([4]float64{0.9, 1, 1, 1}, same), finding.Suspect, []string{"+0 %, and -10 %", "clock rate"}},
		"not read":          {&archive.Speed{Missing: "threads can't be pinned"}, "", nil},
		"read as nothing":   {&archive.Speed{Before: []speed.Reading{{CPU: 0}}}, "", nil},
		"only before":       {&archive.Speed{Before: []speed.Reading{{CPU: 0, Chain: 1, Wide: 6}}}, finding.Suspect, []string{"-50 %", "1 of 1"}},
		"of an unknown CPU": {&archive.Speed{Before: []speed.Reading{{CPU: 7, Chain: 1, Wide: 6}}}, "", nil},
	} {
		found := NewUsualSpeed(append(usually(9), c.trial, nil)).Judge(c.trial)
		if (len(found) > 0) != (c.says != nil) {
			t.Errorf("%s: found %+v", name, found)
			continue
		}
		for _, f := range found {
			if f.Name != finding.CPUSpeed || f.Validity != c.level || len(f.Windows) > 0 {
				t.Errorf("%s: found %+v", name, f)
			}
			for _, part := range c.says {
				if !strings.Contains(f.Detail.String(), part) {
					t.Errorf("%s: %q lacks %q", name, f.Detail, part)
				}
			}
		}
	}
}

// The first trials can't be told from each other: of two that differ, which is the
// slow one?
func TestCPUSpeedOfFewTrials(t *testing.T) {
	slow := speedOf(same, [4]float64{0.7, 0.7, 0.7, 0.7})
	for n, want := range []int{0, 0, 1, 1} { // trials before
		found := NewUsualSpeed(append(usually(n), slow)).Judge(slow)
		if len(found) != want {
			t.Errorf("after %d trials: found %+v", n, found)
		}
	}
}

// Where most of the trials were slow, those that weren't are of another speed.
func TestMostTrialsAreSlow(t *testing.T) {
	slow := speedOf(same, [4]float64{0.7, 0.7, 0.7, 0.7})
	all := append(usually(2), slow, slow, slow)
	u := NewUsualSpeed(all)
	for i, s := range all {
		if found := u.Judge(s); (len(found) == 1) != (i < 2) {
			t.Errorf("trial %d: found %+v", i, found)
		}
	}
}
