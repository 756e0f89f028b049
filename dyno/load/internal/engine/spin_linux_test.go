package engine

import (
	"runtime"
	"testing"
	"time"
)

// A loop that is kept off its CPU while it polls lets time pass that it does not use.
func TestSpinningIsCPUTime(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var s spinning
	before := threadTime()
	spun := time.Duration(0)
	for range 50 {
		s.poll(true, 0)
		time.Sleep(2 * time.Millisecond) // as off the CPU
		spun += s.polled(0)
	}
	if used := threadTime() - before; spun < 0 || spun > used {
		t.Errorf("polling took %v of the %v that the thread used", spun, used)
	}
	if spun >= 100*time.Millisecond {
		t.Errorf("%v were spent polling by a thread that slept for the 100ms", spun)
	}
}

// What a loop does between its polls, or with what they find, is no polling.
func TestWorkIsNoSpinning(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	work := func() {
		for from := threadTime(); threadTime() < from+5*time.Millisecond; {
		}
	}
	var s spinning
	s.poll(true, 1)
	s.polled(0)
	work() // which began a request
	s.poll(true, 2)
	spun := s.polled(0)
	s.poll(true, 2)
	work()
	spun += s.polled(1)
	s.poll(false, 2)
	work()
	spun += s.polled(0)
	if spun >= 5*time.Millisecond {
		t.Errorf("%v of polling", spun)
	}
}

func TestSpinningDoesNotAllocate(t *testing.T) {
	var s spinning
	if n := testing.AllocsPerRun(100, func() {
		s.poll(true, 0)
		s.polled(0)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
