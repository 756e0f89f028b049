package runner

import (
	"context"
	"runtime"
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/study"
	"dyno.example/nano/wire/clock"
)

// Each window of the load gets the server's side of the same time, also the
// short ones at both ends.
func TestLedgerJoinsBothEnds(t *testing.T) {
	t.Parallel()
	timing := study.Timing{Warmup: 50 * time.Millisecond, Duration: 1100 * time.Millisecond}
	l := newLedger(timing, probe.New(probe.Config{}))
	defer l.close()
	l.begin(clock.Now() + int64(timing.Warmup))
	client := []measure.Window{{Index: -1}, {Index: 0}, {Index: 1}, {Index: 2}}
	<-l.finished // however late that is
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

// A load that is cut off keeps the server's side of the windows before.
func TestLedgerOfALoadThatWasCutOff(t *testing.T) {
	t.Parallel()
	var windows []archive.Window
	for range 10 { // a machine that stands still may take one snapshot late, or two
		l := newLedger(study.Timing{Duration: time.Hour}, probe.New(probe.Config{}))
		l.begin(clock.Now())
		ctx, cancel := context.WithCancel(t.Context())
		time.Sleep(1500 * time.Millisecond)
		cancel()
		windows = l.join(ctx, []measure.Window{{Index: 0}, {Index: 1}})
		l.close()
		if windows[0].Server.Length > 0 && (windows[0].Server.Machine != nil || runtime.GOOS != "linux") && windows[1].Server.Length == 0 {
			return
		}
	}
	t.Errorf("the server's sides are %v and %v", windows[0].Server, windows[1].Server)
}
