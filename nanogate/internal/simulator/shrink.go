//go:build linux

package simulator

import (
	"slices"
	"strings"

	"dyno.example/nano/wire/simulated/shrink"
)

// Shrink makes a scenario that fails smaller, as long as it does: first all clients but a few
// of those that are nearest go, then clients, requests and changes, and what is left is made plain.
// It changes the scenario in place.
func Shrink(sc *Scenario, fails func(*Scenario) bool, e shrink.Effort) (runs int) {
	s := &shrinking{Search: shrink.New(func() bool { return fails(sc) }, e), sc: sc}
	shrink.Fewest(s.Search, sc.Clients, (*Client).requests, func(list []*Client) { sc.Clients = list })
	s.Until(s.size, func() {
		shrink.Without(s.Search, sc.Clients, func(list []*Client) { sc.Clients = list })
		s.happenings()
		s.Plain(s.faults())
		s.Plain(s.simplerRoutes())
		s.Plain(s.simplerPeers())
		s.Plain(s.simplerRequests())
	})
	return s.Ran()
}

type shrinking struct {
	*shrink.Search
	sc *Scenario
}

func (s *shrinking) size() int {
	return s.sc.Size()*1000 + len(s.faults()) + len(s.simplerRoutes()) + len(s.simplerPeers()) + len(s.simplerRequests())
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

// requests are the client's, by ID.
func (c *Client) requests() (list []int) {
	for _, r := range c.Requests {
		list = append(list, r.ID)
	}
	return list
}

// happenings leaves out requests, and changes of the gateway.
func (s *shrinking) happenings() {
	shrink.Members(s.Search, s.sc.Clients, func(c *Client) []*Request { return c.Requests }, (*Client).with, func(list []*Client) { s.sc.Clients = list })
	shrink.Without(s.Search, s.sc.Changes, func(list []*Change) { s.sc.Changes = list })
}

// with is the client with other requests.
func (c *Client) with(list []*Request) *Client {
	other := *c
	other.Requests = list
	return &other
}

// faults are what peers do wrong, which counts as much as requests do.
func (s *shrinking) faults() (list []shrink.Edit) {
	for _, c := range s.sc.Clients {
		for _, r := range c.Requests {
			for i := range r.Tries {
				list = shrink.Change(list, &r.Tries[i], Fault{})
			}
			list = shrink.Change(list, &r.Abort, "")
		}
	}
	return list
}

func (s *shrinking) simplerRoutes() (list []shrink.Edit) {
	list = shrink.Change(list, &s.sc.Loops, 1)
	list = shrink.Change(list, &s.sc.Busy, 0)
	list = shrink.Change(list, &s.sc.Workers, 0)
	list = shrink.Change(list, &s.sc.Descriptors, 1<<20)
	for _, r := range s.sc.Routes {
		var guards []shrink.Edit
		for _, l := range r.Lines {
			switch name, _, _ := strings.Cut(l.Text, ":"); name {
			case "grpc-web", "grpc-json": // the route is one by it
			case "deny", "csrf", "keys": // which refuse a request isn't said of each
				guards = shrink.Change(guards, &l.Off, true)
			case "retry":
				list = shrink.Together(list, shrink.Change(shrink.Change(nil, &l.Off, true), &r.retry, 2))
			default:
				list = shrink.Change(list, &l.Off, true)
			}
		}
		list = shrink.Together(list, guards)
	}
	return list
}

func (s *shrinking) simplerPeers() (list []shrink.Edit) {
	for _, g := range s.sc.Groups {
		list = shrink.Change(list, &g.Warm, 0)
		list = shrink.Change(list, &g.Bound, 0)
		list = shrink.Change(list, &g.Balance, "round-robin")
		for _, l := range g.Lines {
			list = shrink.Change(list, &l.Off, true)
		}
		for _, e := range g.Endpoints {
			list = shrink.Change(list, &e.Line.Latest, 0)
			list = shrink.Change(list, &e.Line.Capacity, 256<<10)
			list = shrink.Change(list, &e.Line.Pieces, false)
			list = shrink.Change(list, &e.Think, 0)
			list = shrink.Change(list, &e.Piece, 0)
			list = shrink.Change(list, &e.Connect, 0)
			list = shrink.Change(list, &e.Greet, 0)
			list = shrink.Change(list, &e.Streams, 0)
			list = shrink.Change(list, &e.Window, 0)
			list = shrink.Change(list, &e.Idle, 0)
			list = shrink.Change(list, &e.Refuses, 0)
			list = shrink.Change(list, &e.Farewell, false)
		}
	}
	return list
}

func (s *shrinking) simplerRequests() (list []shrink.Edit) {
	for _, c := range s.sc.Clients {
		list = shrink.Change(list, &c.Line.Latest, 0)
		list = shrink.Change(list, &c.Line.Capacity, 256<<10)
		list = shrink.Change(list, &c.Line.Pieces, false)
		list = shrink.Change(list, &c.Think, 0)
		list = shrink.Change(list, &c.Piece, 0)
		list = shrink.Change(list, &c.Old, false)
		list = shrink.Change(list, &c.Depth, 1)
		list = shrink.Change(list, &c.Window, 0)
		for _, r := range c.Requests {
			list = shrink.Change(list, &r.Delay, 0)
			list = shrink.Change(list, &r.Interims, 0)
			list = shrink.Change(list, &r.Nonsense, 0)
			list = shrink.Change(list, &r.Early, false)
			list = shrink.Change(list, &r.Expect, false)
			list = shrink.Change(list, &r.Asked, false)
			list = shrink.Change(list, &r.Replies, false)
			list = shrink.Change(list, &r.Framing, "length")
			if !r.Route.needsHTTP2() && !r.Route.tunnels() {
				list = shrink.Change(list, &r.Chunked, false)
			}
			list = shrink.Lower(shrink.Lower(list, &r.Body, 0), &r.Body, r.Body/2)
			list = shrink.Lower(shrink.Lower(list, &r.Want, 0), &r.Want, r.Want/2)
			if !r.Route.needsHTTP2() { // calls are POSTs
				list = shrink.Change(list, &r.Method, "GET")
			}
		}
	}
	for _, c := range s.sc.Clients { // at last, as it moves all moments
		list = shrink.Change(list, &c.At, 0)
	}
	return list
}
