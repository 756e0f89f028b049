package keeping

import (
	"cmp"
	"slices"

	"dyno.example/dyno/evidence"
	"dyno.example/dyno/probe/sampled"
)

// stretches are when threads ran for requests.
type stretches map[int32][]stretch

// stretch is a part of a thread's time, in ns of CLOCK_MONOTONIC.
type stretch struct{ from, to int64 }

// add takes those of a request.
func (s stretches) add(of *evidence.Record) {
	for i := range of.Intervals {
		if v := &of.Intervals[i]; v.Stage == evidence.OnCPU && v.Thread != 0 {
			s[v.Thread] = append(s[v.Thread], stretch{of.Intended + v.From, of.Intended + v.To})
		}
	}
}

func (s stretches) sorted() stretches {
	for _, list := range s {
		slices.SortFunc(list, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	}
	return s
}

// holds reports whether a sample was taken while its thread ran for one of the requests.
// A thread that runs for one doesn't run for another: stretches of a thread don't overlap,
// but for requests that share a connection, which end at different times.
func (s stretches) holds(m sampled.Moment) bool {
	const look = 8 // so many that begin before it
	list := s[m.Thread]
	at, _ := slices.BinarySearchFunc(list, m.At+1, func(one stretch, t int64) int { return cmp.Compare(one.from, t) })
	for i := at - 1; i >= max(0, at-look); i-- {
		if m.At < list[i].to {
			return true
		}
	}
	return false
}
