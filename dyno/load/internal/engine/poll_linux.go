package engine

import (
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/nano/wire/clock"
)

// slumber lets pass what is left of the tick since the loop last looked: with
// timers, what happens within a tick is dealt with together. It returns how long
// that should have taken.
func (l *eventLoop) slumber() (left time.Duration) {
	if left = time.Duration(l.looked + int64(timerTick) - l.now); left <= 0 || l.now+int64(left) >= l.end {
		left = 0
	} else if l.broken = l.backend.pause(left); l.broken != nil {
		return left
	} else {
		l.now = clock.Now()
	}
	l.looked = l.now
	return left
}

// spins is what of a wait for the schedule is spent polling.
func spins(sh *Share) time.Duration {
	switch {
	case sh.Profile.Mode == profile.Closed && sh.Profile.Think.Mean == 0, sh.Pacing == profile.TimerPacing:
		return 0
	case sh.Pacing == profile.SpinPacing:
		return maxWait
	}
	return spinBelow
}

// poll waits at most d for events and handles them. Waits too short for a timer
// to be exact are spent polling.
func (l *eventLoop) poll(d time.Duration) {
	if l.mux != nil {
		l.mux.turn()
	}
	if l.tunnel != nil {
		l.tunnel.turn()
	}
	waits := int64(0) // what this should take
	if l.coalesce {
		before := l.now
		waits = int64(l.slumber())
		d -= time.Duration(l.now - before)
	}
	d = max(min(d, maxWait)-l.spinBelow, 0)
	l.spin.poll(l.rec != nil && d == 0 && l.spinBelow > 0, l.progress())
	events, err := l.backend.wait(d)
	l.turn++
	if err != nil {
		l.broken = err
		return
	}
	l.now = clock.Now()
	if l.rec != nil {
		// Counted from when the loop had last done with what it saw, not from when
		// it began to wait: it may have been stopped while it was sending.
		waits += int64(d) + int64(l.work)*int64(perEvent)
		l.noteStall(l.back, l.back+waits, l.now)
		l.rec.Spun += l.spin.polled(events)
		if l.now >= l.rec.end {
			l.countResent(lossesAWindow)
		}
		l.turnWindows()
		if l.now >= l.end {
			l.stopSending()
		}
	}
	l.woke, l.events = l.now, events
	l.backend.handle()
	woke := l.woke
	l.woke, l.now = 0, clock.Now()
	if l.mux != nil {
		events += l.mux.worth()
		l.mux.counted()
	}
	if l.tunnel != nil {
		events += l.tunnel.worth()
	}
	l.back, l.work = l.now, 0
	if l.rec != nil {
		l.noteStall(woke, woke+int64(events)*int64(perEvent), l.now)
		if l.rec.lasting > 0 {
			l.rec.recover(l.now, l.upToDate())
		}
	}
}

// upToDate reports whether all is taken up that is due.
func (l *eventLoop) upToDate() bool {
	switch {
	case !l.sending:
		return true
	case l.Profile.Mode == profile.Open:
		return l.next > l.now
	}
	return l.thinkers.users.Len() == 0 || l.thinkers.users.First().At > l.now
}

// noteStall records that the loop was back at an instant later than expected. A
// long stall may have begun any time since the loop was last seen.
func (l *eventLoop) noteStall(seen, expected, now int64) {
	switch late := now - expected; {
	case late >= int64(measure.StallSuspect):
		l.rec.away(seen, now)
	case late > int64(stallFloor):
		l.rec.away(expected, now)
	}
}
