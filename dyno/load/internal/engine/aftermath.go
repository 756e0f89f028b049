package engine

import (
	"math"
	"time"

	"dyno.example/dyno/load/measure"
)

// aftermath is what a recorder knows of the stalls of its loop, and of the time after
// each until the backlog is gone. A request that was due before that, and was sent
// after the stall began, was held up by the generator: its times say nothing about the
// server.
//
// A request that was sent before the stall and whose response came after its aftermath
// is not held up: the loop was back when the response came.
type aftermath struct {
	lasting time.Duration // the longest stall whose aftermath lasts; 0: none does
	from    int64         // when the first of them began
	level   float64       // requests in flight before it
	turns   int           // polls after which all events of the stall have been seen
	settle  int           // how many turns that takes
	usual   float64       // mean in flight of the window before
	touched int64         // requests due before it may belong to one of the episodes
	past    [8]episode
	noted   int64 // until when times away are in Away

	usedAt int64         // when the loop's CPU time was last read …
	used   time.Duration // … and what it was
	alone  bool          // that CPU time is of one thread
}

// episode is a stall with its aftermath.
type episode struct {
	stall       time.Duration
	from, until int64
}

// watch readies r for stalls: settle is in how many turns a loop sees all that has
// come, alone says that the CPU time is that of one thread.
func (r *Recorder) watch(settle int, alone bool) { r.settle, r.alone = settle, alone }

// away notes that the loop should have been polling from instant from and came
// back only at to.
func (r *Recorder) away(from, to int64) {
	stall := time.Duration(to - from)
	quiet := r.Stall < measure.StallSuspect // what is in the window is as it is without stalls
	r.Stall = max(r.Stall, stall)
	r.noteBusy(stall, to)
	if stall < measure.StallSuspect {
		return // too short for a finding, and so for its aftermath
	}
	r.Away += max(time.Duration(to-max(from, r.noted)), 0)
	r.noted = max(r.noted, to)
	if r.lasting == 0 {
		r.from, r.level = from, max(float64(r.inFlight), r.usual)
		if quiet && to > r.Start {
			r.level = max(r.level, r.meanInFlight(to))
		}
		r.level = math.Ceil(r.level)
	}
	r.lasting = max(r.lasting, stall)
	r.from = min(r.from, from)
	r.turns = r.settle
}

// meanInFlight is the mean number in flight in the window up to an instant.
func (r *Recorder) meanInFlight(at int64) float64 {
	return (r.Pending + float64(r.inFlight)*float64(at-r.since)) / float64(at-r.Start)
}

// noteBusy finds out how much of a stall the loop spent at work: no more than the
// time without CPU can it have been off it.
func (r *Recorder) noteBusy(stall time.Duration, now int64) {
	if !r.alone || stall < measure.StallSuspect || now-int64(stall) < r.usedAt {
		return // a part of it has been looked at already
	}
	user, sys := r.usage()
	idle := time.Duration(now-r.usedAt) - (user + sys - r.used)
	r.Busy = max(r.Busy, min(stall, stall-idle))
	r.usedAt, r.used = now, user+sys
}

// recover is called after each poll while an aftermath lasts. It is over when the loop
// is up with its schedule, has seen what had come meanwhile, and has no more in flight
// than before the stall.
func (r *Recorder) recover(now int64, upToDate bool) {
	r.Stall = max(r.Stall, r.lasting)
	r.turns--
	if r.turns >= 0 || !upToDate || float64(r.inFlight) > r.level {
		return
	}
	r.remember(episode{r.lasting, r.from, now})
	r.touched, r.lasting = now, 0
}

// remember keeps an episode in the place of the least one.
func (r *Recorder) remember(e episode) {
	least := 0
	for i := range r.past {
		if r.past[i].stall < r.past[least].stall {
			least = i
		}
	}
	r.past[least] = e
}

// markHeldUp marks the window if a request that completes in it was held up.
func (r *Recorder) markHeldUp(intended, sent int64) {
	for i := range r.past {
		if e := &r.past[i]; intended < e.until && sent >= e.from {
			r.Stall = max(r.Stall, e.stall)
		}
	}
}
