package study

import (
	"strings"
	"time"

	"dyno.example/internal/i18n"
)

// A warm-up that goes on until the subject is steady: how long it takes unless the
// study says so, and what it may at least. It takes some windows to see.
const (
	steadyLeast    = 5 * time.Second
	steadyMost     = 30 * time.Second
	leastWarmupEnd = 5 * time.Second
)

// steadyWord begins a warm-up of that kind.
const steadyWord = "steady"

func timingAt(at scope, t Timing) Timing {
	f, _ := at.fields("warmup", "duration", "slices")
	if w, ok := f["warmup"]; ok {
		t.Warmup, t.WarmupMost = w.warmup()
	}
	if d, ok := f["duration"]; ok {
		t.Duration = d.Duration(time.Second, maxDuration)
	}
	if v, ok := f["slices"]; ok {
		t.Slices = slicesAt(v)
	}
	return t
}

// warmup reads a duration, or until when a subject may take to be steady.
func (s scope) warmup() (least, most time.Duration) {
	text, ok := s.Scalar()
	if !ok || !strings.HasPrefix(text, steadyWord) {
		return s.Duration(0, maxDuration), 0
	}
	least, most, err := steadyWithin(text)
	if err != nil {
		s.Report(i18n.From(err), i18n.New("study.warmup-form", "write steady, or steady 5s..30s"))
	}
	return least, most
}

// steadyWithin reads "steady", or "steady 3s..20s".
func steadyWithin(text string) (least, most time.Duration, err error) {
	rest := strings.TrimPrefix(text, steadyWord)
	if rest == "" {
		return steadyLeast, steadyMost, nil
	}
	from, to, ok := strings.Cut(strings.TrimSpace(rest), "..")
	if !ok || rest[0] != ' ' {
		return 0, 0, i18n.Errorf("study.expected-warmup-range", "expected how long it takes at least and at most, got %s", form.Quote(text))
	}
	if least, err = time.ParseDuration(from); err != nil || least < 0 {
		return 0, 0, i18n.Errorf("study.not-a-duration", "%s is not a duration", form.Quote(from))
	}
	if most, err = time.ParseDuration(to); err != nil {
		return 0, 0, i18n.Errorf("study.not-a-duration", "%s is not a duration", form.Quote(to))
	}
	if most < leastWarmupEnd || most > maxDuration || most <= least {
		return 0, 0, i18n.Errorf("study.bad-warmup-range", "it may take from %s to %s at most, and longer than at least, got %s", leastWarmupEnd, maxDuration, form.Quote(text))
	}
	return least, most, nil
}

// WithWarmup returns the timing with another warm-up, as a study file has it: "5s",
// "steady" or "steady 5s..30s".
func (t Timing) WithWarmup(text string) (Timing, error) {
	if strings.HasPrefix(text, steadyWord) {
		least, most, err := steadyWithin(text)
		if err != nil {
			return t, err
		}
		t.Warmup, t.WarmupMost = least, most
		return t, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > maxDuration {
		return t, i18n.Errorf("study.expected-warmup", "expected a duration such as 5s, or steady, or steady 5s..30s, got %s", form.Quote(text))
	}
	t.Warmup, t.WarmupMost = d, 0
	return t, nil
}
