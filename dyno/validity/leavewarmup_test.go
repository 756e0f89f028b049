package validity

import (
	"testing"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/profile"
)

// The seconds in which a subject was warming up are in no figure of the trial, and no
// other ones are left out.
func TestWarmUpIsInNoFigure(t *testing.T) {
	at := func(i int) second {
		s := steady
		if i < 4 {
			s.rate, s.p50, s.cost = 2500, 4*time.Millisecond, 240*time.Microsecond
		}
		return s
	}
	c := Conditions{Profile: profile.Profile{Mode: profile.Closed}}
	for name, accept := range map[string][]finding.Name{"": nil, "accepted": {finding.StillWarmingUp}} {
		windows := trialOf(1, 12, at)
		c.Accept = accept
		found := Trial(nil, windows, c)
		if len(found) != 1 || found[0].Name != finding.StillWarmingUp {
			t.Fatalf("%s: %+v", name, found)
		}
		for i := range windows {
			index := windows[i].Client.Index
			want := index >= 0 && (index >= 4 || accept != nil)
			if got := windows[i].Counts(); got != want {
				t.Errorf("%s: second %d counts: %v, want %v", name, index, got, want)
			}
		}
	}
	// Where that is most of it, the trial is invalid as a whole.
	windows := trialOf(1, 12, func(i int) second { return at(i - 4) })
	if found := Trial(nil, windows, Conditions{Profile: c.Profile}); len(found) != 1 || found[0].Validity != finding.Invalid {
		t.Errorf("%+v", found)
	}
}
