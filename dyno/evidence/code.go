package evidence

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"
)

// Code is a function in a process's memory: from its first address to behind its last.
type Code = extent[uint64]

// Codes are functions, in order and without overlap.
type Codes []Code

// CodesOf puts functions in order, and those that lie side by side together.
func CodesOf(list []Code) (codes Codes) {
	return joined(slices.Clone(list))
}

// has reports whether an address is in one of them.
func (c Codes) has(at uint64) bool {
	i := sort.Search(len(c), func(i int) bool { return c[i].To > at })
	return i < len(c) && c[i].From <= at
}

// collects reports whether a thread was at one of the functions when its CPU's clock ticked, or
// had been called from there.
func (c Codes) collects(e *Event) bool {
	if e.Kind != Tick || len(c) == 0 {
		return false
	}
	return c.has(e.Subject) || c.has(binary.LittleEndian.Uint64(e.Text[:])) || c.has(binary.LittleEndian.Uint64(e.Text[8:]))
}

// stretch is a time in which something went on.
type stretch = extent[int64]

// tickNear is how far from a tick, in ns, a thread is taken to collect that did so then: half
// of the time between two ticks, and a little for late ones.
const tickNear = int64(6e5)

// collections are when a process collected garbage. If its collector's functions are known that
// is when a thread of it was at them, by the ticks; else when it was seen that it collects.
func (j *joiner) collections() []stretch {
	list, known := j.heldBy[j.process]
	if !known {
		list = joined(j.collects(j.collectors[j.process]))
		j.heldBy[j.process] = list
	}
	return list
}

func (j *joiner) collects(codes Codes) (list []stretch) {
	if len(codes) == 0 || !j.ticked {
		for _, e := range j.collecting {
			if e.Process == j.process {
				list = append(list, stretch{e.Time - int64(e.B), e.Time})
			}
		}
		return list
	}
	for thread, events := range j.threads {
		if thread == 0 || events[0].Process != j.process {
			continue
		}
		for i, e := range events {
			if !codes.collects(e) {
				continue
			}
			s := stretch{e.Time - tickNear, e.Time + tickNear}
			for k := i - 1; k >= 0 && events[k].Time > s.From; k-- {
				if events[k].Kind == SwitchIn {
					s.From = events[k].Time
				}
			}
			for k := i + 1; k < len(events) && events[k].Time < s.To; k++ {
				if events[k].Kind == SwitchOut {
					s.To = events[k].Time
				}
			}
			list = append(list, s)
		}
	}
	return list
}

// extent goes from one place up to another one, which isn't in it.
type extent[T cmp.Ordered] struct{ From, To T }

// joined are extents in order, those that touch as one. It sorts the list.
func joined[T cmp.Ordered](list []extent[T]) (out []extent[T]) {
	slices.SortFunc(list, func(a, b extent[T]) int { return cmp.Compare(a.From, b.From) })
	for _, s := range list {
		if n := len(out); n > 0 && s.From <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, s.To)
			continue
		}
		out = append(out, s)
	}
	return out
}
