package analysis

import (
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
)

// TestStages puts windows of a second, of which some can't be used, into stages.
func TestStages(t *testing.T) {
	step, err := profile.ParsePhase("steps 100,200 2500ms")
	if err != nil {
		t.Fatal(err)
	}
	sums := newStageSums(&profile.Profile{Mode: profile.Open, Phases: []profile.Phase{step}})
	for index := -1; index < 5; index++ {
		w := archive.Window{Client: measure.Window{Index: index, Length: time.Second, Offered: 100, Completed: 90}}
		w.Client.Hist[measure.Response] = measure.NewHistogram()
		if err := w.Client.Hist[measure.Response].RecordValues(int64(time.Duration(index+2)*time.Millisecond), 90); err != nil {
			t.Fatal(err)
		}
		if index == 3 {
			w.Level = finding.Invalid
		}
		if index == 4 {
			w.Client.Shed = 10
		}
		sums.add(&w)
	}
	got := sums.stages()
	if len(got) != 2 {
		t.Fatalf("%d stages", len(got))
	}
	// Window 2 lies across both, 3 is invalid.
	if s := got[0]; s.Phase != 1 || s.Name != "steps 100" || s.Windows != 2 || s.Offered != 100 || s.Throughput != 90 || s.Response[0].Micros < 1990 || s.Response[1].Micros < 2990 || s.Response[1].Censored {
		t.Errorf("got %+v", s)
	}
	if s := got[1]; s.Windows != 1 || s.Response[0].Censored || !s.Response[1].Censored {
		t.Errorf("got %+v", s)
	}
	if newStageSums(&profile.Profile{Mode: profile.Closed}) != nil || newStageSums(&profile.Profile{Mode: profile.Open, Rate: 5}) != nil {
		t.Error("a load of one stage has stages")
	}
}
