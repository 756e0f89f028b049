package calibrate

import (
	"runtime"
	"slices"
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/nano/wire/clock"
)

// Pacing is a way to wait for the next arrival.
type Pacing string

const (
	Hybrid Pacing = "timer, then polling" // what the event loops do
	Timer  Pacing = "timer alone"
	Sleep  Pacing = "Go's timer" // what the portable engine does
)

// pacings are all there are.
var pacings = []Pacing{Hybrid, Timer, Sleep}

// pacingOf is how an engine waits that was asked to do so in a way. To poll all
// the time is no better than to do so at the end.
func pacingOf(engine string, asked profile.Pacing) Pacing {
	switch {
	case engine == "portable":
		return Sleep
	case asked == profile.TimerPacing:
		return Timer
	}
	return Hybrid
}

const (
	wakeUps   = 200
	wakeEvery = 400 * time.Microsecond
	pollBelow = 80 * time.Microsecond // as the event loops
)

// timerError measures how late so many wake-ups are, on a CPU if it is not
// negative.
func timerError(pacing Pacing, cpu, count int) (measure.Times, error) {
	late := make([]time.Duration, 0, count)
	err := onThread(cpu, func() error {
		wait, closeWait, err := waiter(pacing)
		if err != nil {
			return err
		}
		defer closeWait()
		for due := clock.Now() + int64(wakeEvery); len(late) < count; due = clock.Now() + int64(wakeEvery) {
			wait(due)
			late = append(late, time.Duration(clock.Now()-due))
		}
		return nil
	})
	return timesOf(late), err
}

// hiccups looks at the clock for so long and notes when it could not.
func hiccups(cpu int, over time.Duration) (measure.Hiccups, error) {
	h := measure.Hiccups{Over: over}
	err := onThread(cpu, func() error {
		const hiccup = 10_000 // ns: shorter ones are interrupts
		taken, now := int64(0), clock.Now()
		for end := now + int64(over); now < end; {
			before := now
			if now = clock.Now(); now-before >= hiccup {
				taken += now - before
				h.Longest = max(h.Longest, time.Duration(now-before))
			}
		}
		h.Taken = float64(taken) / float64(over)
		return nil
	})
	return h, err
}

// onThread runs f on a thread of its own, which ends with it: what is set for
// the thread is set for nobody else.
func onThread(cpu int, f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		var err error
		if cpu >= 0 {
			err = pin(cpu)
		}
		if err == nil {
			err = f()
		}
		done <- err
	}()
	return <-done
}

// timesOf sums up durations, and sorts them.
func timesOf(d []time.Duration) measure.Times {
	if len(d) == 0 {
		return measure.Times{}
	}
	slices.Sort(d)
	return measure.Times{Min: d[0], P50: d[len(d)/2], P99: d[len(d)*99/100], Max: d[len(d)-1]}
}
