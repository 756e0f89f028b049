package validity

import (
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/profile"
)

// seconds makes a warm-up in which each request takes so many µs of CPU in one second
// after the other, and a median response of twice as much.
func seconds(micros ...int) *archive.WarmUp {
	w := &archive.WarmUp{}
	for _, us := range micros {
		s := archive.WarmUpSecond{Length: time.Second, Completed: uint64(500_000 / us)}
		s.CPU, s.P50 = time.Duration(s.Completed)*time.Duration(us)*time.Microsecond, 2*time.Duration(us)*time.Microsecond
		w.Seconds = append(w.Seconds, s)
	}
	return w
}

func TestSettled(t *testing.T) {
	unseen := seconds(80, 40, 20, 20, 20, 20, 20, 20)
	for i := range unseen.Seconds {
		unseen.Seconds[i].CPU = 0
	}
	silent := seconds(20, 20, 20, 20, 20, 20)
	silent.Seconds[0] = archive.WarmUpSecond{Length: time.Second}
	for _, c := range []struct {
		name   string
		w      *archive.WarmUp
		mode   profile.Mode
		steady bool
		took   time.Duration
	}{
		{"nothing", seconds(), profile.Closed, false, 0},
		{"too short", seconds(20, 20, 20), profile.Closed, false, 3 * time.Second},
		{"at once", seconds(20, 20, 20, 20), profile.Closed, true, 0},
		{"two seconds", seconds(80, 40, 20, 20, 20, 20), profile.Closed, true, 2 * time.Second},
		{"no end yet", seconds(80, 40, 20, 20), profile.Closed, false, 4 * time.Second},
		{"gets faster", seconds(80, 70, 60, 53, 46, 40, 35, 30, 26, 22), profile.Open, false, 10 * time.Second},
		{"a service that is not ours", unseen, profile.Open, true, 2 * time.Second},
		{"no responses at first", silent, profile.Closed, true, time.Second},
	} {
		Settled(c.w, c.mode)
		if c.w.Steady != c.steady || c.w.Took != c.took {
			t.Errorf("%s: steady %t after %v, want %t after %v", c.name, c.w.Steady, c.w.Took, c.steady, c.took)
		}
	}
}

// Only a warm-up that was given up is named, with what still moved.
func TestWarmedUp(t *testing.T) {
	steady := seconds(20, 20, 20, 20)
	Settled(steady, profile.Closed)
	if got := append(WarmedUp(nil), WarmedUp(steady)...); len(got) > 0 {
		t.Errorf("found %+v", got)
	}
	faster := seconds(80, 70, 60, 50, 40, 30)
	Settled(faster, profile.Closed)
	got := WarmedUp(faster)
	if len(got) != 1 || got[0].Name != finding.StillWarmingUp || got[0].Validity != finding.Suspect || !strings.Contains(got[0].Detail.String(), "a warm-up of 6s: CPU per request -37 %, time per request -37 %") {
		t.Errorf("found %+v", got)
	}
	if got := WarmedUp(&archive.WarmUp{}); len(got) != 1 {
		t.Errorf("of no second at all: %+v", got)
	}
}
