//go:build linux

package simulated

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// running is a system with goroutines, and what they have said.
type running struct {
	*System
	said []string
}

func goroutinesOf(t *testing.T, seed uint64) *running {
	t.Helper()
	s := &running{System: New(seed, 10)}
	s.Latest = time.Microsecond
	s.Goroutines(func(why any, _ []byte) { s.said = append(s.said, "panic") })
	return s
}

func (s *running) all(t *testing.T, want ...string) {
	t.Helper()
	for s.Next(1 << 62) {
	}
	if !slices.Equal(s.said, want) {
		t.Errorf("said %q, not %q", s.said, want)
	}
}

// Goroutines that sleep go on in the order of time, one after the other.
func TestGoroutinesSleep(t *testing.T) {
	s := goroutinesOf(t, 1)
	for _, g := range []struct {
		name string
		d    time.Duration
	}{{"c", 3 * time.Hour}, {"a", time.Hour}, {"b", 2 * time.Hour}} {
		s.Go(func() {
			for range 2 {
				s.Sleep(g.d)
				s.said = append(s.said, g.name)
			}
		})
	}
	if s.Left() != 3 {
		t.Errorf("%d goroutines, not 3", s.Left())
	}
	s.all(t, "a", "b", "a", "c", "b", "c")
	if s.Left() != 0 {
		t.Errorf("%d goroutines are left", s.Left())
	}
}

// What waits when nobody is interested any more ends, whatever it does on its way; what hasn't
// begun never does.
func TestGoroutinesAreEnded(t *testing.T) {
	before := runtime.NumGoroutine()
	s := goroutinesOf(t, 1)
	for range 10 {
		s.Go(func() {
			defer func() {
				s.said = append(s.said, "ends")
				s.Sleep(time.Hour)
				s.said = append(s.said, "sleeps")
			}()
			s.Await(make(chan struct{}), 0)
			s.said = append(s.said, "goes on")
		})
	}
	for range 10 {
		s.Next(1 << 62)
	}
	s.Go(func() { s.said = append(s.said, "begins") })
	s.End()
	if want := slices.Repeat([]string{"ends"}, 10); !slices.Equal(s.said, want) || s.Left() != 1 {
		t.Errorf("said %q, and %d are left", s.said, s.Left())
	}
	for runtime.NumGoroutine() > before { // they end for good after that
		runtime.Gosched()
	}
}

// Who waits for a channel goes on when that says something, was closed, or the time is over.
func TestGoroutinesAwait(t *testing.T) {
	s := goroutinesOf(t, 1)
	ready, over := make(chan struct{}, 1), make(chan struct{})
	ask := func(name string, ch <-chan struct{}, d time.Duration) {
		if s.Await(ch, d) {
			s.said = append(s.said, name)
		} else {
			s.said = append(s.said, name+" late")
		}
	}
	s.Go(func() {
		ask("first", ready, 0)
		ask("second", ready, time.Minute)
		ask("third", over, time.Hour)
		ask("fourth", over, 0)
	})
	s.Go(func() {
		s.Sleep(time.Hour)
		ready <- struct{}{}
		s.Sleep(30 * time.Minute)
		close(over)
	})
	s.all(t, "first", "second late", "third", "fourth")
}

// A goroutine that exits or panics gives its turn back.
func TestGoroutinesEnd(t *testing.T) {
	s := goroutinesOf(t, 1)
	s.Go(func() { s.Sleep(1); runtime.Goexit() })
	s.Go(func() { s.Sleep(time.Second); panic("mistake") })
	s.Go(func() { s.Sleep(time.Minute); s.said = append(s.said, "the last") })
	s.all(t, "panic", "the last")
	if s.Left() != 0 {
		t.Errorf("%d goroutines are left", s.Left())
	}
}

// Who isn't one of them can't wait: nobody would let time pass.
func TestOnlyGoroutinesWait(t *testing.T) {
	s := goroutinesOf(t, 1)
	defer func() {
		if recover() == nil {
			t.Error("the test could sleep")
		}
	}()
	s.Sleep(1)
}

// A poller has its goroutine wait until there is something to do, or the time is over.
func TestGoroutineOfPoller(t *testing.T) {
	s := goroutinesOf(t, 1)
	e, err := s.Event()
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.NewPoller(8, func() bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Add(e, 7); err != nil {
		t.Fatal(err)
	}
	s.Go(func() {
		until := s.Wall().Add(time.Hour)
		for range 4 {
			events, err := p.Park(until)
			if err != nil {
				t.Error(err)
			}
			for i := range events {
				s.said = append(s.said, names(&events[i]))
			}
			if len(events) == 0 {
				s.said = append(s.said, s.Wall().Sub(until).Round(time.Minute).String())
			}
		}
	})
	s.Go(func() {
		s.Sleep(10 * time.Minute)
		_ = s.Raise(e)
		s.Sleep(10 * time.Minute)
		p.Wake()
	})
	s.all(t, "[out]", "[in out]", "-40m0s", "0s")
}
