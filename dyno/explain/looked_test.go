package explain

import (
	"slices"
	"testing"
	"time"

	"dyno.example/dyno/evidence"
	"dyno.example/internal/i18n"
)

// TestLooked: the part of the time in which requests were looked at is told where it isn't all, and so
// is what took too long to be.
func TestLooked(t *testing.T) {
	for _, c := range []struct {
		name       string
		looked     *evidence.Looked
		cut        uint64
		share      float64
		says, lost bool
		missed     bool
	}{
		{"an older file", nil, 0, 1, false, false, false},
		{"all of it", &evidence.Looked{In: 10e9, Of: 10e9, Windows: 1, Slow: 5000}, 0, 1, false, false, false},
		{"a tenth", &evidence.Looked{In: 1e9, Of: 10e9, Windows: 10, Slow: 50}, 0, 0.1, true, false, false},
		{"a tenth, and long ones are missing", &evidence.Looked{In: 1e9, Of: 10e9, Windows: 10}, 9, 0.1, true, true, false},
		{"a tenth, and most slow ones came at once outside of it", &evidence.Looked{In: 1e9, Of: 10e9, Windows: 10, Slow: 5000}, 0, 0.1, true, false, true},
	} {
		w := newWorld(3)
		w.requests(0, 40, func(int) map[evidence.Stage]time.Duration {
			return map[evidence.Stage]time.Duration{evidence.DNS: 200 * time.Millisecond}
		})
		one := &w.cell.trials[0]
		one.header.Looked, one.header.Counts.Cut, one.header.Counts.Kept = c.looked, c.cut, uint64(len(one.records))
		e := Records(one.header, one.records)
		has := func(id string) bool {
			return slices.ContainsFunc(e.Notes, func(m i18n.Message) bool { return m.ID() == id })
		}
		if e.Sampled.Share != c.share || has("explain.share") != c.says || has("explain.cut-off") != c.lost || has("explain.missed") != c.missed {
			t.Errorf("%s: share %v, %v", c.name, e.Sampled.Share, e.Notes)
		}
	}
}
