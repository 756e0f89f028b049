//go:build linux

package simulator

import (
	"slices"
	"time"

	"dyno.example/nano/wire/simulated/shrink"
)

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

// Shrink makes a scenario that fails smaller, as long as it does: first all clients but a few
// of those that are nearest go, then clients, requests and what goes wrong, and what is left is
// made plain. It changes the scenario in place.
func Shrink(sc *Scenario, fails func(*Scenario) bool, e shrink.Effort) (runs int) {
	s := &shrinking{Search: shrink.New(func() bool { return fails(sc) }, e), sc: sc}
	shrink.Fewest(s.Search, sc.Clients, (*Client).requests, func(list []*Client) { sc.Clients = list })
	s.Until(s.size, func() {
		shrink.Without(s.Search, sc.Clients, func(list []*Client) { sc.Clients = list })
		shrink.Members(s.Search, sc.Clients, func(c *Client) []*Request { return c.Requests }, (*Client).with, func(list []*Client) { sc.Clients = list })
		s.Plain(s.faults())
		s.Plain(s.simplerApp())
		s.Plain(s.simplerClients())
		s.Plain(s.simplerRequests())
	})
	return s.Ran()
}

type shrinking struct {
	*shrink.Search
	sc *Scenario
}

func (s *shrinking) size() int {
	return s.sc.Size()*1000 + len(s.faults()) + len(s.simplerApp()) + len(s.simplerClients()) + len(s.simplerRequests())
}

// requests are the client's, by ID.
func (c *Client) requests() (list []int) {
	for _, r := range c.Requests {
		list = append(list, r.ID)
	}
	return list
}

// with is the client with other requests.
func (c *Client) with(list []*Request) *Client {
	other := *c
	other.Requests = list
	return &other
}

// faults are what clients, handlers and the app do wrong, which counts as much as requests do.
func (s *shrinking) faults() (list []shrink.Edit) {
	list = shrink.Change(list, &s.sc.Drain, 0)
	for _, c := range s.sc.Clients {
		for _, r := range c.Requests {
			fault := shrink.Change(shrink.Change(shrink.Change(nil, &r.Abort, ""), &r.How, ""), &r.Do.Waits, false)
			list = shrink.Together(list, fault)
			list = shrink.Change(list, &r.Do.End, "")
		}
	}
	return list
}

func (s *shrinking) simplerApp() (list []shrink.Edit) {
	sc := s.sc
	list = shrink.Change(list, &sc.Loops, 1)
	list = shrink.Change(list, &sc.Debug, false)
	list = shrink.Change(list, &sc.Latest, 1)
	list = shrink.Change(list, &sc.Late, 1)
	list = shrink.Change(list, &sc.Descriptors, 10000)
	l := &sc.Limits
	list = shrink.Change(list, &l.BufferBody, 64<<10)
	list = shrink.Change(list, &l.Requests, 0)
	list = shrink.Change(list, &l.Connections, 0)
	list = shrink.Change(list, &l.PerAddress, 0)
	list = shrink.Change(list, &l.Body, 0)
	list = shrink.Change(list, &l.MinRate, -1)
	list = shrink.Change(list, &l.MinTake, -1)
	for _, t := range [...]*time.Duration{&l.ReadHead, &l.ReadBody, &l.Idle, &l.WriteStall} {
		list = shrink.Change(list, t, 0)
	}
	return list
}

func (s *shrinking) simplerClients() (list []shrink.Edit) {
	for _, c := range s.sc.Clients {
		list = shrink.Change(list, &c.Line.Latest, 0)
		list = shrink.Change(list, &c.Line.Capacity, 30_000)
		list = shrink.Change(list, &c.Line.Pieces, false)
		list = shrink.Change(list, &c.Think, 0)
		list = shrink.Change(list, &c.Piece, 0)
		list = shrink.Change(list, &c.Old, false)
		list = shrink.Change(list, &c.Depth, 1)
		if c.HTTP2 {
			list = shrink.Change(list, &c.Window, 65535)
		}
	}
	for _, c := range s.sc.Clients { // at last, as it moves all moments
		list = shrink.Change(list, &c.At, 0)
	}
	return list
}

func (s *shrinking) simplerRequests() (list []shrink.Edit) {
	for _, c := range s.sc.Clients {
		for _, r := range c.Requests {
			do := &r.Do
			list = shrink.Change(list, &r.Expect, false)
			list = shrink.Change(list, &r.Trailers, false)
			if !r.Trailers {
				list = shrink.Change(list, &r.Chunked, false)
			}
			list = shrink.Change(list, &do.Before, 0)
			list = shrink.Change(list, &do.Between, 0)
			list = shrink.Change(list, &do.Pause, 0)
			list = shrink.Change(list, &do.Flushes, false)
			list = shrink.Change(list, &do.Trailer, false)
			list = shrink.Change(list, &do.Body, "whole")
			if do.End == "" && !do.Trailer && do.Body != "echo" && !r.switches() {
				list = shrink.Change(list, &do.How, "whole")
			}
			list = shrink.Lower(list, &do.Pieces, 1)
			list = shrink.Lower(shrink.Lower(list, &r.Body, 0), &r.Body, r.Body/2)
			least := 0
			if do.End != "" { // it ends before the response is whole
				least = 1
			}
			list = shrink.Lower(shrink.Lower(list, &do.Size, least), &do.Size, max(do.Size/2, least))
		}
	}
	return list
}
