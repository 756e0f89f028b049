package snapshot

import (
	"slices"

	"dyno.example/nanogate/internal/route"
)

// succession pairs the routes of a configuration with those of the snapshot before, by
// name, so that what is the same is taken over. Nearly all stand where they stood, or
// next to what they stood next to; a map is made only for those that don't.
type succession struct {
	before []*Route
	guess  int
	names  map[string]int
}

// of returns where the route of that name was; -1: nowhere. i is where it is now.
func (s *succession) of(i int, name string) int {
	for _, at := range [...]int{s.guess, i} {
		if at < len(s.before) && s.before[at].Name == name {
			s.guess = at + 1
			return at
		}
	}
	if s.guess++; len(s.before) == 0 {
		return -1
	}
	if s.names == nil {
		s.names = make(map[string]int, len(s.before))
		for k, r := range s.before {
			s.names[r.Name] = k
		}
	}
	at, ok := s.names[name]
	if !ok {
		return -1
	}
	s.guess = at + 1
	return at
}

// tableOf makes the table of a snapshot's routes from the one before: was says where
// each of them stood there, or -1. Only what differs is rebuilt.
func tableOf(routes []*Route, was []int, before *Snapshot) *route.Table[Route] {
	old, table := []*Route(nil), &route.Table[Route]{}
	if before != nil {
		old, table = before.Routes, before.table
	}
	var order map[*Route]int
	e := table.Edit(func(r *Route) int {
		if order == nil { // it is asked for where several match alike
			order = make(map[*Route]int, len(routes))
			for i, r := range routes {
				order[r] = i
			}
		}
		return order[r]
	})
	gone := make([]bool, len(old)) // and those that are put in
	for i := range gone {
		gone[i] = true
	}
	for _, i := range inOrder(was) {
		if at := was[i]; old[at] == routes[i] || old[at].Config.Matching == routes[i].Config.Matching {
			gone[at] = false
		}
	}
	changed := false
	for at, r := range old {
		if gone[at] {
			e.Remove(&r.Config.Match, r.Config.Priority, r)
			changed = true
		}
	}
	for i, r := range routes {
		if at := was[i]; at >= 0 && !gone[at] && old[at] != r {
			e.Replace(&r.Config.Match, r.Config.Priority, old[at], r)
			changed = true
		}
	}
	for i, r := range routes {
		if at := was[i]; at < 0 || gone[at] {
			e.Add(&r.Config.Match, r.Config.Priority, r)
			changed = true
		}
	}
	if !changed {
		return table
	}
	return e.Table()
}

// inOrder returns the longest list of routes, by where they stand now, that stand in the
// order in which they stood before: the others have been moved (patience sorting,
// Fredman 1975). Mostly none has been.
func inOrder(was []int) []int {
	if list, ok := increasing(was); ok {
		return list
	}
	var ends []int // of the best list of each length, where it ends now
	link := make([]int, len(was))
	for i, at := range was {
		if at < 0 {
			continue
		}
		n := len(ends)
		if n > 0 && was[ends[n-1]] >= at {
			n, _ = slices.BinarySearchFunc(ends, at, func(end, at int) int { return was[end] - at })
		}
		if link[i] = -1; n > 0 {
			link[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	list := make([]int, len(ends))
	for k, i := len(ends)-1, ends[len(ends)-1]; k >= 0; k, i = k-1, link[i] {
		list[k] = i
	}
	return list
}

// increasing returns all routes that were there before, if they stand in order.
func increasing(was []int) (list []int, ok bool) {
	list = make([]int, 0, len(was))
	last := -1
	for i, at := range was {
		if at < 0 {
			continue
		}
		if at < last {
			return nil, false
		}
		last = at
		list = append(list, i)
	}
	return list, true
}
