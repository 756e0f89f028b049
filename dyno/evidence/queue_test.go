package evidence

import (
	"runtime"
	"slices"
	"testing"
)

// Bytes that are there for 50 ms before they are read, or never are: who was to read them?
func TestUnread(t *testing.T) {
	if numbers[runtime.GOARCH] == nil {
		t.Skip("no system calls of " + runtime.GOARCH)
	}
	idle := []Event{out(-100, loop, "epoll_wait"), at(10, Ready, 0, us, 1)}
	readThen := []Event{
		at(50_000, Waking, loop, 0, 0), at(50_000, SwitchIn, loop, 0, 0), ofRoutine(at(50_010, Received, loop, us, 80)),
		at(99_900, Sent, loop, us, 200), at(99_990, ClientReady, 0, us, 1),
	}
	looks := func(reason string) (list []Event) {
		for k := int64(-5); k <= 60_000; k += 5000 {
			if k < 49_000 {
				list = append(list, parked(k, reason))
			}
		}
		return list
	}
	busy := []Event{at(-200, Received, loop, them, 80), at(-150, Sent, loop, them, 80)}
	for _, tt := range []struct {
		name   string
		events []Event
		about  Server
		failed bool
		want   Stage
		reason string
	}{
		{"its goroutine sleeps", slices.Concat(idle, readThen, looks("sleep")), Server{Pooled: true}, false, Unread, "sleep"},
		{"its goroutine waits for a channel", slices.Concat(idle, readThen, looks("chan receive")), Server{Pooled: true}, false, Unread, "chan receive"},
		{"its goroutine waits for a lock", slices.Concat(idle, readThen, looks("sync.Mutex.Lock")), Server{Pooled: true}, false, Lock, "sync.Mutex.Lock"},
		{"its goroutine could run", slices.Concat(idle, readThen, looks(Runnable)), Server{Pooled: true}, false, Scheduler, "epoll_wait"},
		{"its goroutine waits for the bytes", slices.Concat(idle, readThen), Server{Pooled: true}, false, Scheduler, "epoll_wait"},
		{"its thread sleeps and serves nobody", slices.Concat(busy, []Event{out(-100, loop, "nanosleep"), at(10, Ready, 0, us, 1)}, readThen), Server{}, false, Unread, "nanosleep"},
		{"its thread sleeps in another's service", slices.Concat(busy[:1], []Event{out(-100, loop, "nanosleep"), at(10, Ready, 0, us, 1)}, readThen), Server{}, false, LoopQueue, "sleep"},
		{"nobody of many reads it", slices.Concat(busy, idle), Server{Pooled: true}, true, Unread, "nobody read"},
		{"nobody is known", []Event{at(10, Ready, 0, us, 1)}, Server{}, true, Unread, "nobody is known to read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := requested(100e6)
			s.Failed = tt.failed
			slices.SortStableFunc(tt.events, func(a, b Event) int { return int(a.Time - b.Time) })
			r := Join(&s, tt.events, tt.about)
			if err := r.Check(); err != nil {
				t.Fatal(err)
			}
			took := int64(0)
			for _, v := range r.Intervals {
				if v.Stage == tt.want && v.Reason == tt.reason {
					took += v.To - v.From
				}
			}
			if took < 45e6 {
				t.Errorf("%s (%s) has %d ns\n%+v", tt.want, tt.reason, took, r.Intervals)
			}
		})
	}
}
