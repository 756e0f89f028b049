package explain

import (
	"slices"
	"testing"
	"time"

	"dyno.example/dyno/evidence"
	"dyno.example/internal/i18n"
)

// TestSmallWrites has ordinary requests that wait 40 ms for an acknowledgement, as the slow ones do.
func TestSmallWrites(t *testing.T) {
	for _, c := range []struct {
		reason string
		held   time.Duration
		want   bool
	}{{evidence.Nagle, 40 * time.Millisecond, true}, {"", 40 * time.Millisecond, false}, {evidence.Nagle, 10 * time.Microsecond, false}} {
		w := newWorld(7)
		for i := range 30 {
			w.second(0, i, 1, 20*time.Millisecond, nil)
		}
		w.requests(0, 60, func(int) map[evidence.Stage]time.Duration {
			return map[evidence.Stage]time.Duration{evidence.Disk: 20 * time.Millisecond}
		})
		for i := range w.cell.trials[0].records {
			r := &w.cell.trials[0].records[i]
			at := r.Done - r.Intended
			r.Intervals = append(r.Intervals, evidence.Interval{Stage: evidence.SendQueue, From: at, To: at + int64(c.held), Reason: c.reason})
			r.Done += int64(c.held)
		}
		e := w.cell.Explain()
		if got := slices.ContainsFunc(e.Notes, func(m i18n.Message) bool { return m.ID() == "explain.small-writes" }); got != c.want {
			t.Errorf("%q for %v: said %v, want %v", c.reason, c.held, got, c.want)
		}
		if got := names(e); !slices.Equal(got, []Name{Disk}) {
			t.Errorf("%q for %v: %v, want the disk", c.reason, c.held, got)
		}
	}
}
