package profile

import (
	"fmt"
	"math"
	"sort"
	"time"
)

// Timetable is what a profile plans: a pure function of it, known before the
// load. Times count from the start of the measured time; the warm-up, at
// negative times, holds the rate at which the first phase begins, or the mean of
// a phase that begins with a rise from nothing or is a trace.
type Timetable struct {
	segments []segment
	stages   []Stage
	warmup   int64
}

// Stage is a part of a load that is worth a line of its own: one step of a phase
// of steps, before, at and after the peak of a spike, the rise of a soak, and
// otherwise a phase.
type Stage struct {
	Phase    int           // from 0
	Name     string        // such as "ramp 100..5000" or "steps 200"
	From, To time.Duration // from the start of the measured time
	Planned  float64       // arrivals
}

// Timetable returns what an open profile plans after a warm-up. A profile with a
// Rate is one stage without an end; a closed one plans nothing.
func (p *Profile) Timetable(warmup time.Duration) *Timetable {
	b := timetableBuilder{profile: p}
	b.warmup = int64(warmup)
	switch {
	case len(p.Phases) > 0:
		if warmup > 0 {
			b.warmUp(&p.Phases[0])
		}
		for i := range p.Phases {
			b.phase = i
			b.add(&p.Phases[i])
		}
	case p.Rate > 0:
		b.poisson = p.Arrivals != Uniform
		b.segment(segment{form: flat, rate: p.Rate / 1e9}, math.MaxInt64)
		b.stages = []Stage{{Name: "constant " + plain(p.Rate), To: math.MaxInt64, Planned: math.Inf(1)}}
	}
	return &b.Timetable
}

// timetableBuilder puts segments one after the other.
type timetableBuilder struct {
	Timetable
	profile *Profile
	phase   int
	poisson bool // arrivals of the segments to come
	next    int64
	planned float64
}

// segment adds s, of the given length in ns.
func (b *timetableBuilder) segment(s segment, length int64) {
	s.poisson, s.start, s.length, s.origin = b.poisson, b.next, length, b.planned
	if s.form == slope && s.rise == 0 {
		s.form = flat
	}
	if s.form == flat {
		s.gap = 1 / s.rate
	}
	if s.form == recorded {
		s.origin = math.Ceil(s.origin) // its arrivals are at integers
	}
	if s.total = snap(s.planned(float64(length))); length == math.MaxInt64 {
		s.total = math.Inf(1)
	}
	b.segments = append(b.segments, s)
	b.next, b.planned = s.start+length, s.origin+s.total
}

// snap rounds what would be an integer but for the rounding of floats, so that a phase
// of 300 arrivals doesn't have the first of the next one as its last.
func snap(x float64) float64 {
	if whole := math.Round(x); math.Abs(x-whole) < 1e-6 {
		return whole
	}
	return x
}

// stage adds s as a stage of its own.
func (b *timetableBuilder) stage(name string, s segment, length time.Duration) {
	from := time.Duration(b.next - b.warmup)
	b.segment(s, int64(length))
	b.stages = append(b.stages, Stage{Phase: b.phase, Name: name, From: from, To: from + length, Planned: b.segments[len(b.segments)-1].total})
}

func (b *timetableBuilder) warmUp(first *Phase) {
	start := timetableBuilder{profile: &Profile{}}
	start.add(first)
	if len(start.segments) == 0 {
		return
	}
	s := &start.segments[0]
	rate := s.rateAt(0)
	if rate == 0 && s.form == slope {
		rate = s.total / float64(s.length)
	}
	b.poisson = b.profile.arrivalsOf(first) == Poisson
	b.segment(segment{form: flat, rate: rate}, b.warmup)
}

// add adds the stages of one phase.
func (b *timetableBuilder) add(ph *Phase) {
	b.poisson = b.profile.arrivalsOf(ph) == Poisson
	level := func(name string, rate float64, length time.Duration) {
		if length > 0 {
			b.stage(name, segment{form: flat, rate: rate / 1e9}, length)
		}
	}
	line := func(name string, from, to float64, length time.Duration) {
		if length > 0 {
			b.stage(name, segment{form: slope, rate: from / 1e9, rise: (to - from) / 1e9 / float64(length)}, length)
		}
	}
	switch ph.Shape {
	case Steps:
		for i, rate := range ph.Rates {
			// Whole ns: the last step takes what the division left over.
			from, to := ph.share(i), ph.share(i+1)
			level("steps "+plain(rate), rate, to-from)
		}
	case Ramp:
		line(fmt.Sprintf("ramp %s..%s", plain(ph.From), plain(ph.To)), ph.From, ph.To, ph.Duration)
	case Spike:
		level("spike "+plain(ph.Rate), ph.Rate, ph.At)
		level("spike "+plain(ph.Peak), ph.Peak, ph.Hold)
		level("spike "+plain(ph.Rate), ph.Rate, ph.Duration-ph.At-ph.Hold)
	case Soak:
		line("soak 0.."+plain(ph.Rate), 0, ph.Rate, ph.Rise)
		level("soak "+plain(ph.Rate), ph.Rate, ph.Duration-ph.Rise)
	case Sine:
		b.stage(fmt.Sprintf("sine %s~%s", plain(ph.Rate), plain(ph.Amplitude)), ph.wave(), ph.Duration)
	case Trace:
		b.poisson = false
		b.stage("trace "+ph.Trace.File, segment{form: recorded, trace: ph.Trace, loop: ph.Loop && len(ph.Trace.times) > 0}, ph.Duration)
	default:
		level(string(ph.Shape)+" "+plain(ph.Rate), ph.Rate, ph.Duration)
	}
}

// share is where step i begins.
func (ph *Phase) share(i int) time.Duration {
	if i == len(ph.Rates) {
		return ph.Duration
	}
	return time.Duration(i) * ph.each()
}

// wave is the segment of a sine; with no amplitude it is flat, which the wave's
// formulas can't invert when the mean is 0 too.
func (ph *Phase) wave() segment {
	if ph.Amplitude == 0 {
		return segment{form: flat, rate: ph.Rate / 1e9}
	}
	return segment{
		form: wave, rate: ph.Rate / 1e9, swing: ph.Amplitude / 1e9,
		omega: 2 * math.Pi / float64(ph.Period), angle: ph.Angle / 180 * math.Pi,
	}
}

// Arrivals returns how all arrivals are spread; false if they have no one
// distribution: those of traces, of phases of both kinds, or none at all.
func (t *Timetable) Arrivals() (a Arrivals, ok bool) {
	if len(t.segments) == 0 {
		return "", false
	}
	poisson := t.segments[0].poisson
	for i := range t.segments {
		if t.segments[i].form == recorded || t.segments[i].poisson != poisson {
			return "", false
		}
	}
	if poisson {
		return Poisson, true
	}
	return Uniform, true
}

// Stages returns the stages in order. They are the timetable's.
func (t *Timetable) Stages() []Stage { return t.stages }

// StageAt returns the index of the stage at an instant from the start of the
// measured time; -1 before and after the stages.
func (t *Timetable) StageAt(at time.Duration) int {
	i := sort.Search(len(t.stages), func(i int) bool { return t.stages[i].To > at })
	if at < 0 || i == len(t.stages) {
		return -1
	}
	return i
}

// StageWithin returns the index of the stage that holds as a whole what begins at an
// instant from the start of the measured time and lasts for so long; -1 if that lies
// across two, or in none.
func (t *Timetable) StageWithin(from, length time.Duration) int {
	if i := t.StageAt(from); i >= 0 && from+length <= t.stages[i].To {
		return i
	}
	return -1
}

// PhaseAt returns the index of the phase at an instant from the start of the
// measured time; -1 before and after the phases.
func (t *Timetable) PhaseAt(at time.Duration) int {
	if i := t.StageAt(at); i >= 0 {
		return t.stages[i].Phase
	}
	return -1
}

// RateAt returns the planned rate at an instant from the start of the measured
// time, in requests per second; 0 outside the load, the mean for a trace.
func (t *Timetable) RateAt(at time.Duration) float64 {
	offset := t.offset(at)
	if s := t.segmentAt(offset); s != nil && offset >= 0 {
		return 1e9 * s.rateAt(float64(offset-s.start))
	}
	return 0
}

// Planned returns the number of arrivals planned from one instant of the measured
// time until before another. Uniform arrivals and traces differ from it by less
// than one; a Poisson count has it as its mean and variance.
func (t *Timetable) Planned(from, to time.Duration) float64 {
	return t.upTo(t.offset(to)) - t.upTo(t.offset(from))
}

// offset is an instant of the measured time, in ns from the start of the load.
func (t *Timetable) offset(at time.Duration) int64 {
	if int64(at) > math.MaxInt64-t.warmup {
		return math.MaxInt64
	}
	return int64(at) + t.warmup
}

// segmentAt returns the segment at an offset, the first before the load, nil
// after it.
func (t *Timetable) segmentAt(offset int64) *segment {
	i := sort.Search(len(t.segments), func(i int) bool { return offset-t.segments[i].start < t.segments[i].length })
	if i == len(t.segments) {
		return nil
	}
	return &t.segments[i]
}

// upTo is the number of arrivals planned before an offset.
func (t *Timetable) upTo(offset int64) float64 {
	if s := t.segmentAt(offset); s != nil {
		return s.origin + s.planned(float64(max(offset-s.start, 0)))
	}
	if len(t.segments) == 0 {
		return 0
	}
	last := &t.segments[len(t.segments)-1]
	return last.origin + last.total
}
