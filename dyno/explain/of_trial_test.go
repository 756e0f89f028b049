package explain

import (
	"testing"
	"time"

	"dyno.example/dyno/evidence"
)

// Of each trial by itself: the share of what was injected in it, and the longest wait to be run.
func TestOfATrial(t *testing.T) {
	w := newWorld(5)
	w.requests(0, 5, func(int) map[evidence.Stage]time.Duration {
		return map[evidence.Stage]time.Duration{evidence.DNS: 300 * time.Millisecond, evidence.Lock: 100 * time.Millisecond}
	})
	w.requests(1, 5, func(i int) map[evidence.Stage]time.Duration {
		if i == 3 {
			return map[evidence.Stage]time.Duration{evidence.Scheduler: 30 * time.Millisecond, evidence.LoopQueue: 20 * time.Millisecond, evidence.CPUWait: 10 * time.Millisecond, evidence.Upstream: time.Second}
		}
		return map[evidence.Stage]time.Duration{evidence.CPUWait: 40 * time.Millisecond, evidence.Poll: time.Second}
	})
	for _, c := range []struct {
		trial    int
		cause    Name
		low, top float64
	}{
		{0, DNS, 0.73, 0.77}, {0, Lock, 0.23, 0.27}, {0, CPUWait, 0, 0.01}, {0, Unexplained, 0, 0.01},
		{1, DNS, 0, 0}, {1, CPUWait, 0.02, 0.05}, {1, Unexplained, 0.7, 0.85}, {1, Upstream, 0.15, 0.25},
	} {
		got, missing := w.cell.Only(c.trial).Share(c.cause)
		if !missing.IsZero() || got < c.low || got > c.top {
			t.Errorf("%s of trial %d: %g %q, want %g to %g", c.cause, c.trial, got, missing.String(), c.low, c.top)
		}
	}
	for trial, want := range []time.Duration{0, 60 * time.Millisecond} {
		if got, missing := w.cell.Only(trial).LongestWait(); got != want || !missing.IsZero() {
			t.Errorf("longest wait of trial %d: %v %q, want %v", trial, got, missing.String(), want)
		}
	}
	if len(w.cell.trials) != 2 {
		t.Errorf("%d trials are left of 2", len(w.cell.trials))
	}
}

// What isn't known of a trial has no figure: no evidence, too little, or too much lost.
func TestOfATrialWithout(t *testing.T) {
	w := newWorld(6)
	w.second(0, 0, 0, 0, nil)
	if _, missing := w.cell.Only(0).Share(DNS); missing.String() != "no request was traced" {
		t.Errorf("without evidence: %q", missing.String())
	}
	if _, missing := w.cell.Only(0).LongestWait(); missing.String() != "no request was traced" {
		t.Errorf("without evidence: %q", missing.String())
	}
	w.requests(1, 2, func(int) map[evidence.Stage]time.Duration {
		return map[evidence.Stage]time.Duration{evidence.DNS: time.Second}
	})
	if _, missing := w.cell.Only(1).Share(DNS); missing.String() != "2 slow and 6 ordinary requests were traced, and fewer than 3 and 10 say nothing" {
		t.Errorf("two slow requests: %q", missing.String())
	}
	counts := &w.cell.trials[len(w.cell.trials)-1].header.Counts
	counts.Kept, counts.Dropped = 97, 3
	w.cell.trials[len(w.cell.trials)-1].records[0].Intervals[0].Stage = evidence.CPUWait
	if longest, missing := w.cell.Only(1).LongestWait(); longest == 0 || missing.String() != "3 of 100 samples lack events or were given up, and the one that waited longest may be among them" {
		t.Errorf("3 %% lost: at least %v, %q", longest, missing.String())
	}
	header := w.cell.trials[len(w.cell.trials)-1].header
	counts.Kept, counts.Dropped, header.Looked = 100, 0, &evidence.Looked{In: 40, Of: 100}
	if longest, missing := w.cell.Only(1).LongestWait(); longest == 0 || missing.String() != "requests were looked at in 40 % of the time, and the one that waited longest may be of the rest" {
		t.Errorf("40 %% of the time: at least %v, %q", longest, missing.String())
	}
	counts.Kept, counts.Dropped, header.Looked = 99, 1, nil
	if _, missing := w.cell.Only(1).LongestWait(); !missing.IsZero() {
		t.Errorf("1 %% lost: %q", missing.String())
	}
}
