//go:build linux

package simulator

import (
	"fmt"
	"net/netip"
	"testing"

	"dyno.example/nano/wire/simulated"
)

// Small worlds in which something didn't hold once.

// small is a world with one route, to an upstream of so many endpoints, and one client.
func small(endpoints int) *Scenario {
	g := &Group{Name: "g0", Balance: "round-robin"}
	for i := range endpoints {
		e := &Endpoint{Name: "g0/0", Number: i + 1, Group: g, At: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)}), 8001), Line: simulated.Line{Capacity: 256 << 10}}
		g.Endpoints = append(g.Endpoints, e)
	}
	r := &Route{Name: "r0", Kind: "plain", Groups: []*Group{g}, To: g.Name, retry: 2}
	return &Scenario{
		Seed: 1, Loops: 1, Descriptors: 1000, Groups: []*Group{g}, Routes: []*Route{r},
		Clients: []*Client{{Line: simulated.Line{Capacity: 256 << 10}, Depth: 1}},
	}
}

// asks adds requests to the client's.
func (sc *Scenario) asks(n int, r Request) {
	c := sc.Clients[0]
	for range n {
		one := r
		one.ID, one.Route = len(c.Requests)+1, sc.Routes[0]
		one.Path = fmt.Sprintf("/r0/%d", one.ID)
		if one.Framing == "" {
			one.Framing = "length"
		}
		c.Requests = append(c.Requests, &one)
	}
}

// holds runs a world in which all must hold, and so many requests must get a 200; below 0: any
// number.
func holds(t *testing.T, sc *Scenario, right int) {
	t.Helper()
	for sc.Seed = 1; sc.Seed <= 20; sc.Seed++ {
		r := Run(sc, Options{})
		if r.Failed() || right >= 0 && r.Counts["200"] != right {
			t.Fatalf("seed %d: %v, %v, %v\n%s\n%s", sc.Seed, r.Err, r.Counts, r.Violations, sc, r.Log)
		}
	}
}

// A head that comes in two reads is in the client's buffer, and the body behind it, when the
// first endpoint can't be connected to at once and the request goes to the second one: only
// the body is the body.
func TestBodyBehindItsHeadWhenConnectingFails(t *testing.T) {
	sc := small(2)
	sc.Groups[0].Endpoints[0].Refuses = 1
	sc.Clients[0].Piece, sc.Clients[0].Think = 100, 1e5
	sc.asks(10, Request{Method: "PUT", Body: 400, Want: 10})
	sc.asks(10, Request{Method: "POST", Body: 400, Chunked: true, Want: 10})
	holds(t, sc, 20)
	sc.Clients[0].Piece, sc.Clients[0].Depth = 0, 4
	holds(t, sc, 20)
}

// An endpoint that resets its connection in the middle of a response that ends with it, while
// the request's body is still coming: a write hears of the reset, the read after it gets what
// came before and then the end. That is none of the response.
func TestResetThatAWriteHearsOf(t *testing.T) {
	sc := small(1)
	sc.Busy, sc.Clients[0].Piece, sc.Clients[0].Think = 3e6, 3000, 2e5
	for at := range 20 {
		sc.asks(1, Request{Method: "POST", Body: 30000, Chunked: true, Want: 60000, Framing: "close", Early: true, Tries: []Fault{{Kind: "cut-response", At: 300 * at}}})
	}
	holds(t, sc, 0)
}

// A request that has waited for another one like it has its deadline when it comes to wait for
// a place at the upstream: when that is over nobody has been asked yet.
func TestDeadlineWhileAPlaceIsWaitedFor(t *testing.T) {
	sc := small(1)
	sc.Groups[0].Bound = 1
	sc.Routes[0].Kind = "cache"
	sc.Routes[0].Lines = []*Line{{Text: "cache: {shared: true, wait: 5s}"}, {Text: "timeout: 35ms"}}
	sc.Clients[0].HTTP2, sc.Clients[0].Depth = true, 20
	sc.asks(60, Request{Method: "GET", Want: 10, Delay: 30e6})
	for i, r := range sc.Clients[0].Requests {
		r.Path = fmt.Sprintf("/r0/key%d", i%3)
	}
	holds(t, sc, -1)
}

// A newer response that nobody waits for is asked for by way of the upstream's limits too. Its
// turn there isn't one by the route's guards, which have let its client's request pass.
func TestRevalidationThatWaitsForAPlace(t *testing.T) {
	sc := small(1)
	sc.Groups[0].Bound = 1
	sc.Routes[0].Kind = "cache"
	sc.Routes[0].Lines = []*Line{{Text: "cache: {shared: true}"}, {Text: "use: [at-once]"}}
	for n := range 8 {
		c := &Client{Number: n + 1, At: int64(n) * 700e6, Line: sc.Clients[0].Line, Depth: 4, HTTP2: true}
		sc.Clients = append(sc.Clients, c)
		for i := range 12 {
			id := 6*(1+n*12+i) + 1 // whose responses may be given while a newer one is asked for
			c.Requests = append(c.Requests, &Request{ID: id, Route: sc.Routes[0], Method: "GET", Path: fmt.Sprintf("/r0/key%d", i%4), Want: 10, Framing: "length", Delay: 3e6})
		}
	}
	sc.Clients = sc.Clients[1:]
	holds(t, sc, -1)
}

// A client has reset its connection when the first piece of a response that is stored is written:
// its request ends with it, and gives back the place that it has by the route's limit.
func TestStoredForAClientThatIsGone(t *testing.T) {
	for _, limit := range []string{"concurrency: 5", "shed: {objective: 5ms}"} {
		sc := small(1)
		sc.Routes[0].Kind = "cache"
		sc.Routes[0].Lines = []*Line{{Text: "cache: {shared: true}"}, {Text: limit}}
		r := Request{Route: sc.Routes[0], Method: "GET", Path: "/r0/key0", Want: 97923, Framing: "length"}
		sc.Clients = append(sc.Clients, &Client{Number: 1, At: 500e6, Line: sc.Clients[0].Line, Depth: 1})
		for i, c := range sc.Clients {
			one := r
			if one.ID = 6*i + 1; i > 0 {
				one.Abort, one.How, one.After = "send", "reset", 1000
			}
			c.Requests = []*Request{&one}
		}
		holds(t, sc, 1)
	}
}

// Requests that wait for a place on connections to an endpoint end there, although a change of
// the configuration takes the endpoint away: all of the connections are to go then.
func TestPlacesAtAnEndpointThatIsGone(t *testing.T) {
	sc := small(2)
	g := sc.Groups[0]
	g.HTTP2, g.Spare, g.Endpoints = true, g.Endpoints[1], g.Endpoints[:1]
	g.Endpoints[0].Streams = 1
	c := sc.Clients[0]
	c.HTTP2, c.Depth = true, 60
	sc.asks(180, Request{Method: "GET", Want: 10, Delay: 1500e6})
	all := c.Requests
	sc.Clients = nil
	for i := range 3 {
		one := *c
		one.Number, one.Requests = i, all[i*60:(i+1)*60]
		sc.Clients = append(sc.Clients, &one)
	}
	sc.Changes = []*Change{{At: 500e6, Kind: "reload", Seed: sc.seedThatTakesAway(t)}}
	holds(t, sc, 180)
}

// seedThatTakesAway is one of a change after which the first endpoint isn't there any more.
func (sc *Scenario) seedThatTakesAway(t *testing.T) uint64 {
	for seed := range uint64(1000) {
		random := simulated.Seeded(seed)
		if random.OneIn(3) {
			continue
		}
		c, err := sc.configure("/", random)
		if err != nil {
			t.Fatal(err)
		}
		if list := c.Upstreams[0].Endpoints; len(list) == 1 && list[0].Address.IP != sc.Groups[0].Endpoints[0].At {
			return seed
		}
	}
	t.Fatal("there is none")
	return 0
}

// A client of HTTP/1.0 that has closed its side may still read: a response that breaks off for
// that mustn't look as if it were whole.
func TestHalfClosedClientOfHTTP10(t *testing.T) {
	sc := small(1)
	c := sc.Clients[0]
	c.Line.Capacity, c.Think, c.Piece = 2000, 1e5, 500
	sc.asks(10, Request{Method: "GET", Want: 150000, Framing: "chunks", Abort: "receive", How: "shut", After: 3000})
	c.old(false)
	holds(t, sc, -1)
}

// An endpoint that closes a connection because nothing has come says so (RFC 9110 15.5.9). That is
// no response to the request which is on its way then.
func TestFarewellOfAnIdleConnection(t *testing.T) {
	sc := small(1)
	e := sc.Groups[0].Endpoints[0]
	e.Idle, e.Farewell, e.Line.Latest = 2e6, true, 1e6
	c := sc.Clients[0]
	c.Think, sc.Busy = 1e6, 300e3
	for _, method := range []string{"GET", "PUT", "HEAD", "DELETE", "GET"} {
		sc.asks(40, Request{Method: method, Want: 10})
	}
	holds(t, sc, 200)
	c.HTTP2, c.Depth = true, 3
	sc.asks(100, Request{Method: "POST", Body: 3000, Chunked: true, Want: 10})
	holds(t, sc, -1)
}

// Nor is it when the request has arrived by then, unread, so that the connection is reset and a part of
// the 408 is lost.
func TestFarewellThatIsCut(t *testing.T) {
	sc := small(1)
	e := sc.Groups[0].Endpoints[0]
	e.Idle, e.Farewell, e.Line.Latest, e.Think = 2e6, true, 50e3, 2e6
	sc.Clients[0].Think = 1e6
	for _, method := range []string{"GET", "PUT", "HEAD", "DELETE"} {
		sc.asks(40, Request{Method: method, Want: 10})
	}
	holds(t, sc, -1)
}

// The last response before a connection is closed is read to its end, although its client has sent
// the next request, of which the loop hears in the same batch as of the response's end.
func TestRequestBehindTheLastResponse(t *testing.T) {
	sc := small(1)
	sc.Groups[0].Endpoints[0].Line = simulated.Line{Capacity: 2000, Latest: 1e6}
	sc.Busy = 20e6
	one := sc.Clients[0]
	one.Depth, one.Line.Latest = 2, 20e6
	sc.asks(200, Request{Method: "GET", Want: 3000, Framing: "chunks"})
	all := one.Requests
	sc.Clients = nil
	for n := range 20 {
		c := *one
		c.Number, c.Requests = n, all[10*n:10*n+10]
		sc.Clients = append(sc.Clients, &c)
	}
	sc.Changes = []*Change{{At: 150e6, Kind: "drain"}}
	holds(t, sc, -1)
}

// A request that has a place on a connection over HTTP/2, and whose content isn't in yet, gets
// another one when its endpoint breaks the protocol on that.
func TestPlaceOnAConnectionThatBreaksTheProtocol(t *testing.T) {
	sc := small(1)
	sc.Groups[0].HTTP2, sc.Routes[0].Kind = true, "json"
	sc.Routes[0].Lines = []*Line{{Text: "grpc-json: {descriptors: ./api.pb}"}}
	c := sc.Clients[0]
	c.HTTP2, c.Depth, c.Think, c.Piece = true, 3, 1e6, 1000
	sc.asks(1, Request{Method: "POST", Body: 40000, Want: 10, Framing: "chunks"})
	sc.asks(1, Request{Method: "POST", Want: 10, Framing: "chunks", Tries: []Fault{{Kind: "nonsense-head"}}})
	sc.asks(3, Request{Method: "POST", Body: 40000, Want: 10, Framing: "chunks"})
	holds(t, sc, 4)
}

// A client stays with the endpoint whose response it got, although another one was asked first,
// which couldn't be connected to.
func TestSeatAtTheSecondEndpoint(t *testing.T) {
	sc := small(3)
	for _, e := range sc.Groups[0].Endpoints {
		e.Refuses = 3
	}
	sc.Routes[0].Lines = []*Line{{Text: "sticky: {cookie: seat, key: ./sticky}"}, {Text: "retry: {attempts: 3}"}}
	sc.Routes[0].retry = 3
	sc.Clients[0].Depth = 1
	sc.asks(60, Request{Method: "GET", Want: 10, Tries: []Fault{{Kind: "close-after"}}})
	holds(t, sc, -1)
}

// A client of HTTP/1.0 whose write hears of a reset gets the end behind it, when it reads what had
// come before: a response that lasts until the connection is closed isn't whole by that end.
func TestResetThatTheClientsWriteHearsOf(t *testing.T) {
	sc := small(1)
	c := sc.Clients[0]
	c.Line.Capacity, c.Think = 2000, 3e6
	for at := range 20 {
		sc.asks(1, Request{Method: "PUT", Body: 10000, Want: 20000, Framing: "close", Early: true, Tries: []Fault{{Kind: "cut-response", At: 300 * at}}})
	}
	c.old(true)
	holds(t, sc, 0)
}

// What an endpoint said before it reset its connection is read, although a write of what waited for the
// endpoint to take more hears of the reset first. Requests that share the connection fail of it, with the
// response that was all there none of them.
func TestResponseBehindWhichAWriteFails(t *testing.T) {
	sc := small(1)
	sc.Groups[0].HTTP2 = true
	e := sc.Groups[0].Endpoints[0]
	e.Line.Capacity, e.Think = 4000, 1e6
	c := sc.Clients[0]
	c.HTTP2, c.Depth = true, 4
	for range 10 {
		sc.asks(3, Request{Method: "POST", Body: 30000, Want: 10})
		sc.asks(2, Request{Method: "POST", Want: 100, Tries: []Fault{{Kind: "cut-after"}}})
	}
	holds(t, sc, -1)
}

// A request that waits behind others for its endpoint to take more, which that does and then breaks HTTP/2
// and closes: nobody but the gateway knows that nothing of it was written, also when there is room again
// of which the gateway hasn't heard.
func TestRoomOfWhichNobodyHasHeard(t *testing.T) {
	sc := small(1)
	sc.Groups[0].HTTP2 = true
	e := sc.Groups[0].Endpoints[0]
	e.Line.Capacity, e.Line.Latest = 2000, 20e6
	e.Greet = 300e6
	one := sc.Clients[0]
	sc.asks(1, Request{Method: "GET", Tries: []Fault{{Kind: "nonsense-body", At: 20322}}})
	sc.asks(1, Request{Method: "POST", Body: 8000})
	sc.asks(3, Request{Method: "GET"})
	all := one.Requests
	sc.Clients = nil
	for n, r := range all {
		c := *one
		c.Number, c.At, c.Requests = n+1, int64(n)*10e6, []*Request{r}
		sc.Clients = append(sc.Clients, &c)
	}
	holds(t, sc, -1)
}

// Nor does anybody else know it of what a full connection keeps waiting at the gateway which its endpoint
// has closed by then, although what was written ends with a frame.
func TestFramesBehindAFullConnection(t *testing.T) {
	for n := range 40 {
		sc := small(1)
		sc.Groups[0].HTTP2 = true
		e := sc.Groups[0].Endpoints[0]
		e.Line.Capacity, e.Line.Latest = 150+n, 2e6
		one := sc.Clients[0]
		sc.asks(1, Request{Method: "GET", Tries: []Fault{{Kind: "nonsense-body"}}})
		sc.asks(12, Request{Method: "GET"})
		all := one.Requests
		sc.Clients = nil
		for i, r := range all {
			c := *one
			c.Number, c.At, c.Requests = i+1, int64(i)*500e3, []*Request{r}
			if i > 0 {
				c.At += 2e6
			}
			sc.Clients = append(sc.Clients, &c)
		}
		holds(t, sc, -1)
	}
}

// A connection that its endpoint closes as nothing comes on it, while the gateway waits for the body of
// the request that it was made for, is as good as none: the request has another one, whatever its
// route sends again.
func TestClosedBeforeAnythingWasSent(t *testing.T) {
	if r := Run(Draw(136139, 300), Options{}); r.Failed() {
		t.Error(r.Violations, r.Err)
	}
}
