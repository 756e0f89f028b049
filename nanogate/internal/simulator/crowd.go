//go:build linux

package simulator

import "dyno.example/nano/wire/simulated"

// crowd adds, to one in six of the worlds where anything may go wrong, a client whose uploads fill
// connections over HTTP/2 on which short responses are whole when their endpoint resets them: a
// write hears of that first then, while what was said before is unread. By chance alone that is
// rare, and comes to what may be repeated. It is drawn from random numbers of its own, so that other
// worlds are what they were without it.
func (d *drawing) crowd() {
	random := simulated.Seeded(d.Seed, 103)
	if d.weather != 2 || !random.OneIn(6) {
		return
	}
	g := d.Groups[random.Below(len(d.Groups))]
	if !g.HTTP2 {
		return
	}
	for _, e := range g.all() {
		e.Line, e.Think, e.Piece = simulated.Line{Capacity: random.Between(1500, 6000)}, 1e6, 0
	}
	r := &Route{Name: "crowd", Kind: "plain", Groups: []*Group{g}, To: g.Name, retry: 2}
	d.Routes = append(d.Routes, r)
	at := d.Clients[random.Below(len(d.Clients))].At
	c := &Client{Number: len(d.Clients), HTTP2: true, At: at, Line: simulated.Line{Capacity: 256 << 10}, Depth: random.Between(3, 6)}
	for range random.Between(5, 15) {
		for range random.Between(1, 3) {
			d.posts(c, r, 30000+random.Below(20000), random.Below(500))
		}
		for range random.Between(1, 2) {
			d.posts(c, r, 0, random.Below(500)).Tries = []Fault{{Kind: "cut-after"}}
		}
	}
	d.Clients = append(d.Clients, c)
}

// posts adds a request that nobody repeats.
func (d *drawing) posts(c *Client, r *Route, body, want int) *Request {
	d.number++
	one := &Request{ID: d.number, Route: r, Method: "POST", Path: pathOf(r, d.number), Body: body, Want: want, Framing: "length"}
	c.Requests = append(c.Requests, one)
	return one
}
