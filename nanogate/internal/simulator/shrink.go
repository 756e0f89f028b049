//go:build linux

package simulator

import "slices"

// Shrink makes a scenario that fails smaller, as long as it does: by leaving out parts of what
// happens, fewer at a time when many won't do (delta debugging), and by making what is left
// plain. It asks so many times at most, and changes the scenario in place.
func Shrink(sc *Scenario, fails func(*Scenario) bool, most int) (runs int) {
	s := &shrinking{sc: sc, is: fails, left: most}
	for before := -1; before != s.size() && s.left > 0; {
		before = s.size()
		s.requests()
		s.plain()
	}
	return most - s.left
}

type shrinking struct {
	sc   *Scenario
	is   func(*Scenario) bool
	left int
}

func (s *shrinking) size() int { return s.sc.Size()*1000 + len(s.simpler()) }

// fails reports whether it still does.
func (s *shrinking) fails() bool {
	if s.left <= 0 {
		return false
	}
	s.left--
	return s.is(s.sc)
}

// Violates is what a scenario does in which something of a kind doesn't hold.
func Violates(kind string) func(*Scenario) bool {
	return func(sc *Scenario) bool {
		return slices.ContainsFunc(Run(sc, Options{Until: kind}).Violations, func(v Violation) bool { return v.Kind == kind })
	}
}

// requests leaves out requests and changes.
func (s *shrinking) requests() {
	clients, changes := s.sc.Clients, s.sc.Changes
	type part struct{ client, request, change int }
	var all []part
	for i, c := range clients {
		for j := range c.Requests {
			all = append(all, part{i, j, -1})
		}
	}
	for i := range changes {
		all = append(all, part{change: i})
	}
	set := func(keep []part) {
		s.sc.Clients, s.sc.Changes = nil, nil
		last := (*Client)(nil)
		for _, p := range keep {
			if p.change >= 0 {
				s.sc.Changes = append(s.sc.Changes, changes[p.change])
				continue
			}
			if last == nil || last.Number != clients[p.client].Number {
				copied := *clients[p.client]
				copied.Requests = nil
				last = &copied
				s.sc.Clients = append(s.sc.Clients, last)
			}
			last.Requests = append(last.Requests, clients[p.client].Requests[p.request])
		}
	}
	for pieces := 2; len(all) > 0 && s.left > 0; {
		smaller := false
		for i := range pieces {
			from, to := i*len(all)/pieces, (i+1)*len(all)/pieces
			if from == to {
				continue
			}
			rest := append(append([]part(nil), all[:from]...), all[to:]...)
			if set(rest); s.fails() {
				all, pieces, smaller = rest, max(2, pieces-1), true
				break
			}
		}
		if smaller {
			continue
		}
		if pieces >= len(all) {
			break
		}
		pieces = min(len(all), 2*pieces)
	}
	set(all)
}

// simpler are the ways in which something of the scenario could be plainer, each of which is
// tried and undone.
func (s *shrinking) simpler() (list []func() (undo func())) {
	return append(s.simplerPeers(), s.simplerRequests()...)
}

// change gives a variable another value.
func change[T comparable](list []func() func(), at *T, to T) []func() func() {
	if *at == to {
		return list
	}
	return append(list, func() func() {
		before := *at
		*at = to
		return func() { *at = before }
	})
}

// lower makes a number smaller, if it isn't by then.
func lower(list []func() func(), at *int, to int) []func() func() {
	if *at <= to {
		return list
	}
	return append(list, func() func() {
		before := *at
		*at = min(before, to)
		return func() { *at = before }
	})
}

func (s *shrinking) simplerPeers() (list []func() func()) {
	list = change(list, &s.sc.Loops, 1)
	list = change(list, &s.sc.Busy, 0)
	list = change(list, &s.sc.Descriptors, 1<<20)
	for _, r := range s.sc.Routes {
		for _, l := range r.Lines {
			if l.Text[:5] != "grpc-" {
				list = change(list, &l.Off, true)
			}
		}
	}
	list = change(list, &s.sc.Workers, 0)
	for _, g := range s.sc.Groups {
		list = change(list, &g.Warm, 0)
		list = change(list, &g.Bound, 0)
		list = change(list, &g.Balance, "round-robin")
		for _, l := range g.Lines {
			list = change(list, &l.Off, true)
		}
		for _, e := range g.Endpoints {
			list = change(list, &e.Line.Latest, 0)
			list = change(list, &e.Line.Capacity, 256<<10)
			list = change(list, &e.Line.Pieces, false)
			list = change(list, &e.Think, 0)
			list = change(list, &e.Piece, 0)
			list = change(list, &e.Connect, 0)
			list = change(list, &e.Greet, 0)
			list = change(list, &e.Streams, 0)
			list = change(list, &e.Window, 0)
			list = change(list, &e.Idle, 0)
			list = change(list, &e.Refuses, 0)
			list = change(list, &e.Farewell, false)
		}
	}
	return list
}

func (s *shrinking) simplerRequests() (list []func() func()) {
	for _, c := range s.sc.Clients {
		list = change(list, &c.At, 0)
		list = change(list, &c.Line.Latest, 0)
		list = change(list, &c.Line.Capacity, 256<<10)
		list = change(list, &c.Line.Pieces, false)
		list = change(list, &c.Think, 0)
		list = change(list, &c.Piece, 0)
		list = change(list, &c.Old, false)
		list = change(list, &c.Depth, 1)
		list = change(list, &c.Window, 0)
		for _, r := range c.Requests {
			for i := range r.Tries {
				list = change(list, &r.Tries[i], Fault{})
			}
			list = change(list, &r.Abort, "")
			list = change(list, &r.Delay, 0)
			list = change(list, &r.Interims, 0)
			list = change(list, &r.Nonsense, 0)
			list = change(list, &r.Early, false)
			list = change(list, &r.Expect, false)
			list = change(list, &r.Asked, false)
			list = change(list, &r.Replies, false)
			list = change(list, &r.Framing, "length")
			if !r.Route.needsHTTP2() && !r.Route.tunnels() {
				list = change(list, &r.Chunked, false)
			}
			list = lower(lower(list, &r.Body, 0), &r.Body, r.Body/2)
			list = lower(lower(list, &r.Want, 0), &r.Want, r.Want/2)
			if !r.Route.json() {
				list = change(list, &r.Method, "GET")
			}
		}
	}
	return list
}

// plain makes what is left plain.
func (s *shrinking) plain() {
	for _, try := range s.simpler() {
		if s.left <= 0 {
			return
		}
		if undo := try(); !s.fails() {
			undo()
		}
	}
}
