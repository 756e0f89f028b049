package study

import (
	"testing"
	"time"
)

func TestWarmup(t *testing.T) {
	for text, want := range map[string]Timing{
		"3s":             {Warmup: 3 * time.Second},
		"0s":             {},
		"steady":         {Warmup: 5 * time.Second, WarmupMost: 30 * time.Second},
		"steady 0s..8s":  {WarmupMost: 8 * time.Second},
		"steady 2s..20s": {Warmup: 2 * time.Second, WarmupMost: 20 * time.Second},
	} {
		want.Duration = 7 * time.Second
		s := parse(t, minimal+"trial: {warmup: "+text+", duration: 7s}\n")
		if s.Trial != want {
			t.Errorf("%s: %+v, want %+v", text, s.Trial, want)
		}
		if got, err := (Timing{Warmup: time.Hour, WarmupMost: time.Hour, Duration: 7 * time.Second}).WithWarmup(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1s", "25h", "soon", "steady..", "steady 5s", "steady 5s..", "steady 5s..4s", "steady 1s..2s", "steadily"} {
		before := Timing{Warmup: time.Second}
		if got, err := before.WithWarmup(text); err == nil || got != before {
			t.Errorf("%q: %+v, %v; want an error", text, got, err)
		}
	}
}

// A quick form has a warm-up of its own kind.
func TestQuickWarmup(t *testing.T) {
	s := parse(t, minimal+"trial: {warmup: steady, duration: 9s}\nquick: {trial: {warmup: 1s}}\n")
	if got := s.Quick().Trial; got != (Timing{Warmup: time.Second, Duration: 9 * time.Second}) {
		t.Errorf("%+v", got)
	}
}
