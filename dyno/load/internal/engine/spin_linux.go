package engine

import (
	"time"

	"golang.org/x/sys/unix"
)

// spinning is a stretch of polls that found nothing, with nothing begun between them. It is
// counted in CPU time of the thread: a loop that another program keeps off its CPU while it
// polls lets more time pass than it uses, and the CPU time of its work would come out too
// low.
type spinning struct {
	on   bool
	done uint64        // what the loop had done by the last poll
	used time.Duration // CPU time of the thread by then
}

// poll begins a poll, of a loop that has done so much by now.
func (s *spinning) poll(spins bool, done uint64) {
	if spins && (!s.on || s.done != done) {
		s.used = threadTime()
	}
	s.on, s.done = spins, done
}

// polled ends it. It returns the CPU time that was spent for nothing.
func (s *spinning) polled(events int) (spun time.Duration) {
	if s.on = s.on && events == 0; !s.on {
		return 0
	}
	used := threadTime()
	spun, s.used = used-s.used, used
	return spun
}

// progress grows with what the loop has taken up or sent.
func (l *eventLoop) progress() uint64 {
	if l.rec == nil {
		return 0
	}
	return l.begun + l.rec.Offered + l.rec.Sent
}

// threadTime is the CPU time of this thread so far, user and system.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
