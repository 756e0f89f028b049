package loop

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/nano/wire/reactor"
)

// plain is a loop that serves nobody.
type plain struct {
	Core[*plain]
	wheel   *reactor.Wheel
	stopped bool
	heard   []int
}

func newPlain(t *testing.T) *plain {
	t.Helper()
	l := &plain{}
	if err := l.Begin(l, Kernel{}, 16); err != nil {
		t.Fatal(err)
	}
	l.wheel = reactor.NewWheel(l.Tick())
	t.Cleanup(l.Poller.Close)
	return l
}

func (l *plain) run(t *testing.T) {
	for !l.stopped {
		if _, err := l.Poll(false, l.wheel.Next); err != nil {
			t.Error(err)
			break
		}
		l.wheel.Expire(l.Tick(), func(int32) { l.stopped = true })
		l.OpenMail()
	}
	l.End()
}

// Whatever many goroutines post is opened once, by the loop's goroutine, each one's in
// the order in which it was posted; a loop that waits is woken for it.
func TestMailOfMany(t *testing.T) {
	const posters, each = 8, 500
	l := newPlain(t)
	ended := make(chan struct{})
	go func() { l.run(t); close(ended) }()
	var posting sync.WaitGroup
	for p := range posters {
		posting.Go(func() {
			for n := range each {
				l.Call(func(l *plain) { l.heard = append(l.heard, p*each+n) })
				if n%100 == 0 {
					time.Sleep(time.Millisecond) // so that the loop parks now and then
				}
			}
		})
	}
	posting.Wait()
	l.Call(func(l *plain) { l.stopped = true })
	<-ended
	next := [posters]int{}
	for _, m := range l.heard {
		if p := m / each; m%each != next[p] {
			t.Fatalf("of poster %d message %d came when %d was due", p, m%each, next[p])
		}
		next[m/each]++
	}
	if len(l.heard) != posters*each {
		t.Errorf("%d messages came, of %d", len(l.heard), posters*each)
	}
}

// What is handed to a loop that has ended is opened by who hands it: it may hold a socket.
func TestHandAfterTheEnd(t *testing.T) {
	l := newPlain(t)
	l.End()
	opened := 0
	l.Hand(&Message[*plain]{Open: func(l *plain) {
		if !l.Over() {
			t.Error("the loop has not ended")
		}
		opened++
	}})
	if l.Call(func(*plain) { t.Error("a loop that has ended does what was posted") }); opened != 1 {
		t.Errorf("opened %d times", opened)
	}
}

// A message may be posted again while it is opened.
func TestPostWhileOpening(t *testing.T) {
	l := newPlain(t)
	opened := 0
	var m Message[*plain]
	m.Open = func(l *plain) {
		if opened++; opened < 3 {
			l.Post(&m)
		}
	}
	l.Post(&m)
	for range 5 {
		l.OpenMail()
	}
	if opened != 3 {
		t.Errorf("opened %d times, want 3", opened)
	}
}

// A loop wakes for its deadlines without an event, whether it keeps its processor while it
// waits or not.
func TestPollUntilDue(t *testing.T) {
	for _, tt := range []struct {
		name  string
		parks bool
	}{{"brisk", false}, {"parked", true}} {
		t.Run(tt.name, func(t *testing.T) {
			l := newPlain(t)
			l.Elsewhere = new(atomic.Int64)
			if tt.parks {
				l.Elsewhere.Store(1)
				l.gap = 8 * brisk
			}
			l.wheel.Set(0, l.Tick()+int64(20*time.Millisecond))
			l.run(t)
			if _, due := l.wheel.Next(); due {
				t.Error("the deadline is still there")
			}
		})
	}
}

// Waiting doesn't allocate.
func TestPollAllocatesNothing(t *testing.T) {
	l := newPlain(t)
	l.wheel.Set(0, l.Tick()+int64(time.Hour))
	if n := testing.AllocsPerRun(100, func() {
		if _, err := l.Poll(true, l.wheel.Next); err != nil {
			t.Error(err)
		}
		l.Tick()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	m := Message[*plain]{Open: func(*plain) {}}
	if n := testing.AllocsPerRun(100, func() {
		l.Post(&m)
		l.OpenMail()
	}); n != 0 {
		t.Errorf("%v allocations for a message", n)
	}
}

// A loop that drains wakes when its grace is over, and again after that, without events or
// deadlines; it isn't at its end while somebody is on the way to it.
func TestDrain(t *testing.T) {
	l := newPlain(t)
	now := l.Tick()
	if !l.Drain(now) || l.Drain(now) || !l.Draining() || l.GraceOver(now) {
		t.Error("draining begins other than once, or without a grace")
	}
	for range 3 {
		before := now
		for ok := false; !ok; ok = l.GraceOver(now) {
			if _, err := l.Poll(false, l.wheel.Next); err != nil {
				t.Fatal(err)
			}
			now = l.Tick()
		}
		if now-before < int64(Grace)/10 {
			t.Errorf("idle connections are let go after %v", time.Duration(now-before))
		}
	}
	l.Assigned.Add(1)
	if !l.Expecting() {
		t.Error("a connection on its way isn't expected")
	}
	l.Assigned.Add(-1)
	if l.Expecting() {
		t.Error("somebody is expected")
	}
	if l.Call(func(*plain) {}); !l.Expecting() {
		t.Error("a message isn't expected")
	}
}

// What many hand to a loop that has ended is opened by one at a time, what messages hand to it too.
func TestManyHandAfterTheEnd(t *testing.T) {
	const hands, each = 8, 500
	l := newPlain(t)
	var handing sync.WaitGroup
	for range hands {
		handing.Go(func() {
			for range each {
				l.Hand(&Message[*plain]{Open: func(l *plain) {
					l.heard = append(l.heard, 1)
					l.Hand(&Message[*plain]{Open: func(l *plain) { l.heard = append(l.heard, 2) }})
				}})
			}
		})
	}
	l.End()
	handing.Wait()
	if l.HasMail() || len(l.heard) != 2*hands*each {
		t.Errorf("%d messages were opened, of %d; some are left: %t", len(l.heard), 2*hands*each, l.HasMail())
	}
}
