package keeping

import (
	"cmp"
	"slices"

	"dyno.example/dyno/evidence"
	"dyno.example/dyno/probe/sampled"
)

// stretches are the times of threads that belonged to requests, in order of their beginnings.
type stretches map[int32][]stretch

// stretch is a part of a thread's time, in ns of CLOCK_MONOTONIC.
type stretch struct {
	from, to int64
	last     int64 // end of all that begin no later
}

// runs and waits say of a request's interval whether its thread ran in it.
func runs(v *evidence.Interval) bool  { return v.Stage == evidence.OnCPU }
func waits(v *evidence.Interval) bool { return !runs(v) }

// stretchesOf takes those intervals of requests that are wanted.
func stretchesOf(requests []*evidence.Record, wanted func(*evidence.Interval) bool) stretches {
	s := stretches{}
	for _, r := range requests {
		for i := range r.Intervals {
			if v := &r.Intervals[i]; v.Thread != 0 && wanted(v) {
				s[v.Thread] = append(s[v.Thread], stretch{from: r.Intended + v.From, to: r.Intended + v.To})
			}
		}
	}
	for _, list := range s {
		slices.SortFunc(list, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
		last := int64(0)
		for i := range list {
			last = max(last, list[i].to)
			list[i].last = last
		}
	}
	return s
}

// holds reports whether a sample was taken in one of them.
func (s stretches) holds(m sampled.Moment) bool { return s.within(m.Thread, m.At, m.At+1) > 0 }

// within is how many ns of a thread's time belonged to requests; time that belonged to several,
// which share a connection or wait behind each other, counts for each.
func (s stretches) within(thread int32, from, to int64) (ns int64) {
	list := s[thread]
	at, _ := slices.BinarySearchFunc(list, to, func(one stretch, t int64) int { return cmp.Compare(one.from, t) })
	for i := at - 1; i >= 0 && list[i].last > from; i-- {
		if both := min(to, list[i].to) - max(from, list[i].from); both > 0 {
			ns += both
		}
	}
	return ns
}
