package collect

import (
	"dyno.example/dyno/evidence"
	"dyno.example/nano/wire/clock"
)

// attend does what is to be done now for the probes to be on for their share of the time. What
// fails leaves them on.
func (k *Collector) attend(now int64) {
	if !k.probes.Attached() {
		return
	}
	switch k.duty.next(now, k.sampler.Settled) {
	case aim:
		k.aim()
	case pause:
		k.duty.end(now)
		if k.probes.Pause(k.duty.due-now) == nil {
			k.inside.wake(false)
		}
	case resume:
		if k.probes.Resume() == nil {
			k.inside.wake(true)
			k.duty.window(clock.Now())
			k.aim()
		}
	}
}

// aim has requests drawn that are due in the current span.
func (k *Collector) aim() {
	s := k.duty.current()
	k.sampler.Only(s.from, s.to)
}

// attended is the place of the span in which the probes were on for all of a request's time; -1 if
// they weren't, which is counted.
func (k *Collector) attended(s *evidence.Sample) int {
	place := k.duty.of(s.Intended)
	if place >= 0 {
		span := &k.duty.spans[place]
		if span.off == 0 || s.Done <= span.off {
			return place
		}
		if span.off > span.to { // it was waited for
			k.header.Counts.Cut++
		}
	}
	k.header.Counts.Unattended++
	return -1
}

// weigh has each record stand for the requests of the time that its span stands for.
func (k *Collector) weigh() {
	for i, place := range k.spanOf {
		k.records[i].Weight *= k.duty.spans[place].weight()
	}
	k.header.Looked = k.duty.looked(k.header.Started)
	k.header.Looked.Slow = int64(k.header.Counts.Tail) - max(k.slow, 0)
}
