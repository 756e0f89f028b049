package evidence

import (
	"slices"
	"testing"
)

// overloaded are the events of a server that has more requests than it can serve, for so many
// ms: eight connections, each request of which takes 8 ms, 7 of them held by a lock; and the
// sample of one that was due at the beginning and waited in the load until 10 ms before the end.
func overloaded(ms int64) (Sample, []Event) {
	var events []Event
	for c := range int64(8) {
		thread, connection := int32(20+c), uint64(c+1)<<16
		for b := c * 1000; b < ms*1000; b += 8_000 {
			one := []Event{
				at(b, Ready, 0, connection, 1), at(b, Waking, thread, 0, 0), at(b+10, SwitchIn, thread, 0, 0), at(b+20, Received, thread, connection, 80),
				out(b+30, thread, "futex"), at(b+7_030, Waking, thread, 0, 0), at(b+7_040, SwitchIn, thread, 0, 0), at(b+7_900, Sent, thread, connection, 80),
				at(b+7_910, ClientReady, 0, connection, 1), out(b+7_920, thread, "recvfrom"),
			}
			events = append(events, one...)
			for t := int64(100); t < 7_000; t += 500 { // what other threads do
				events = append(events, ofLoader(at(b+t, SwitchIn, 0, 0, 0)), ofLoader(out(b+t+50, 0, "io_uring_enter")))
			}
		}
	}
	slices.SortStableFunc(events, func(a, b Event) int { return int(a.Time - b.Time) })
	last := (ms - 10) / 8 * 8 // the first connection's
	s := requested(last*1e6 + 7_910e3)
	s.Thread, s.Waited, s.Before, s.Sent = loader, true, epoch+(last-8)*1e6, epoch+last*1e6
	return s, events
}

// A request that waited in the load for longer than is looked at waits for what those before it
// wait for, as far as they are looked at.
func TestBehindALot(t *testing.T) {
	s, events := overloaded(3000)
	for name, from := range map[string]int64{"all is looked at": 0, "the last second is": s.Sent - LongestWait} {
		n := slices.IndexFunc(events, func(e Event) bool { return e.Time >= from })
		r := Join(&s, events[n:], Server{})
		if err := r.Check(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := r.Budget()
		if share := float64(got[Lock]) / float64(r.Response()); share < 0.84 || share > 0.9 {
			t.Errorf("%s: the lock has %.2f of it, want 7 of 8: %v", name, share, got)
		}
		if float64(got[Generator]) > 0.05*float64(r.Response()) {
			t.Errorf("%s: the load has %v", name, got)
		}
	}
}

func BenchmarkJoinOverload(b *testing.B) {
	s, events := overloaded(2000)
	b.ReportMetric(float64(len(events)), "events")
	b.ReportAllocs()
	for b.Loop() {
		Join(&s, events, Server{})
	}
}
