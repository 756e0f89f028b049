//go:build linux

package simulator

import (
	"fmt"
	"strings"

	"dyno.example/nano"
	"dyno.example/nano/wire/simulated"
)

// Scenario is what there is in a world, and what is to happen.
type Scenario struct {
	Seed uint64
	// "calm": nothing goes wrong; "prompt": limits of time are short, and clients never reach them, while
	// handlers take longer; "rough": clients and handlers fail; "tight": limits are small, too
	Mood        string
	Loops       int
	Debug       bool // what handlers were given is overwritten
	Descriptors int
	Latest      int64 // how late goroutines go on, at most, ns
	Late        int64 // and loops, now and then
	Limits      nano.Limits
	Clients     []*Client
	Drain       int64 // when the app shuts down, from the start; 0: when all is done
	Cut         int64 // after that: what is left is cut
}

// Client is one, and the connections that it makes one after the other.
type Client struct {
	Number   int
	At       int64
	Line     simulated.Line
	Think    int64 // until it goes on, at most, ns
	Piece    int   // bytes that it reads or writes at once, about; 0: all there are
	Depth    int   // requests that are sent before the response to the first has come
	Old      bool  // it speaks HTTP/1.0
	Keeps    bool  // and asks for the connection to be kept
	HTTP2    bool
	Window   uint32 // of a stream, bytes
	Requests []*Request
}

// Request is one, and what becomes of it at both ends.
type Request struct {
	ID       int
	Method   string
	Body     int // bytes
	Chunked  bool
	Expect   bool
	Trailers bool
	// How the client fails: "send" (after so many bytes of the request), "receive" (of the response's
	// content), "told" (it waits until the handler waits for that); "nonsense" behind the request.
	Abort string
	After int
	How   string // "reset", "close" or "stall"; "shut": it sends no more, but reads on; "stream": the stream is reset
	Do    Do
}

// Do is what its handler does.
type Do struct {
	Route   string // "auto", "loop", "goroutine", "suspended": where it runs; see [nano.OnLoop]
	Number  int    // of the route
	Before  int64  // it sleeps at first, ns
	Body    string // what it reads: "whole", "pieces", "some", "none"; "echo": it sends what it reads while it comes
	Between int64  // it sleeps before the response
	Waits   bool   // until its client has gone
	// "whole", "sized" or "chunks"; "switch": the body comes and the response goes as another protocol,
	// on the connection that the handler has taken
	How     string
	Status  int
	Size    int
	Pieces  int
	Flushes bool
	Pause   int64 // between pieces
	Trailer bool
	End     string // "": well; "abort", "panic", "exit", "error", "short": the response isn't all sent
}

// well reports whether nothing goes wrong in it.
func (sc *Scenario) well() bool { return sc.Mood == "calm" || sc.Mood == "prompt" }

// Size is how many things happen in it: requests, what clients and handlers do wrong, shutting down.
func (sc *Scenario) Size() (n int) {
	if sc.Drain > 0 {
		n++
	}
	for _, c := range sc.Clients {
		for _, r := range c.Requests {
			if n++; r.Abort != "" {
				n++
			}
			if r.Do.End != "" {
				n++
			}
		}
	}
	return n
}

// String says what there is in it.
func (sc *Scenario) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, %s, %d loops, debug %t, %d descriptors, goroutines late by up to %d µs, loops by %d µs, limits %+v\n",
		sc.Seed, sc.Mood, sc.Loops, sc.Debug, sc.Descriptors, sc.Latest/1e3, sc.Late/1e3, sc.Limits)
	if sc.Drain > 0 {
		fmt.Fprintf(&b, "it shuts down at %d ms, and is cut %d ms later\n", sc.Drain/1e6, sc.Cut/1e6)
	}
	for _, c := range sc.Clients {
		fmt.Fprintf(&b, "client %d at %d ms: line %+v, thinks %d µs, pieces of %d, %d at once, HTTP/1.0 %t, keeps %t, HTTP/2 %t, window %d\n",
			c.Number, c.At/1e6, c.Line, c.Think/1e3, c.Piece, c.Depth, c.Old, c.Keeps, c.HTTP2, c.Window)
		for _, r := range c.Requests {
			fmt.Fprintf(&b, "  %s\n", r)
		}
	}
	return b.String()
}

// String says what is asked for, and what comes of it at both ends.
func (r *Request) String() string {
	s := fmt.Sprintf("#%d %s %s", r.ID, r.Method, r.path())
	if r.Body > 0 || r.Chunked {
		s += fmt.Sprintf(", body %d, chunked %t, expect %t, trailers %t", r.Body, r.Chunked, r.Expect, r.Trailers)
	}
	if r.Abort != "" {
		s += fmt.Sprintf(", abort %q after %d by %q", r.Abort, r.After, r.How)
	}
	return s + fmt.Sprintf("; handler %+v", r.Do)
}

// path is what the request asks for.
func (r *Request) path() string { return fmt.Sprintf("/%s%d/%d", r.Do.Route, r.Do.Number, r.ID) }

// fails reports whether the client does something that may cost it the response, and others on
// the connection theirs.
func (r *Request) fails() bool { return r.Abort != "" && r.How != "shut" }

// switches reports whether another protocol follows the request.
func (r *Request) switches() bool { return r.Do.How == "switch" }

// eager reports whether its client says what follows before it knows whether it may.
func (r *Request) eager() bool { return r.ID%3 == 0 && r.Do.End == "" }

// breaks reports whether the handler may end the connection.
func (d *Do) breaks() bool { return d.End != "" }

const (
	ofRequest = iota
	ofResponse
)
