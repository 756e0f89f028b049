//go:build linux

package simulator

import (
	"slices"
	"strings"
)

// Effort is what making a scenario smaller may take.
type Effort struct {
	Runs   int         // at most
	Enough func() bool // ends it earlier; nil: nothing does
	Near   []int       // requests, by ID: those of which it is likelier to fail come later; nil: nobody knows
}

// Shrink makes a scenario that fails smaller, as long as it does: first all clients but a few
// of those that are nearest go, then clients, requests and changes, many at a time and fewer
// when many won't do (delta debugging), and what is left is made plain in the same way. It
// changes the scenario in place.
func Shrink(sc *Scenario, fails func(*Scenario) bool, e Effort) (runs int) {
	s := &shrinking{sc: sc, is: fails, left: e.Runs, enough: e.Enough}
	s.nearest(e.Near)
	for before := -1; before != s.size() && !s.spent(); {
		before = s.size()
		s.clients()
		s.happenings()
		s.plain(s.faults())
		s.plain(s.simplerRoutes())
		s.plain(s.simplerPeers())
		s.plain(s.simplerRequests())
	}
	return e.Runs - s.left
}

type shrinking struct {
	sc     *Scenario
	is     func(*Scenario) bool
	left   int
	enough func() bool
}

func (s *shrinking) size() int {
	return s.sc.Size()*1000 + len(s.faults()) + len(s.simplerRoutes()) + len(s.simplerPeers()) + len(s.simplerRequests())
}

func (s *shrinking) spent() bool { return s.left <= 0 || s.enough != nil && s.enough() }

// fails reports whether it still does.
func (s *shrinking) fails() bool {
	if s.spent() {
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

// Near is whose request a violation was likely to be of, the likeliest last: the one that it
// tells of, and before that those that had begun last.
func (r *Result) Near(v Violation) []int {
	return append(r.begun[:v.begun:v.begun], v.request)
}

// nearest leaves the fewest clients of those that are nearest with which it fails: that takes
// small worlds only, where going down from all of them takes large ones.
func (s *shrinking) nearest(near []int) {
	all := s.sc.Clients
	rank := map[int]int{}
	for i, id := range near {
		rank[id] = i + 1
	}
	rankOf := func(c *Client) (last int) {
		for _, r := range c.Requests {
			last = max(last, rank[r.ID])
		}
		return last
	}
	ranked := slices.Clone(all)
	slices.SortStableFunc(ranked, func(a, b *Client) int { return rankOf(b) - rankOf(a) })
	for n := 1; n < len(all) && !s.spent(); n *= 2 {
		kept := ranked[:n]
		s.sc.Clients = slices.DeleteFunc(slices.Clone(all), func(c *Client) bool { return !slices.Contains(kept, c) })
		if s.fails() {
			return
		}
	}
	s.sc.Clients = all
}

func (s *shrinking) clients() {
	without(s, s.sc.Clients, func(list []*Client) { s.sc.Clients = list })
}

// happenings leaves out requests, and changes of the gateway.
func (s *shrinking) happenings() {
	type asked struct {
		by *Client
		r  *Request
	}
	var all []asked
	for _, c := range s.sc.Clients {
		for _, r := range c.Requests {
			all = append(all, asked{c, r})
		}
	}
	without(s, all, func(list []asked) {
		s.sc.Clients = nil
		for i, a := range list {
			if i == 0 || list[i-1].by != a.by {
				c := *a.by
				c.Requests = nil
				s.sc.Clients = append(s.sc.Clients, &c)
			}
			last := s.sc.Clients[len(s.sc.Clients)-1]
			last.Requests = append(last.Requests, a.r)
		}
	})
	without(s, s.sc.Changes, func(list []*Change) { s.sc.Changes = list })
}

// without leaves out of a list what makes no difference, and sets what is left.
func without[T any](s *shrinking, all []T, set func([]T)) {
	for size := len(all); size > 0; size /= 2 {
		for at := 0; at < len(all) && !s.spent(); {
			rest := slices.Concat(all[:at], all[min(at+size, len(all)):])
			if set(rest); s.fails() {
				all = rest
			} else {
				at += size
			}
		}
	}
	set(all)
}

// edit makes something of the scenario plainer.
type edit func() (undo func())

// plain makes all of that plain which makes no difference.
func (s *shrinking) plain(list []edit) {
	if len(list) == 0 || s.spent() {
		return
	}
	undo := together(nil, list)[0]()
	if s.fails() {
		return
	}
	undo()
	if half := len(list) / 2; half > 0 {
		s.plain(list[:half])
		s.plain(list[half:])
	}
}

// change gives a variable another value.
func change[T comparable](list []edit, at *T, to T) []edit {
	if *at == to {
		return list
	}
	return append(list, func() func() {
		before := *at
		*at = to
		return func() { *at = before }
	})
}

// together makes edits one, of which none does alone.
func together(list, of []edit) []edit {
	if len(of) == 0 {
		return list
	}
	return append(list, func() func() {
		var undo []func()
		for _, one := range of {
			undo = append(undo, one())
		}
		return func() {
			for _, one := range slices.Backward(undo) {
				one()
			}
		}
	})
}

// lower makes a number smaller, if it isn't by then.
func lower(list []edit, at *int, to int) []edit {
	if *at <= to {
		return list
	}
	return append(list, func() func() {
		before := *at
		*at = min(before, to)
		return func() { *at = before }
	})
}

// faults are what peers do wrong, which counts as much as requests do.
func (s *shrinking) faults() (list []edit) {
	for _, c := range s.sc.Clients {
		for _, r := range c.Requests {
			for i := range r.Tries {
				list = change(list, &r.Tries[i], Fault{})
			}
			list = change(list, &r.Abort, "")
		}
	}
	return list
}

func (s *shrinking) simplerRoutes() (list []edit) {
	list = change(list, &s.sc.Loops, 1)
	list = change(list, &s.sc.Busy, 0)
	list = change(list, &s.sc.Workers, 0)
	list = change(list, &s.sc.Descriptors, 1<<20)
	for _, r := range s.sc.Routes {
		var guards []edit
		for _, l := range r.Lines {
			switch name, _, _ := strings.Cut(l.Text, ":"); name {
			case "grpc-web", "grpc-json": // the route is one by it
			case "deny", "csrf", "keys": // which refuse a request isn't said of each
				guards = change(guards, &l.Off, true)
			case "retry":
				list = together(list, change(change(nil, &l.Off, true), &r.retry, 2))
			default:
				list = change(list, &l.Off, true)
			}
		}
		list = together(list, guards)
	}
	return list
}

func (s *shrinking) simplerPeers() (list []edit) {
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

func (s *shrinking) simplerRequests() (list []edit) {
	for _, c := range s.sc.Clients {
		list = change(list, &c.Line.Latest, 0)
		list = change(list, &c.Line.Capacity, 256<<10)
		list = change(list, &c.Line.Pieces, false)
		list = change(list, &c.Think, 0)
		list = change(list, &c.Piece, 0)
		list = change(list, &c.Old, false)
		list = change(list, &c.Depth, 1)
		list = change(list, &c.Window, 0)
		for _, r := range c.Requests {
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
			if !r.Route.needsHTTP2() { // calls are POSTs
				list = change(list, &r.Method, "GET")
			}
		}
	}
	for _, c := range s.sc.Clients { // at last, as it moves all moments
		list = change(list, &c.At, 0)
	}
	return list
}
