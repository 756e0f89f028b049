package objective

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
)

// TestTallyWithoutWarmUp: windows that turn out to be of a warm-up are in no decision.
func TestTallyWithoutWarmUp(t *testing.T) {
	o, err := Parse("every window: p50<10ms")
	if err != nil {
		t.Fatal(err)
	}
	windows := make([]measure.Window, load.MostWarmUp+2)
	tally := o.NewTally()
	for i := range windows {
		w := measure.Window{Index: i, Length: time.Second, Completed: 100}
		w.Hist[measure.Response] = measure.NewHistogram()
		ms := int64(2)
		if i < 3 {
			ms = 20
		}
		w.Hist[measure.Response].RecordValues(ms*1e6, 100)
		tally.Add(&w)
		windows[i] = measure.Window{Index: i}
	}
	r := &load.Result{Windows: windows, Validity: finding.Suspect}
	if got := tally.JudgeResult(r); got.Decision() != Fails {
		t.Errorf("with the cold seconds: %s", got.Text)
	}
	for i := range 3 {
		windows[i].Findings = []finding.Finding{{Name: finding.StillWarmingUp, Validity: finding.Invalid}}
	}
	want := fmt.Sprintf("holds in %d of %d windows", len(windows)-3, len(windows)-3)
	if got := tally.JudgeResult(r); got.Decision() != Holds || !strings.HasPrefix(got.Text.String(), want) {
		t.Errorf("without them: %s, want %q", got.Text, want)
	}
}
