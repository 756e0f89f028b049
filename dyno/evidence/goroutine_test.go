package evidence

import (
	"reflect"
	"runtime"
	"slices"
	"testing"
)

const routine = 0xc000_1234_5678

// parked is a look at a goroutine, 5 ms after the one before.
func parked(t int64, reason string) Event {
	e := at(t, Parked, 0, routine, 0)
	e.Process, e.B = 10, 5e6
	e.Text, _ = ParkedText(reason)
	return e
}

func collecting(t int64) Event {
	e := at(t, Collecting, 0, 0, 0)
	e.Process, e.B = 10, 5e6
	return e
}

// ofRoutine is a read by the goroutine.
func ofRoutine(e Event) Event {
	for i, shift := range []int{0, 8, 16, 24, 32, 40} {
		e.Text[i] = byte(uint64(routine) >> shift)
	}
	return e
}

func ticks(a uint32, call string, thread int32, times ...int64) (list []Event) {
	for _, t := range times {
		e := out(t, thread, call)
		e.Kind, e.A = Tick, a
		list = append(list, e)
	}
	return list
}

// A request of 100 ms that a Go program's thread reads and then lets go of.
func TestJoinOfGoroutines(t *testing.T) {
	if numbers[runtime.GOARCH] == nil {
		t.Skip("no system calls of " + runtime.GOARCH)
	}
	letGo := func(between ...Event) []Event {
		list := []Event{
			out(-100, loop, "epoll_wait"), at(10, Ready, 0, us, 1), at(15, Waking, loop, 0, 0), at(20, SwitchIn, loop, 0, 0),
			ofRoutine(at(25, Received, loop, us, 80)), out(100, loop, "epoll_wait"),
			at(90_000, Waking, loop, 0, 0), at(90_100, SwitchIn, loop, 0, 0), at(99_900, Sent, loop, us, 200), at(100_000, ClientReady, 0, us, 1),
		}
		return append(list, between...)
	}
	runs := func(between ...Event) []Event {
		list := []Event{
			out(-100, loop, "epoll_wait"), at(10, Ready, 0, us, 1), at(10, Waking, loop, 0, 0), at(10, SwitchIn, loop, 0, 0),
			at(10, Received, loop, us, 80), at(99_900, Sent, loop, us, 200), at(100_000, ClientReady, 0, us, 1),
		}
		return append(list, between...)
	}
	unread := func(between ...Event) []Event {
		list := []Event{
			at(-100, SwitchIn, loop, 0, 0), at(10, Ready, 0, us, 1), at(90_010, Received, loop, us, 80), at(99_900, Sent, loop, us, 200), at(100_000, ClientReady, 0, us, 1),
		}
		return append(list, between...)
	}
	for _, tt := range []struct {
		name   string
		events []Event
		pooled bool
		stage  Stage
		reason string
		took   int64 // µs
	}{
		{"mutex", letGo(parked(40_000, "sync.Mutex.Lock"), parked(45_000, "sync.Mutex.Lock"), parked(85_000, "sync.Mutex.Lock")), true, Lock, "sync.Mutex.Lock", 89_900},
		{"read lock", letGo(parked(40_000, "sync.RWMutex.RLock")), true, Lock, "sync.RWMutex.RLock", 89_900},
		{"sleep", letGo(parked(40_000, "sleep")), true, Sleep, "sleep", 89_900},
		{"channel", letGo(parked(40_000, "chan receive")), true, Blocked, "chan receive", 89_900},
		{"assists the collector", letGo(parked(40_000, "GC assist marking")), true, Collect, "GC assist marking", 89_900},
		{"before and after only", letGo(parked(-6_000, "sync.Mutex.Lock"), parked(96_000, "sync.Mutex.Lock")), true, Poll, "epoll_wait", 89_900},
		{"of another", letGo(func() Event { e := parked(40_000, "sync.Mutex.Lock"); e.Subject++; return e }()), true, Poll, "epoll_wait", 89_900},
		{"of another process", letGo(func() Event { e := parked(40_000, "sync.Mutex.Lock"); e.Process++; return e }()), true, Poll, "epoll_wait", 89_900},
		{"waits for a turn", unread(), true, Scheduler, "", 90_000},
		{"waits for the loop", unread(), false, LoopQueue, "", 90_000},
		{"collects", unread(collecting(30_000), collecting(35_000), collecting(40_000)), true, Collect, "scheduler", 15_000},
		{"faults", runs(ticks(tickFault, "", loop, 20_000, 21_000, 22_000)...), false, PageFault, "", 6_000},
		{"unmaps", runs(ticks(tickKernel, "munmap", loop, 20_000, 21_000)...), false, PageFault, "munmap", 5_000},
		{"the disk's calls", runs(ticks(tickKernel, "fsync", loop, 20_000)...), false, Disk, "fsync", 4_000},
		{"interrupts", runs(ticks(tickInterrupt, "write", loop, 20_000)...), false, Interrupt, "", 4_000},
		{"its own code", runs(ticks(tickUser, "write", loop, 20_000)...), false, OnCPU, "", 99_890},
		{"another thread's ticks", runs(ticks(tickFault, "", pool, 20_000)...), false, OnCPU, "", 99_890},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := requested(100e6)
			slices.SortStableFunc(tt.events, func(a, b Event) int { return int(a.Time - b.Time) })
			r := Join(&s, tt.events, Server{Pooled: tt.pooled})
			if err := r.Check(); err != nil {
				t.Fatal(err)
			}
			var took int64
			for _, v := range r.Intervals {
				if v.Stage == tt.stage && v.Reason == tt.reason {
					took += v.To - v.From
				}
			}
			if took != tt.took*1000 {
				t.Errorf("%s (%s) takes %d ns, want %d; %+v", tt.stage, tt.reason, took, tt.took*1000, r.Intervals)
			}
		})
	}
}

// What a Go program's own loop does is its loop's, though goroutines go from thread to thread.
func TestJoinOfALoopOfGoroutines(t *testing.T) {
	events := []Event{
		at(-100, SwitchIn, loop, 0, 0), at(10, Ready, 0, us, 1), ofRoutine(at(90_010, Received, loop, us, 80)), at(99_900, Sent, loop, us, 200), at(100_000, ClientReady, 0, us, 1),
	}
	s := requested(100e6)
	for stage, loops := range map[Stage]map[uint64]bool{LoopQueue: {routine: true}, Scheduler: {routine + 1: true}} {
		r := Join(&s, events, Server{Pooled: true, Loops: loops})
		if got := r.Budget()[stage]; got != 90e6 {
			t.Errorf("%s takes %d ns; %+v", stage, got, r.Intervals)
		}
	}
}

// A request that a loop has read and put aside, until a timer say, waits for that and not for the loop,
// which sleeps and now and then serves others.
func TestJoinOfARequestPutAside(t *testing.T) {
	if numbers[runtime.GOARCH] == nil {
		t.Skip("no system calls of " + runtime.GOARCH)
	}
	for _, call := range []string{"epoll_wait", "futex"} {
		events := []Event{
			out(-100, loop, "epoll_wait"), at(10, Ready, 0, us, 1), at(10, Waking, loop, 0, 0), at(10, SwitchIn, loop, 0, 0),
			ofRoutine(at(10, Received, loop, us, 80)), out(1000, loop, call),
			at(30_000, Waking, loop, 0, 0), at(30_000, SwitchIn, loop, 0, 0), ofRoutine(at(30_000, Received, loop, them, 80)), at(30_500, Sent, loop, them, 200), out(31_000, loop, call),
			at(90_000, Waking, loop, 0, 0), at(90_000, SwitchIn, loop, 0, 0), at(99_900, Sent, loop, us, 200), at(100_000, ClientReady, 0, us, 1),
		}
		s := requested(100e6)
		r := Join(&s, events, Server{Pooled: true, Loops: map[uint64]bool{routine: true}})
		for stage, want := range map[Stage]int64{Poll: 88e6, Scheduler: 0, Lock: 0} {
			if got := r.Budget()[stage]; got != want {
				t.Errorf("%s: %s takes %d ns, want %d; %+v", call, stage, got, want, r.Intervals)
			}
		}
		other := Join(&s, events, Server{Pooled: true, Loops: map[uint64]bool{routine + 1: true}})
		if got := other.Budget()[Scheduler]; got < 59e6 {
			t.Errorf("%s: of a goroutine that is no loop scheduler is %d ns; %+v", call, got, other.Intervals)
		}
	}
}

// Whoever knows a reason by its cut text gets its whole name, and no other is known.
func TestParkedText(t *testing.T) {
	for text, why := range parkedFor {
		got, known := ParkedText(why.full)
		e := Event{Text: got}
		if !known || e.comm() != text {
			t.Errorf("%q: %q, known %v", why.full, e.comm(), known)
		}
	}
	if _, known := ParkedText("IO wait"); known {
		t.Error("waiting for a socket is known")
	}
}

// A goroutine's address comes through as the programs write it.
func TestGoroutine(t *testing.T) {
	e := ofRoutine(Event{})
	if got := Goroutine(&e); !reflect.DeepEqual(got, uint64(routine)) {
		t.Errorf("%#x", got)
	}
}
