package engine

import (
	"slices"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/request"
	"dyno.example/nano/wire/grpc"
)

// mostParts is how many earlier windows are distinguished in one; requests due in
// others are counted with the nearest of them.
const mostParts = 64

// Part is what becomes in a slot's window of the arrivals that were due in an earlier
// one. It is in the slot's own counts too.
type Part struct {
	measure.Window // Index is of the window in which they were due
	Durations      measure.Durations
	Breakdown      *measure.Breakdown
}

// NewPart returns an empty one of the window in which its arrivals were due, which counts
// so many kinds of requests apart.
func NewPart(due, kinds int) *Part {
	return &Part{Window: measure.Window{Index: due}, Breakdown: measure.NewPartBreakdown(kinds)}
}

// Reset empties p for another window, and keeps its memory.
func (p *Part) Reset(due int) {
	p.Window = measure.Window{Index: due}
	p.Durations.Reset()
	p.Breakdown.Reset()
}

// Parts are those of the window so far, in no order. They are the slot's.
func (s *Slot) Parts() []*Part { return s.parts[:s.filled] }

// part is that of the arrivals which were due when this one was; nil if that is in the
// slot's own window.
func (r *Recorder) part(intended int64) *Part {
	if intended >= r.Start {
		return nil
	}
	due := windowOf(intended - r.start)
	parts := r.Parts()
	for i := range parts {
		if parts[i].Index == due {
			return parts[i]
		}
	}
	if r.filled == mostParts {
		nearest := slices.MinFunc(parts, func(a, b *Part) int { return distance(a, due) - distance(b, due) })
		return nearest
	}
	if r.filled == len(r.parts) {
		r.parts = append(r.parts, NewPart(due, len(r.Breakdown.Kinds)))
	}
	p := r.parts[r.filled]
	r.filled++
	p.Reset(due)
	return p
}

func distance(p *Part, due int) int { return max(p.Index-due, due-p.Index) }

// erred counts an error of a request of a kind.
func (r *Recorder) erred(of *request.Compiled, kind measure.ErrorKind, intended int64) {
	r.Errors.Count(kind)
	if k := r.Breakdown.Kind(of.Place); k != nil {
		k.Errors.Count(kind)
	}
	if p := r.part(intended); p != nil {
		p.Errors.Count(kind)
		if k := p.Breakdown.Kind(of.Place); k != nil {
			k.Errors.Count(kind)
		}
	}
}

// erredApart counts an error that belongs to no request.
func (r *Recorder) erredApart(kind measure.ErrorKind) {
	r.Errors.Count(kind)
	r.ErredApart++
}

// countStatus counts a complete response by its status.
func (r *Recorder) countStatus(status int, intended int64) {
	r.Breakdown.Count(status)
	if p := r.part(intended); p != nil {
		p.Breakdown.Count(status)
	}
}

// countOther counts one that belongs to no request of the mix, such as a handshake's.
func (r *Recorder) countOther(status int) { r.Breakdown.Count(status) }

// countCode counts a gRPC call with a complete response by its status.
func (r *Recorder) countCode(code grpc.Code, intended int64) {
	r.Breakdown.CountCode(code)
	if p := r.part(intended); p != nil {
		p.Breakdown.CountCode(code)
	}
}

// completed counts a response to a request of a kind that is as expected.
func (r *Recorder) completed(of *request.Compiled, t Times) {
	r.Responded(t)
	count := func(w *measure.Window, b *measure.Breakdown) {
		k := b.Kind(of.Place)
		if k != nil {
			k.Timed(t.Done - t.Intended)
		}
		if r.draining {
			w.Drained++
			if k != nil {
				k.Drained++
			}
			return
		}
		w.Completed++
		if k != nil {
			k.Completed++
		}
	}
	count(&r.Window, r.Breakdown)
	if p := r.part(t.Intended); p != nil {
		count(&p.Window, p.Breakdown)
	}
}

// wrong counts a complete response to a request of a kind that is an error.
func (r *Recorder) wrong(of *request.Compiled, kind measure.ErrorKind, t Times) {
	r.errant(t)
	r.erred(of, kind, t.Intended)
}

// gaveUpKind notes how long a request of a kind had taken when it was given up.
func (r *Recorder) gaveUpKind(of *request.Compiled, intended, now int64, count func(*measure.Window, *measure.KindCount)) {
	note := func(w *measure.Window, b *measure.Breakdown) {
		k := b.Kind(of.Place)
		count(w, k)
		if k != nil {
			k.GaveUp(now - intended)
		}
	}
	note(&r.Window, r.Breakdown)
	if p := r.part(intended); p != nil {
		note(&p.Window, p.Breakdown)
	}
}
