//go:build linux

package simulator

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"dyno.example/nano/wire/simulated"
)

// Scenario is a world: all that there is in it and is going to happen, as far as it is chosen
// beforehand. What is chosen on the way (how bytes are cut, who is first) follows from its
// seed and from who chooses, so that a scenario of which something is taken away goes on much
// as it did.
type Scenario struct {
	Seed        uint64
	Loops       int
	Descriptors int
	Busy        int64 // ns that a loop is late at most
	Workers     int64 // ns until a worker has done something, at most
	Groups      []*Group
	Routes      []*Route
	Clients     []*Client
	Changes     []*Change
}

// Group is an upstream of the configuration.
type Group struct {
	Name      string
	HTTP2     bool
	Warm      int // connections that are kept warm
	Balance   string
	Bound     int // requests at once; 0: any
	Endpoints []*Endpoint
	Spare     *Endpoint // which a change of the configuration adds
	Lines     []*Line   // further ones of its configuration

	befell
}

// befell is what happened in a world to connections to an upstream, by when the gateway knew.
type befell struct {
	refused []int64
	parted  []int64 // idle ones were closed with a word why
	unused  []int64 // of them, ones that had carried nothing yet
	went    []int64 // they take no more requests
	spoilt  []int64 // they had broken HTTP/2
	left    []int64 // they were ended, whatever they had carried
	blurred int64   // one was lost with requests that only the gateway knows; 0: none
}

// Endpoint is a server of it.
type Endpoint struct {
	Name   string
	Number int // of all endpoints, from 1
	At     netip.AddrPort
	Group  *Group

	Line    simulated.Line
	Think   int64  // ns at most, before it goes on with anything
	Piece   int    // bytes that it reads and writes at a time at most; 0: any
	Connect int64  // ns at most
	Greet   int64  // ns until it says its settings
	Streams uint32 // that it takes at once; 0: a hundred
	Window  uint32 // of a stream; 0: 64 KiB
	Idle    int64  // ns until it closes a connection that is idle; 0: never
	Refuses int    // one in so many connections; 0: none
	Sick    []sickness

	Farewell bool // it says so when it closes a connection that is idle, as servers do with a 408

	connected uint64
}

// Route is one of the gateway's.
type Route struct {
	Name   string
	Kind   string // plain, cache
	Groups []*Group
	Shadow *Group
	To     string
	Lines  []*Line

	retry      int   // attempts
	timeout    int64 // ns, of the line for that
	tryTimeout int64 // ns, of that for retries; 0: it has none
}

// has reports whether it does one of these.
func (r *Route) has(names ...string) bool {
	return slices.ContainsFunc(r.Lines, func(l *Line) bool {
		name, _, _ := strings.Cut(l.Text, ":")
		return !l.Off && slices.Contains(names, name)
	})
}

// Line is a feature of a route, as it is configured.
type Line struct {
	Text string
	Off  bool
}

// Client is a connection of a client.
type Client struct {
	Number   int
	HTTP2    bool
	Old      bool  // it speaks HTTP/1.0, one request at a time
	Keeps    bool  // it asks for its connection to be kept then
	At       int64 // ns after the beginning
	Line     simulated.Line
	Think    int64
	Piece    int
	Depth    int    // requests at once
	Window   uint32 // of streams
	Requests []*Request
}

// Request is one that a client sends, with all that is planned for it. Upstreams find it by
// its number.
type Request struct {
	ID      int
	Route   *Route
	Method  string
	Path    string
	Body    int // bytes
	Chunked bool
	Expect  bool
	Asked   bool // it has trailers

	Fields  [][2]string // further ones
	Refused int         // the status that guards refuse it with; 0: they don't
	Side    string      // of a canary that it asks for; "": none

	Nonsense int // a kind of what isn't HTTP/1.1, in place of it; 0: it is

	Want     int    // bytes of the response's content
	Framing  string // of the response: length, chunks, close
	Interims int
	Early    bool // the response comes before the body is in
	Replies  bool // the response has trailers
	Delay    int64

	Abort string // what the client does: send or receive so many bytes, and then
	How   string // close, reset or half-close its connection; over HTTP/2 reset the stream too
	After int

	Tries []Fault // what endpoints do to it, in turn
}

// Fault is what an endpoint does.
type Fault struct {
	Kind string
	At   int // bytes after which, of what it is about
}

// Change happens to the gateway.
type Change struct {
	At   int64
	Kind string // reload, drain, descriptors
	Seed uint64
}

func (r *Route) goes(g *Group) bool { return slices.Contains(r.Groups, g) }

func (r *Route) String() string {
	var lines []string
	for _, l := range r.Lines {
		if !l.Off {
			lines = append(lines, l.Text)
		}
	}
	return fmt.Sprintf("%s (%s to %s; %s)", r.Name, r.Kind, r.To, strings.Join(lines, "; "))
}

func (r *Request) String() string {
	s := fmt.Sprintf("#%d %s %s", r.ID, r.Method, r.Path)
	for _, one := range []struct {
		is   bool
		name string
	}{
		{r.Nonsense > 0, fmt.Sprintf("nonsense %d", r.Nonsense)}, {r.Body > 0, fmt.Sprintf("body %d", r.Body)}, {r.Chunked, "chunked"}, {r.Expect, "expect"}, {r.Asked, "with trailers"},
		{r.Refused > 0, fmt.Sprintf("refused with %d", r.Refused)}, {r.Side != "", "for " + r.Side},
		{r.Want > 0, fmt.Sprintf("wants %d", r.Want)}, {r.Framing != "length", "by " + r.Framing}, {r.Interims > 0, fmt.Sprintf("%d interims", r.Interims)},
		{r.Early, "early"}, {r.Replies, "trailers"}, {r.Delay > 0, fmt.Sprintf("after %d ms", r.Delay/1e6)},
		{r.Abort != "", fmt.Sprintf("%s after %s of %d", r.How, r.Abort, r.After)},
	} {
		if one.is {
			s += ", " + one.name
		}
	}
	for i, f := range r.Tries {
		if f.Kind != "" {
			s += fmt.Sprintf(", try %d: %s at %d", i, f.Kind, f.At)
		}
	}
	return s
}

// Size is how much happens in it: requests, changes, and what peers do wrong.
func (sc *Scenario) Size() (n int) {
	n = len(sc.Changes)
	for _, c := range sc.Clients {
		for _, r := range c.Requests {
			n++
			for _, f := range r.Tries {
				if f.Kind != "" {
					n++
				}
			}
			if r.Abort != "" {
				n++
			}
		}
	}
	return n
}

// String says what there is in it.
func (sc *Scenario) String() string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("seed %d, %d loops, late by up to %d µs, %d descriptors", sc.Seed, sc.Loops, sc.Busy/1e3, sc.Descriptors)
	used := map[*Group]bool{}
	for _, r := range sc.Routes {
		for _, c := range sc.Clients {
			if slices.ContainsFunc(c.Requests, func(q *Request) bool { return q.Route == r }) {
				p("route %s", r)
				for _, g := range append(r.Groups, r.Shadow) {
					used[g] = true
				}
				break
			}
		}
	}
	for _, g := range sc.Groups {
		for _, l := range g.Lines {
			if used[g] && !l.Off {
				p("upstream %s: %s", g.Name, l.Text)
			}
		}
		for _, e := range g.Endpoints {
			if used[g] {
				p("endpoint %s %s: http2 %t, line %+v, think %d µs, piece %d, connect %d µs, greet %d ms, streams %d, window %d, idle %d ms, refuses 1/%d, farewell %t",
					e.Name, e.At, g.HTTP2, e.Line, e.Think/1e3, e.Piece, e.Connect/1e3, e.Greet/1e6, e.Streams, e.Window, e.Idle/1e6, e.Refuses, e.Farewell)
			}
		}
	}
	for _, c := range sc.Clients {
		p("client %d: http2 %t, old %t, keeps %t, at %d ms, line %+v, think %d µs, piece %d, %d at once, window %d", c.Number, c.HTTP2, c.Old, c.Keeps, c.At/1e6, c.Line, c.Think/1e3, c.Piece, c.Depth, c.Window)
		for _, r := range c.Requests {
			p("  %s", r)
		}
	}
	for _, c := range sc.Changes {
		p("at %d ms: %s", c.At/1e6, c.Kind)
	}
	return b.String()
}
