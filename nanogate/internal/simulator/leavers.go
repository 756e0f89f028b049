//go:build linux

package simulator

import (
	"fmt"
	"slices"

	"dyno.example/nano/wire/simulated"
)

// leavers adds, to one in six of the worlds that have a cache, clients that ask for a long response
// that is stored and reset their connection at once: its first piece is written while the request
// is being read, when most of what an exchange has is not yet there. They are drawn from random
// numbers of their own, so that other worlds are what they were without them.
func (d *drawing) leavers() {
	random := simulated.Seeded(d.Seed, 104)
	i := slices.IndexFunc(d.Routes, func(r *Route) bool { return r.Kind == "cache" })
	if i < 0 || !random.OneIn(6) {
		return
	}
	r, at, length := d.Routes[i], d.Clients[random.Below(len(d.Clients))].At, random.Between(66000, 150000)
	d.fetches(r, at, length)
	for range random.Between(2, 7) {
		x := d.fetches(r, at+int64(random.Between(20, 2500))*1e6, length)
		x.Abort, x.How, x.After = "send", "reset", 1000
	}
}

// fetches adds a client that asks for what is stored.
func (d *drawing) fetches(r *Route, at int64, length int) *Request {
	for d.number++; d.number%6 != 4; d.number++ { // those are fresh for longest
	}
	one := &Request{ID: d.number, Route: r, Method: "GET", Path: fmt.Sprintf("/%s/long", r.Name), Want: length, Framing: "length"}
	d.Clients = append(d.Clients, &Client{Number: len(d.Clients), At: at, Line: simulated.Line{Capacity: 256 << 10}, Depth: 1, Requests: []*Request{one}})
	return one
}
