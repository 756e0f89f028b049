//go:build linux

package simulator

import (
	"slices"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/wire/simulated"
)

// drawing draws a scenario.
type drawing struct {
	*simulated.Random
	sc *Scenario
	id int
}

// Draw draws the scenario of a seed, with about so many requests.
func Draw(seed uint64, requests int) *Scenario {
	d := &drawing{Random: simulated.Seeded(seed, 100), sc: &Scenario{Seed: seed, Debug: seed%4 == 0}}
	sc := d.sc
	sc.Mood = [...]string{"calm", "prompt", "rough", "rough", "tight"}[d.Below(5)]
	sc.Loops = 1 + d.Below(2)
	sc.Descriptors = 10000
	sc.Latest = [...]int64{1, 1000, 20_000, 2_000_000}[d.Below(4)]
	sc.Late = [...]int64{1, 50_000, 3_000_000}[d.Below(3)]
	if sc.Mood == "prompt" {
		sc.Latest, sc.Late = 1, 1
	}
	d.limits()
	for number := 1; d.id < requests; number++ {
		d.client(number)
	}
	if !sc.well() && d.OneIn(3) {
		sc.Drain = 1 + int64(d.Below(300e6))
		sc.Cut = [...]int64{100e6, 3e9, 60e9}[d.Below(3)]
	}
	return sc
}

func (d *drawing) limits() {
	l := &d.sc.Limits
	*l = nano.Limits{MinRate: -1, MinTake: -1, BufferBody: [...]int{1, 100, 2000, 64 << 10}[d.Below(4)]}
	short := func() time.Duration { return time.Duration(1+d.Below(50)) * time.Millisecond }
	if d.sc.Mood == "prompt" {
		for _, t := range [...]*time.Duration{&l.ReadHead, &l.ReadBody, &l.Idle} { // longer than handlers may keep a loop
			*t = 100*time.Millisecond + short()
		}
	}
	if d.sc.well() {
		return
	}
	if d.OneIn(3) {
		l.Requests = 1 + d.Below(5)
	}
	if d.sc.Mood != "tight" {
		return
	}
	l.MinRate, l.MinTake = 0, 0
	for _, t := range [...]*time.Duration{&l.ReadHead, &l.ReadBody, &l.Idle, &l.WriteStall} {
		if d.OneIn(2) {
			*t = short()
		}
	}
	if d.OneIn(2) {
		l.Body = int64(1 + d.Below(5000))
	}
	if d.OneIn(2) {
		l.Connections = 1 + d.Below(4)
	}
	if d.OneIn(3) {
		l.PerAddress = 1 + d.Below(2)
	}
	if d.OneIn(3) {
		d.sc.Descriptors = 4 + 3*d.sc.Loops + d.Below(6)
	}
}

func (d *drawing) client(number int) {
	c := &Client{
		Number: number, At: int64(d.Below(50e6)), Depth: 1,
		Line:  simulated.Line{Capacity: [...]int{200, 2000, 30_000}[d.Below(3)], Latest: [...]int64{0, 50_000, 2_000_000}[d.Below(3)], Pieces: d.OneIn(2)},
		Think: [...]int64{0, 20_000, 1_000_000, 5_000_000}[d.Below(4)],
		Piece: [...]int{0, 100, 1000}[d.Below(3)],
	}
	if d.sc.Mood == "prompt" {
		c.Line, c.Think, c.Piece = simulated.Line{Capacity: 30_000}, 0, 0
	}
	if d.OneIn(2) {
		c.Depth = 1 + d.Below(8)
	}
	if d.OneIn(10) {
		c.Old, c.Keeps, c.Depth = true, d.OneIn(2), 1
	}
	if !c.Old && d.OneIn(3) {
		c.HTTP2, c.Depth, c.Window = true, 1+d.Below(12), [...]uint32{2000, 9000, 65535, 65535}[d.Below(4)]
	}
	for range 1 + d.Below(12) {
		c.Requests = append(c.Requests, d.request(c))
	}
	if slices.ContainsFunc(c.Requests, func(r *Request) bool { return r.Do.Route == "suspended" }) {
		for _, r := range c.Requests { // their bodies may take any time
			if r.How == "stall" {
				r.How = "close"
			}
		}
	}
	d.sc.Clients = append(d.sc.Clients, c)
}

func (d *drawing) size() int { return d.Below([...]int{1, 50, 3000, 70_000}[d.Below(4)] + 1) }

func (d *drawing) request(c *Client) *Request {
	d.id++
	r := &Request{ID: d.id, Method: [...]string{"GET", "GET", "POST", "PUT", "HEAD"}[d.Below(5)]}
	if r.Method == "POST" || r.Method == "PUT" {
		if r.Body = d.size(); c.HTTP2 && c.Line.Capacity == 30_000 && c.Piece != 100 && d.OneIn(16) {
			r.Body = 300_000 + d.Below(700_000) // more than windows are at first
		}
		r.Chunked = !c.Old && d.OneIn(2)
		r.Expect = !c.Old && r.Body > 0 && d.OneIn(4)
		r.Trailers = r.Chunked && d.OneIn(3)
	}
	d.handler(r)
	if !c.Old && d.OneIn(10) {
		d.other(r, c)
	}
	if !d.sc.well() && d.OneIn(12) {
		d.fault(r, c)
	}
	return r
}

func (d *drawing) handler(r *Request) {
	do := &r.Do
	do.Route, do.Number = [...]string{"auto", "auto", "loop", "goroutine", "suspended"}[d.Below(5)], d.Below(3)
	if do.Number > 0 { // routes of number 0 don't block, but for what their clients make them wait
		longest := 5_000_000
		if d.sc.Mood == "prompt" {
			longest = 500_000_000
		}
		pause := func() int64 { return int64(d.Below([...]int{1, 200_000, longest}[d.Below(3)])) }
		do.Before, do.Between, do.Pause = pause(), pause(), pause()
	}
	do.Body = [...]string{"whole", "whole", "pieces", "some", "none"}[d.Below(5)]
	do.How, do.Status = [...]string{"whole", "sized", "chunks"}[d.Below(3)], 200
	do.Size, do.Pieces, do.Flushes = d.size(), 1+d.Below(6), d.OneIn(2)
	do.Trailer = do.How == "chunks" && d.OneIn(3)
	if r.Body > 0 && d.OneIn(4) {
		do.Body, do.How, do.Trailer = "echo", "chunks", d.OneIn(2)
		return
	}
	if !d.sc.well() && d.OneIn(12) {
		do.End, do.Size = [...]string{"abort", "panic", "exit", "error", "short"}[d.Below(5)], max(do.Size, 1)
		if do.End == "short" && do.How != "sized" {
			do.End = "error"
		}
	} else if do.How == "whole" && d.OneIn(6) {
		do.Status, do.Size = [...]int{204, 304, 404}[d.Below(3)], 0
	}
}

// other has the handler speak another protocol.
func (d *drawing) other(r *Request, c *Client) {
	do := &r.Do
	r.Method, r.Body, r.Chunked, r.Expect, r.Trailers = "GET", d.size(), false, false, false
	do.How, do.Status, do.Size, do.Trailer = "switch", 101, d.size(), false
	if c.HTTP2 {
		do.Status = 200
	}
	if do.Body = [...]string{"whole", "echo"}[d.Below(2)]; do.End == "short" {
		do.End = "error"
	}
}

func (d *drawing) fault(r *Request, c *Client) {
	r.How = [...]string{"reset", "close", "stall", "shut"}[d.Below(4)]
	if r.switches() && r.How == "stall" {
		r.How = "close" // no limit of time counts
	}
	switch kind := d.Below(4); {
	case kind <= 1 || r.switches() && kind == 3:
		r.Abort, r.After = "send", d.Below(200+r.Body)
		if r.How == "shut" && !c.HTTP2 {
			r.After = 1 << 30
		}
	case kind == 2:
		r.Abort, r.After = "receive", d.Below(r.Do.Size+1)
		if r.How == "shut" {
			r.How = "reset"
		}
	default:
		r.Abort, r.How = "told", [...]string{"reset", "close"}[d.Below(2)]
		r.Do.Waits, r.Do.Route, r.Do.Body, r.Expect = true, "goroutine", "whole", false
	}
	if c.HTTP2 && (r.How == "shut" || d.OneIn(2)) {
		r.How = "stream"
	}
}
