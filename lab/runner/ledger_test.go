package runner

import (
	"testing"
	"time"

	"dyno/internal/clock"
	"dyno/lab/load"
	"dyno/lab/probe"
	"dyno/lab/study"
)

// Each window of the load gets the server's side of the same time, also the
// short ones at both ends.
func TestLedgerJoinsBothEnds(t *testing.T) {
	t.Parallel()
	timing := study.Timing{Warmup: 50 * time.Millisecond, Duration: 1100 * time.Millisecond}
	l := newLedger(timing, probe.New(probe.Config{}))
	defer l.close()
	l.begin(clock.Now() + int64(timing.Warmup))
	client := []load.Window{{Index: -1}, {Index: 0}, {Index: 1}, {Index: 2}}
	windows := l.join(t.Context(), client)
	for i, length := range []time.Duration{50 * time.Millisecond, time.Second, 100 * time.Millisecond, 0} {
		w := windows[i]
		if w.Client.Index != client[i].Index {
			t.Errorf("window %d has index %d", i, w.Client.Index)
		}
		if (w.Server.Length > 0) != (length > 0) {
			t.Errorf("window %d: the server's side took %v, the window %v", w.Client.Index, w.Server.Length, length)
		}
	}
}

func TestLedgerOfALoadThatNeverBegan(t *testing.T) {
	l := newLedger(study.Timing{Duration: time.Second}, probe.New(probe.Config{}))
	l.close() // must not wait for a goroutine that there is not
}
