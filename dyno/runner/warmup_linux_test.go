package runner

import (
	"testing"
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
)

// settling measures a subject for a second after a warm-up until it is steady.
func settling(t *testing.T, trouble, rhythm string, least, most time.Duration) *archive.Run {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds of load")
	}
	return observed(t, self(t), trouble, rhythm, time.Second, 1, "", func(r *Runner) {
		r.Study.Trial.Warmup, r.Study.Trial.WarmupMost = least, most
	})
}

// What is injected is found: a subject that gets faster for two seconds under load, and
// one that is the same from the beginning.
func TestWarmUpUntilSteady(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		trouble  string
		from, to time.Duration
	}{{"settles", time.Second, 5 * time.Second}, {"even", 0, 3 * time.Second}} {
		t.Run(c.trouble, func(t *testing.T) {
			t.Parallel()
			var run *archive.Run
			var w *archive.WarmUp
			inTime := func() bool { return w.Steady && w.Took >= c.from && w.Took <= c.to }
			for range 4 { // a busy machine may be unsteady itself
				run = settling(t, c.trouble, eager, 4*time.Second, 20*time.Second)
				if w = run.Trials[0].WarmUp; w != nil && inTime() {
					break
				}
			}
			trial := &run.Trials[0]
			if w == nil || trial.Status != archive.Complete {
				t.Fatalf("the trial is %s: %s; warm-up %+v", trial.Status, trial.Error, w)
			}
			if !inTime() {
				skipIfDisturbed(t, trial)
				t.Errorf("steady %t after %v, want %v to %v: %+v", w.Steady, w.Took, c.from, c.to, w.Seconds)
			}
			for i, s := range w.Seconds {
				if s.Completed == 0 || s.P50 == 0 || s.CPU == 0 || s.Length != time.Second {
					t.Errorf("second %d: %+v", i, s)
				}
			}
			if n := len(trial.Windows); n != 2 || trial.Windows[0].Client.Index != -1 || trial.Windows[1].Server.Process == nil {
				t.Errorf("%d windows, want a second for the new connections and a measured one: %+v", n, trial.Windows)
			}
			a, err := analysis.Analyse(run)
			if err != nil {
				t.Fatal(err)
			}
			if got := a.Groups[0].Cells[0].Estimates["warmup"]; w.Steady && got.Estimate != float64(w.Took/time.Microsecond) {
				t.Errorf("warmup is %+v, want %v", got, w.Took)
			}
		})
	}
}

// A subject that never settles is loaded for as long as it may take; its trial says so.
func TestWarmUpThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	run := named(t, func() *archive.Run { return settling(t, "worsens", gentle, 4*time.Second, 6*time.Second) }, finding.StillWarmingUp)
	trial := &run.Trials[0]
	if w := trial.WarmUp; w == nil || w.Steady || w.Lasted() != 6*time.Second || w.Took != w.Lasted() {
		t.Errorf("warm-up %+v", w)
	}
	a, err := analysis.Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	if cell := a.Groups[0].Cells[0]; cell.Omitted["warmup"].IsZero() || len(cell.Values["warmup"]) > 0 {
		t.Errorf("warmup is %v, omitted for %q", cell.Values["warmup"], cell.Omitted["warmup"])
	}
}

// Subjects whose manifest doesn't say that they compile as they run have a warm-up of
// fixed length.
func TestWarmUpOfFixedLength(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes a second of load")
	}
	run := observed(t, self(t), "none", gentle, time.Second, 1, "", func(r *Runner) {
		r.Study.Trial.WarmupMost = 20 * time.Second
		r.ready = func(p *preparation) { p.contenders["troubled"].settles = false }
	})
	if trial := &run.Trials[0]; trial.WarmUp != nil || len(trial.Windows) != 1 {
		t.Errorf("warm-up %+v, %d windows", trial.WarmUp, len(trial.Windows))
	}
	if run.Manifest.WarmupMost != 20*time.Second {
		t.Errorf("the run says %v", run.Manifest.WarmupMost)
	}
}
