package validity

import (
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/probe"
)

func TestVoidSlices(t *testing.T) {
	for _, c := range []struct {
		void, of int
		want     finding.Validity
	}{{0, 10, ""}, {1, 10, finding.Valid}, {2, 10, finding.Suspect}, {5, 10, finding.Suspect}, {6, 10, finding.Invalid}, {10, 10, finding.Invalid}} {
		found := VoidSlices(c.void, c.of)
		if (len(found) == 0) != (c.want == "") || len(found) > 0 && (found[0].Validity != c.want || found[0].Name != finding.GeneratorStalled) {
			t.Errorf("%d of %d: %+v", c.void, c.of, found)
		}
	}
}

// A machine that becomes slower by a third in the middle is nothing against a trial in
// slices, and something against one that is whole.
func TestSlicedIsNotHeldToTheMachinesSpeed(t *testing.T) {
	var windows []archive.Window
	for i := range 20 {
		cost := 20 * time.Microsecond
		if i >= 10 {
			cost = 27 * time.Microsecond
		}
		w := archive.Window{Client: measure.Window{Index: i, Start: int64(i) * 1e9, Length: time.Second, Completed: 10_000, Sent: 10_000}, Level: finding.Valid}
		w.Server = probe.Window{Start: w.Client.Start, Length: time.Second, Process: &probe.Process{CPU: 10_000 * cost, RSS: 1 << 20, Threads: 1}}
		windows = append(windows, w)
	}
	if found := Sliced(nil, windows, Conditions{}); len(found) > 0 {
		t.Errorf("in slices: %+v", found)
	}
	if found := Trial(nil, windows, Conditions{}); len(found) == 0 {
		t.Error("nothing found in a whole trial")
	}
}
