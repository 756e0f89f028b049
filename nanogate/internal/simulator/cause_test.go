//go:build linux

package simulator

import (
	"fmt"
	"testing"

	"dyno.example/nano/wire/simulated"
)

// caught is a request that has just begun, of which something may have happened to its upstream.
func caught(body int) (*world, *exchange, *Group) {
	w, g := &world{Scenario: &Scenario{}, sys: simulated.New(1, 10)}, &Group{}
	return w, &exchange{Request: &Request{Route: &Route{Groups: []*Group{g}}}, body: make([]byte, body), begun: w.sys.Now()}, g
}

// moment is what befell a request's upstream, and whether that excuses the request's failure.
type moment struct {
	name string
	at   []int64 // by when the gateway knew of it each time, from the beginning of the request on
	body int
	want bool
}

// excuse has a cause judge moments, which are noted in the list of a group.
func excuse(t *testing.T, is func(*world, *exchange) bool, list func(*Group) *[]int64, moments []moment) {
	t.Helper()
	for _, m := range moments {
		w, x, g := caught(m.body)
		for _, at := range m.at {
			*list(g) = append(*list(g), x.begun+at)
		}
		if got := is(w, x); got != m.want {
			t.Errorf("%s: %t", m.name, got)
		}
	}
}

// A request is excused by a connection that took no more of them if the gateway learned so when
// it was under way, and by none of which the gateway knew before.
func TestWhoIsMoved(t *testing.T) {
	const second = int64(1e9)
	excuse(t, (*world).moved, func(g *Group) *[]int64 { return &g.went }, []moment{
		{"none went", nil, kept + 1, false},
		{"one went, and the body is kept", []int64{10}, kept, false},
		{"one went, and the body is too long", []int64{10}, kept + 1, true},
		{"it was known long before", []int64{-second}, kept + 1, false},
		{"it was known long before of most", []int64{10, -second, -second, 20, -second}, 0, false},
		{"as often as requests move, known in any order", []int64{10, -second, 30, 20}, 0, true},
		{"one isn't known yet", []int64{1 << 61}, kept + 1, true},
	})
}

// A 408 of an idle connection that is closed is a response only to what can't be sent once more: a
// part of its body has gone, or it was sent once more already.
func TestWhoIsPartedFrom(t *testing.T) {
	excuse(t, (*world).parted, func(g *Group) *[]int64 { return &g.parted }, []moment{
		{"none was closed", nil, 10, false},
		{"one was closed, without a body", []int64{10}, 0, false},
		{"one was closed, with a body", []int64{10}, 1, true},
		{"one was closed long before", []int64{-1e9}, 1, false},
		{"two were closed", []int64{10, 20}, 0, true},
	})
	for name, befell := range map[string]func(*exchange){
		"one was closed, when one try had been lost":               func(x *exchange) { x.runs = []*run{{broken: true}} },
		"one was closed, when one had been sent where nobody read": func(x *exchange) { x.stale = true },
	} {
		w, x, g := caught(0)
		befell(x)
		if w.parted(x) {
			t.Errorf("%s, and none was", name)
		}
		if g.parted = []int64{x.begun + 10}; !w.parted(x) {
			t.Error(name)
		}
	}
	excuse(t, (*world).parted, func(g *Group) *[]int64 { return &g.unused }, []moment{
		{"one was closed that had carried nothing", []int64{10}, 0, true},
		{"one was closed that had carried nothing, long before", []int64{-1e9}, 0, false},
	})
}

// A request of which nothing was written moves on once from where HTTP/2 is broken.
func TestWhoIsSpoilt(t *testing.T) {
	for _, test := range []struct {
		name   string
		spoilt []int64 // by when it was known, from the beginning of the request on
		stale  bool
		want   bool
	}{
		{"none was broken", nil, true, false},
		{"one was", []int64{10}, false, false},
		{"one was, and it had moved on from a loss", []int64{10}, true, true},
		{"one was, long before", []int64{-1e9}, true, false},
		{"two were", []int64{20, 10}, false, true},
	} {
		w, x, g := caught(0)
		for _, at := range test.spoilt {
			g.spoilt = append(g.spoilt, x.begun+at)
		}
		if x.stale = test.stale; w.spoilt(x) != test.want {
			t.Errorf("%s: %t", test.name, !test.want)
		}
	}
}

// A request that waits for a place moves on from connections that end until it has moved too often:
// then each is a try that came to nothing, as one that was refused is.
func TestWhoIsUnconnected(t *testing.T) {
	for _, test := range []struct {
		name                string
		refused, left, went int
		want                bool
	}{
		{"nothing", 0, 0, 0, false},
		{"one was refused, of two tries", 1, 0, 0, false},
		{"two were", 2, 0, 0, true},
		{"one was, and it moved", 1, 8, 0, false},
		{"one was, and it moved too often", 1, 5, 4, true},
		{"it only moved", 0, 5, 4, false},
		{"it only moved, and moved", 0, 10, 0, true},
	} {
		w, x, g := caught(0)
		x.Route.retry = 2
		for list, n := range map[*[]int64]int{&g.refused: test.refused, &g.left: test.left, &g.went: test.went} {
			for range n {
				*list = append(*list, x.begun+10)
			}
		}
		if w.unconnected(x) != test.want {
			t.Errorf("%s: %t", test.name, !test.want)
		}
	}
}

// A request may get no response in time from behind more than its line carries meanwhile.
func TestWhoCrawls(t *testing.T) {
	for _, test := range []struct {
		name   string
		took   int64
		others int
		busy   int64
		want   bool
	}{
		{"alone", 41e9, 0, 20e6, false},
		{"behind many", 41e9, 100, 20e6, true},
		{"behind many, and not for long", 39e9, 100, 20e6, false},
		{"behind many that the line carries", 41e9, 100, 1e6, false},
	} {
		w, x, g := caught(0)
		w.Busy, g.Endpoints = test.busy, []*Endpoint{{Group: g, Line: simulated.Line{Capacity: 200}}}
		x.begun -= test.took
		for range test.others {
			w.exchanges = append(w.exchanges, &exchange{Request: &Request{Route: x.Route, Want: 10_000}, begun: x.begun + 1})
		}
		if w.crawls(x) != test.want {
			t.Errorf("%s: %t", test.name, !test.want)
		}
	}
}

// A request that isn't kept can't move on from a connection that is ended.
func TestWhoIsUnkept(t *testing.T) {
	excuse(t, (*world).unkept, func(g *Group) *[]int64 { return &g.left }, []moment{
		{"none was ended", nil, kept + 1, false},
		{"one was, and the body is kept", []int64{10}, kept, false},
		{"one was, and the body is too long", []int64{10}, kept + 1, true},
		{"one was, long before", []int64{-1e9}, kept + 1, false},
	})
}

// A response for which the gateway asks another endpoint isn't the one that it has to give.
func TestWhatHasResponded(t *testing.T) {
	again := []*Line{{Text: "retry: {attempts: 3}"}}
	for _, test := range []struct {
		name  string
		lines []*Line
		runs  []*run
		want  bool
	}{
		{"none", nil, nil, false},
		{"one", again, []*run{{responded: true}}, true},
		{"one that was lost", again, []*run{{responded: true, broken: true}}, false},
		{"a mirror's", again, []*run{{responded: true, shadow: true}}, false},
		{"an error", nil, []*run{{responded: true, fault: Fault{Kind: "status"}}}, true},
		{"an error, of which another one is asked", again, []*run{{responded: true, fault: Fault{Kind: "status"}}}, false},
	} {
		x := &exchange{Request: &Request{Route: &Route{Lines: test.lines}}, runs: test.runs}
		if got := x.responded(); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

// Worlds in which the judge took for a failure what had a reason.
func TestWhatWasExcusable(t *testing.T) {
	for _, seed := range []uint64{
		16281,  // the end of a connection took longer than its line takes: it came in pieces
		16897,  // a request that isn't kept had a place on one that was ended
		1472,   // what a reset took away was told before what had arrived and was read
		16886,  // a reset came long behind what had been said before
		44732,  // one had moved on from eight connections, and the next was refused
		50247,  // on a connection that had carried nothing a 408 was the response, before its end came
		54316,  // one that was turned away came again a thousand times a second
		56534,  // a line was too slow for what was asked for
		81445,  // a line was too slow, and a response had 40 s to begin
		89748,  // what was read behind the last request of a connection wasn't looked at
		91603,  // one that isn't kept had a place on a connection that was ended with others on it
		68718,  // a 408 was the response to what had been sent once more
		182494, // a reset took away the GOAWAY that would have said that a request wasn't looked at
		144307, // a fault in the rest of a body, behind the response, took the next request along
		32479,  // one went from an error to an endpoint that broke HTTP/2
	} {
		if r := Run(Draw(seed, 300), Options{}); r.Failed() {
			t.Errorf("seed %d: %v %v", seed, r.Violations, r.Err)
		}
	}
}

// What is sent where nobody reads is no excuse if that is an end of which requests go elsewhere:
// once, and where the connection had carried others.
func TestWhatMissesIsSentAgain(t *testing.T) {
	x := &exchange{Request: &Request{Method: "GET", Route: &Route{}}, begun: 20}
	if x.misses(10); x.suffered() {
		t.Error("of a connection that was used before it fails the first time")
	}
	if x.misses(10); !x.suffered() {
		t.Error("a second time is no excuse")
	}
	if x = (&exchange{Request: &Request{Method: "GET", Route: &Route{}}, begun: 20}); x.suffered() {
		t.Error("nothing was done to it")
	}
	if x.misses(0); !x.suffered() {
		t.Error("a connection that wasn't used before, or on which nonsense was said, is no excuse")
	}
}

// A response that isn't HTTP harms its request from its first byte on: the gateway may have read
// no more of it when it says so. One that is only planned doesn't.
func TestNonsenseHarmsAtOnce(t *testing.T) {
	sc := small(1)
	e := sc.Groups[0].Endpoints[0]
	e.Piece, e.Think = 16, 1e6
	for at := range responses1 {
		sc.asks(1, Request{Method: "GET", Tries: []Fault{{Kind: "nonsense-head", At: at}}})
	}
	holds(t, sc, 0)
	x := &exchange{Request: sc.Clients[0].Requests[0], runs: []*run{{fault: Fault{Kind: "nonsense-head"}}}}
	if x.suffered() {
		t.Error("nothing was done to it")
	}
}

// What comes on a connection over HTTP/2 behind its end is seen to be lost, although the endpoint
// takes one stream at a time and hadn't done with that one.
func TestWhatComesBehindTheOnlyStream(t *testing.T) {
	sc := small(1)
	g := sc.Groups[0]
	g.HTTP2 = true
	e := g.Endpoints[0]
	e.Streams, e.Line.Latest = 1, 20e6
	sc.Routes[0].Lines = []*Line{{Text: "timeout: 5ms"}}
	sc.Routes[0].timeout = 5e6
	sc.asks(10, Request{Method: "GET", Tries: []Fault{{Kind: "nonsense-body"}}})
	holds(t, sc, -1)
}

// That an endpoint hasn't looked at a request excuses its failure if the connection is lost before that
// has been written.
func TestDeniedBehindWhatIsNotWritten(t *testing.T) {
	sc := small(1)
	g := sc.Groups[0]
	g.HTTP2 = true
	g.Endpoints[0].Line = simulated.Line{Capacity: 200, Latest: 50e3}
	sc.asks(1, Request{Method: "GET", Want: 50000})
	for n, r := range []Request{{Method: "POST", Tries: []Fault{{Kind: "refused"}}}, {Method: "PUT", Body: 10, Tries: []Fault{{Kind: "close-body"}}}} {
		other := *sc.Clients[0]
		other.Number, other.At, other.Requests = n+1, int64(n+1)*1e6, nil
		r.ID, r.Route, r.Path, r.Framing = n+2, sc.Routes[0], fmt.Sprintf("/r0/%d", n+2), "length"
		other.Requests = []*Request{&r}
		sc.Clients = append(sc.Clients, &other)
	}
	holds(t, sc, -1)
}
