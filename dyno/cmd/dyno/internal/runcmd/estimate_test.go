package runcmd

import (
	"testing"
	"time"
)

// The quick form of the study of all languages is one that people wait for, also by the
// guesses of a machine on which none of its subjects has run.
func TestLanguagesQuickIsShort(t *testing.T) {
	t.Setenv("DYNO_HOME", t.TempDir())
	f := runFlags{seed: 1, quick: true}
	r, err := f.runner("languages")
	if err != nil {
		t.Fatal(err)
	}
	if got, most := r.Plan.Estimate, 25*time.Minute; got > most || got < 10*time.Minute {
		t.Errorf("it is to take %v, want at most %v", got, most)
	}
}

func TestWarmupFlag(t *testing.T) {
	t.Setenv("DYNO_HOME", t.TempDir())
	f := runFlags{seed: 1, warmup: "steady 1s..9s"}
	r, err := f.runner("go-frameworks")
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Study.Trial; got.Warmup != time.Second || got.WarmupMost != 9*time.Second {
		t.Errorf("trials of %+v", got)
	}
	f.warmup = "until noon"
	if _, err := f.runner("go-frameworks"); err == nil {
		t.Error("no error")
	}
}
