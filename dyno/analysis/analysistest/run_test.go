package analysistest

import (
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
)

func TestRunKeepsItsPromises(t *testing.T) {
	run := Run(1)
	if got, want := len(run.Trials), Blocks*8; got != want {
		t.Fatalf("%d trials, want %d", got, want)
	}
	failed, invalid, windows, collected := 0, 0, 0, 0
	for _, trial := range run.Trials {
		switch {
		case trial.Status == archive.Failed:
			failed++
		case trial.Validity == finding.Invalid:
			invalid++
		}
		for _, w := range trial.Windows {
			if w.Level == finding.Invalid {
				windows++
			}
			if w.Server.Runtime != nil && w.Server.Runtime.GCCycles > 0 {
				collected++
			}
			if got := w.Client.Hist[measure.Response].TotalCount(); uint64(got) != w.Client.Completed {
				t.Fatalf("trial %d window %d: %d responses recorded, %d completed",
					trial.Index, w.Client.Index, got, w.Client.Completed)
			}
		}
	}
	if failed != 1 || invalid != 1 || windows != 1 || collected == 0 {
		t.Errorf("failed %d, invalid %d, invalid windows %d, collecting %d", failed, invalid, windows, collected)
	}
}

func TestRunIsDeterministic(t *testing.T) {
	a, b := Run(7, "x", "y"), Run(7, "x", "y")
	for i := range a.Trials {
		for j := range a.Trials[i].Windows {
			x, y := &a.Trials[i].Windows[j].Client, &b.Trials[i].Windows[j].Client
			if x.Completed != y.Completed || !x.Hist[measure.Response].Equals(y.Hist[measure.Response]) {
				t.Fatalf("trial %d window %d differs", i, j)
			}
		}
	}
	if c := Run(8, "x", "y"); c.Trials[0].Windows[1].Client.Completed == a.Trials[0].Windows[1].Client.Completed {
		t.Error("another seed gives the same run")
	}
}

func TestOpenLoopSheds(t *testing.T) {
	shed := uint64(0)
	for _, trial := range OpenLoop(1, "x", "y").Trials {
		for _, w := range trial.Windows {
			shed += w.Client.Shed
		}
	}
	if shed == 0 {
		t.Error("nothing shed")
	}
}
