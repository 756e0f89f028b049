//go:build linux

package simulator

import (
	"fmt"
	"net/netip"
	"slices"

	"dyno.example/nano/wire/simulated"
)

// drawing draws a scenario.
type drawing struct {
	*Scenario
	*simulated.Random
	weather int // 0: nothing goes wrong, 1: what goes wrong must not be noticed, 2: anything
	number  int
}

// Draw draws the scenario of a seed, of about so many exchanges.
func Draw(seed uint64, exchanges int) *Scenario {
	d := &drawing{Scenario: &Scenario{Seed: seed, Loops: 1, Descriptors: 1 << 20}, Random: simulated.Seeded(seed, 100)}
	d.weather = d.Below(3)
	if d.OneIn(12) { // what gathers with time
		exchanges *= 8
	}
	if d.OneIn(4) {
		d.Loops = 2
	}
	d.Busy = d.pick(0, 20e3, 300e3, 20e6)
	d.Workers = d.pick(0, 2e6, 50e6)
	if d.weather == 2 && d.OneIn(10) {
		d.Descriptors = d.Between(8, 60)
	}
	for n := range d.Between(1, 4) {
		d.group(n)
	}
	for n := range d.Between(1, 6) {
		d.route(n)
	}
	d.hostility()
	for n := 0; d.number < exchanges; n++ {
		d.client(n)
	}
	d.leavers()
	d.drawGuards()
	d.crowd()
	d.changes()
	return d.Scenario
}

func (d *drawing) pick(of ...int64) int64 { return of[d.Below(len(of))] }

func (d *drawing) line() simulated.Line {
	capacities := []int{200, 2000, 16 << 10, 64 << 10, 256 << 10, 256 << 10, 256 << 10}
	l := simulated.Line{Capacity: capacities[d.Below(len(capacities))], Latest: d.pick(0, 0, 50e3, 1e6, 20e6), Pieces: d.OneIn(2)}
	if l.Capacity < 1000 {
		l.Latest = min(l.Latest, 50e3) // or it would take minutes
	}
	return l
}

func (d *drawing) group(n int) {
	g := &Group{Name: fmt.Sprintf("g%d", n), HTTP2: d.OneIn(2)}
	if d.OneIn(10) {
		g.Warm = d.Between(1, 3)
	}
	g.Balance = []string{"least-request", "round-robin", "ewma", "{hash: path}"}[d.Below(4)]
	if d.OneIn(8) {
		g.Bound = d.Between(1, 6)
	}
	for i := range 3 {
		number := n*3 + i + 1
		e := &Endpoint{
			Name: fmt.Sprintf("g%d/%d", n, i), Number: number, Group: g, At: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(n), byte(i + 1)}), uint16(8000+number)),
			Line: d.line(), Think: d.pick(0, 0, 100e3, 2e6), Connect: d.pick(0, 0, 100e3, 30e6),
		}
		if d.OneIn(3) {
			e.Piece = d.Between(200, 5000)
		}
		if e.Line.Capacity < 1000 {
			e.Piece = 0
		}
		if g.HTTP2 {
			e.Greet = d.pick(0, 0, 1e6, 300e6)
			e.Streams = uint32(d.pick(0, 0, 0, 1, 2, 5))
			e.Window = uint32(d.pick(0, 0, 600, 4000, 16384, 262144))
		}
		if d.weather == 2 {
			e.Idle = d.pick(0, 0, 1e6, 50e6, 500e6)
			e.Refuses = int(d.pick(0, 0, 0, 10, 3))
			e.Farewell = e.Idle > 0 && !g.HTTP2 && d.OneIn(3)
		}
		if i < 1+d.Below(2) || i == 0 {
			g.Endpoints = append(g.Endpoints, e)
		} else {
			g.Spare = e
		}
	}
	d.Groups = append(d.Groups, g)
}

func (d *drawing) anyGroup() *Group { return d.Groups[d.Below(len(d.Groups))] }

func (d *drawing) route(n int) {
	g := d.anyGroup()
	r := &Route{Name: fmt.Sprintf("r%d", n), Kind: "plain", Groups: []*Group{g}, To: g.Name}
	switch {
	case d.OneIn(4):
		r.Kind = "cache"
	case d.OneIn(6):
		r.Kind = "ws"
	case g.HTTP2 && d.OneIn(3):
		r.Kind = []string{"grpc", "web", "json"}[d.Below(3)]
	}
	if other := d.anyGroup(); d.OneIn(4) && other != g && !(r.needsHTTP2() && !other.HTTP2) {
		r.Groups, r.To = append(r.Groups, other), fmt.Sprintf("{%s: 60, %s: 40}", g.Name, other.Name)
	}
	d.features(r)
	d.Routes = append(d.Routes, r)
}

// lengthOf is that of a body: mostly short, sometimes around what the gateway reads and keeps,
// sometimes long.
func (d *drawing) lengthOf() int {
	switch d.Below(24) {
	case 0, 1, 2, 3, 4, 5:
		return 0
	case 6:
		return 1
	case 7, 8, 9:
		return d.Between(1000, 5000)
	case 10:
		return 16384 + d.Between(-2, 2)
	case 11:
		return 65536 + d.Between(-1000, 1000)
	case 12:
		return d.Between(60000, 150000)
	}
	return d.Between(2, 300)
}

func (d *drawing) client(n int) {
	c := &Client{
		Number: n, HTTP2: d.OneIn(2), At: int64(d.Below(1000*(1+n/8))) * 100e3, Line: d.line(), Think: d.pick(0, 0, 100e3, 3e6),
		Depth: d.Between(1, 6), Window: uint32(d.pick(0, 0, 500, 5000, 1<<20)),
	}
	if d.OneIn(3) && c.Line.Capacity > 1000 {
		c.Piece = d.Between(200, 5000)
	}
	if !c.HTTP2 && d.OneIn(2) {
		c.Depth = 1
	}
	for range d.Between(1, 12) {
		d.request(c)
	}
	if !c.HTTP2 && d.OneIn(5) && !slices.ContainsFunc(c.Requests, func(r *Request) bool { return r.Route.tunnels() }) {
		c.old(d.OneIn(2))
	}
	d.Clients = append(d.Clients, c)
}

// old makes it a client of HTTP/1.0.
func (c *Client) old(keeps bool) {
	c.Old, c.Keeps, c.Depth = true, keeps, 1
	for _, r := range c.Requests {
		r.Chunked, r.Expect, r.Asked = false, false, false
	}
}

// pathOf is the path of a request of its own.
func pathOf(r *Route, id int) string { return fmt.Sprintf("/%s/%d", r.Name, id) }

func (d *drawing) request(c *Client) {
	d.number++
	methods := []string{"GET", "GET", "GET", "HEAD", "PUT", "PUT", "POST", "POST", "DELETE"}
	r := &Request{ID: d.number, Route: d.Routes[d.Below(len(d.Routes))], Method: methods[d.Below(len(methods))], Want: d.lengthOf(), Chunked: d.OneIn(2)}
	r.Framing = []string{"length", "length", "chunks", "close"}[d.Below(4)]
	for r.Route.Kind == "grpc" && !c.HTTP2 {
		if r.Route = d.Routes[d.Below(len(d.Routes))]; d.OneIn(50) {
			d.number--
			return // there may be no other
		}
	}
	if r.Route.calls() {
		r.Method, r.Framing, r.Chunked = "POST", "chunks", true
	}
	if r.Route.tunnels() {
		r.Method, r.Framing = "GET", "length"
	}
	if r.Path = pathOf(r.Route, r.ID); r.Route.Kind == "cache" {
		r.Path = fmt.Sprintf("/%s/key%d", r.Route.Name, d.Below(8))
		if !d.OneIn(6) {
			r.Method = []string{"GET", "GET", "HEAD"}[d.Below(3)]
		}
	}
	if r.Method == "PUT" || r.Method == "POST" || r.Method == "DELETE" && d.OneIn(2) {
		r.Body = d.lengthOf()
	}
	r.Expect = r.Body > 0 && d.OneIn(8)
	r.Asked = r.Chunked && r.Body > 0 && d.OneIn(4)
	if r.Route.tunnels() {
		r.Body, r.Chunked, r.Interims = d.lengthOf(), false, 0
	}
	if r.Route.json() {
		r.Method, r.Framing, r.Early = "POST", "chunks", false
		r.Body, r.Want = min(d.lengthOf(), 40000), min(r.Want, 40000)
	}
	if r.Route.calls() || r.Route.tunnels() || r.Route.json() {
		r.Asked, r.Expect = false, false
	}
	r.Replies = r.Framing == "chunks" && d.OneIn(3)
	r.Early = r.Body > 0 && d.OneIn(10) && !r.Route.tunnels() && !r.Route.json()
	if d.OneIn(6) {
		if r.Interims = d.Between(1, 3); d.OneIn(8) {
			r.Interims = 25 // of 32 that there may be
		}
	}
	if d.OneIn(5) {
		r.Delay = d.pick(1e6, 20e6, 100e6)
	}
	if d.OneIn(15) {
		r.Abort, r.How = []string{"send", "receive"}[d.Below(2)], []string{"close", "reset", "shut", "stream", "stream"}[d.Below(5)]
		most := 300 + r.Body
		if r.Abort == "receive" {
			most = 200 + r.Want
		}
		r.After = d.Below(most)
	}
	if !c.HTTP2 && r.Route.Kind == "plain" && d.OneIn(40) {
		r.Method, r.Nonsense, r.Expect, r.Asked, r.Abort, r.Body, r.Early = "GET", d.Between(1, nonsenses), false, false, "", 0, false
	}
	d.faults(r)
	c.Requests = append(c.Requests, r)
}

// softFaults are those of which a client must not notice anything; hard ones it may.
var (
	softFaults = []string{"refused", "refused-late", "goaway0", "goaway0-late", "goaway", "graceful", "goaway-after"}
	hardFaults = []string{
		"rst-head", "close-head", "cut-head", "rst-body", "close-body", "cut-body", "rst-response", "close-response", "cut-response",
		"close-after", "cut-after", "status", "hang", "close-within-head", "cut-within-head", "talks-after", "nonsense-head", "nonsense-body",
	}
	refusing  = []string{"refused", "refused-late", "goaway0", "goaway0-late"}
	overHTTP2 = []string{"refused", "refused-late", "goaway0", "goaway0-late", "goaway", "graceful", "goaway-after", "rst-head", "rst-body", "rst-response"}
)

func (d *drawing) faults(r *Request) {
	if d.weather == 0 {
		return
	}
	all := softFaults
	if d.weather == 2 {
		all = slices.Concat(softFaults, hardFaults)
	}
	for try := range 4 {
		f := Fault{}
		if d.OneIn(5) {
			f.Kind, f.At = all[d.Below(len(all))], d.Below(400)
			if d.OneIn(4) {
				f.At = d.Below(100000)
			}
			d.suits(r, f, try)
		}
		r.Tries = append(r.Tries, f)
	}
}

// suits makes a request one to which a fault does what it can do, now and then: most are too short.
func (d *drawing) suits(r *Request, f Fault, try int) {
	if r.Route.Kind != "plain" {
		return
	}
	http2, often := r.Route.Groups[0].HTTP2, r.ID%2 == 0
	switch kind := f.Kind; {
	case kind == "talks-after":
		if r.Want = 58000 + d.Below(6000); often && try == 0 {
			r.Want %= 1000 // all that is said is in one read
		}
		r.Framing, r.Interims = "length", 0
	case try > 0 || !often:
	case kind == "cut-after" && http2: // nobody repeats it, and its response fits where others have no room
		r.Method, r.Body, r.Want, r.Expect, r.Asked, r.Early = "POST", 0, r.Want%1000, false, false, false
	case (kind == "close-response" || kind == "cut-response") && !http2 && r.Body > 0: // which may be heard by what is still written
		r.Framing, r.Early, r.Body, r.Want = "close", true, 40000+r.Body%40000, 40000+r.Want%40000
	}
}

func (d *drawing) changes() {
	last := int64(0)
	for _, c := range d.Clients {
		last = max(last, c.At)
	}
	if d.OneIn(2) {
		for range d.Between(1, 10) {
			d.Changes = append(d.Changes, &Change{At: int64(d.Below(int(last/1e6)+100)) * 1e6, Kind: "reload", Seed: d.Next()})
		}
	}
	if d.OneIn(6) {
		d.Changes = append(d.Changes, &Change{At: last/2 + int64(d.Below(int(last/1e6)+100))*1e6, Kind: "drain"})
	}
}
