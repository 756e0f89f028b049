//go:build linux

package simulator

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"time"

	"dyno.example/nano/wire/http2"
	"dyno.example/nano/wire/simulated"
	"dyno.example/nanogate/internal/proxy"
	"dyno.example/nanogate/internal/snapshot"
)

// world is a run of a scenario.
type world struct {
	*Scenario
	sys       *simulated.System
	began     int64
	server    *proxy.Server
	builder   *snapshot.Builder
	steps     []*stepper
	listening []int
	at        []netip.AddrPort // where the loops listen
	endpoints []*Endpoint      // by number
	exchanges []*exchange      // by ID
	paths     map[string][]*exchange
	open      int // connections of clients
	opened    uint64
	connected map[*Client]int // how often
	order     []int           // requests, by ID, as they began
	finished  int
	standings []standing // of endpoints, by number
	seats     map[seatOf]seat
	reloaded  int64 // when the configuration last changed
	draining  bool
	drained   int64 // since when
	rules     *simulated.Random
	h2        http2.Pool
	configs   map[string]*http2.Config
	buffer    []byte
	buffers   simulated.Buffers
	log       *strings.Builder
	folder    string // of files that the configuration names
	tidy      func()

	violations []Violation
	violated   int
	until      string // see [Options]
	counts     map[string]int
}

// Options are how a scenario is run.
type Options struct {
	Trace func(line string) // nil: nobody reads it
	Until string            // the kind of violation at the first of which it ends; "": it goes on
}

// Result is what came of it.
type Result struct {
	Exchanges  int
	Events     uint64
	Hash       uint64
	Violations []Violation
	Counts     map[string]int
	Log        string // what the gateway said
	Err        error  // the scenario couldn't be run

	begun []int // requests, by ID, as they began
}

// Failed reports whether something didn't hold.
func (r *Result) Failed() bool { return len(r.Violations) > 0 || r.Err != nil }

// patience is how long nothing may happen to a request until it is taken for forgotten: more
// than all limits of the configuration.
const patience = 300e9 // ns

// mostEvents is how many there may be meanwhile, as time needn't pass: a hundred times as many as
// there are between the ends of two requests.
const mostEvents = 1_000_000

func newWorld(sc *Scenario) *world {
	return &world{
		Scenario: sc, sys: simulated.New(sc.Seed, sc.Descriptors), rules: simulated.Seeded(sc.Seed, 200),
		configs: map[string]*http2.Config{}, paths: map[string][]*exchange{}, connected: map[*Client]int{}, buffer: make([]byte, 64<<10), counts: map[string]int{}, log: &strings.Builder{},
	}
}

// Run runs a scenario.
func Run(sc *Scenario, o Options) *Result {
	w := newWorld(sc)
	w.until = o.Until
	w.sys.Latest = time.Duration(sc.Workers)
	w.began = w.sys.Now()
	if o.Trace != nil {
		w.sys.Log = func(now int64, what string, socket, n, m uint64) {
			o.Trace(fmt.Sprintf("%12.6f ms %-8s %6d %d %d", float64(now-w.began)/1e6, what, socket, n, m))
		}
	}
	r := &Result{}
	if r.Err = w.prepare(); r.Err == nil {
		w.run()
	}
	if w.server != nil {
		w.server.Snapshot().Retire(nil)
	}
	if w.tidy != nil {
		w.tidy()
	}
	r.Exchanges, r.Hash, r.Violations, r.Counts, r.Log = w.finished, w.sys.Hash(), w.violations, w.counts, w.log.String()
	r.begun = w.order
	return r
}

func (w *world) prepare() error {
	w.endpoints, w.exchanges = []*Endpoint{nil}, []*exchange{nil}
	for _, g := range w.Groups {
		g.befell = befell{}
		all := g.Endpoints
		if g.Spare != nil {
			all = append(all[:len(all):len(all)], g.Spare)
		}
		for _, e := range all {
			for len(w.endpoints) <= e.Number {
				w.endpoints = append(w.endpoints, nil)
			}
			w.endpoints[e.Number] = e
			e.connected = 0
			w.serve(e)
		}
	}
	w.standings, w.seats = make([]standing, len(w.endpoints)), map[seatOf]seat{}
	var err error
	if w.folder, w.tidy, err = w.describe(); err != nil {
		return err
	}
	c, err := w.configure(w.folder, nil)
	if err != nil {
		return err
	}
	level := slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelError, ReplaceAttr: timeless}))
	w.builder = snapshot.NewBuilder(w.Loops)
	w.builder.Log = level
	w.builder.Use(w.sys.Go, w.sys.Sleep, w.times(), w.ask)
	w.builder.Middleware = append(offers(), (&hostile{w: w}).offers()...)
	s := w.builder.Build(c, nil)
	if len(s.Problems) > 0 {
		return s.Problems
	}
	if w.server, err = proxy.New(w.sys, w.Loops, s, nil, level); err != nil {
		return err
	}
	for i := range w.Loops {
		at := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(80+i))
		fd, err := w.sys.Listen(at)
		if err != nil {
			return err
		}
		w.at, w.listening = append(w.at, at), append(w.listening, fd)
	}
	w.server.ListenAt(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}, w.listening)
	for i, p := range w.sys.Pollers() {
		s := &stepper{w: w, loop: i, poller: p, random: simulated.Seeded(w.Seed, 201, uint64(i))}
		s.step = s.steps
		p.Stirred = s.soon
		w.steps = append(w.steps, s)
		s.soon()
	}
	return nil
}

// timeless leaves the time out of what the gateway says, which isn't the simulated one.
func timeless(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// stepper steps a loop of the gateway whenever there is something to do for it, late now and
// then, so that much has come at once.
type stepper struct {
	w      *world
	loop   int
	poller *simulated.Poller
	random *simulated.Random
	queued bool
	ended  bool
	n      int
	step   func()
}

func (s *stepper) soon() {
	if s.queued || s.ended {
		return
	}
	s.queued = true
	late := int64(s.random.Below(5000))
	if s.random.OneIn(8) {
		late += int64(s.random.Below(int(s.w.Busy) + 1))
	}
	s.w.sys.After(late, s.step)
}

func (s *stepper) steps() {
	s.queued = false
	if s.ended = !s.w.server.Step(s.loop); s.ended {
		return
	}
	if s.n++; s.n%8 == 0 {
		s.w.sound()
	}
	if !s.poller.Parked() {
		s.soon()
	}
}

// run lets the world go on until everything is over, and looks at what is left.
func (w *world) run() {
	for _, c := range w.Clients {
		var list []*exchange
		for _, r := range c.Requests {
			for len(w.exchanges) <= r.ID {
				w.exchanges = append(w.exchanges, nil)
			}
			x := &exchange{Request: r, client: c, body: bodyOf(r)}
			x.arrives = arrivesOf(r, x.body)
			w.exchanges[r.ID] = x
			if r.Route.Kind == "cache" {
				w.paths[r.Path] = append(w.paths[r.Path], x)
			}
			list = append(list, x)
		}
		if len(list) > 0 {
			w.open++
			w.sys.At(w.began+c.At, func() {
				w.open--
				w.connect(c, list)
			})
		}
	}
	for _, change := range w.Changes {
		w.sys.At(w.began+change.At, func() { w.change(change) })
	}
	last, at, events := w.finished, w.sys.Now(), 0
	for w.open > 0 && w.sys.Next(1<<62) {
		if events++; w.finished != last {
			last, at, events = w.finished, w.sys.Now(), 0
		}
		if w.sys.Now()-at > patience || events > mostEvents {
			w.forgotten()
			return
		}
		if w.violated >= mostViolations {
			return
		}
	}
	if w.open > 0 {
		w.forgotten()
		return
	}
	w.rest()
}

// forgotten tells of requests that come to no end.
func (w *world) forgotten() {
	for _, x := range w.exchanges {
		if x != nil && x.begun != 0 && !x.over {
			w.violate("hang", "it comes to no end in %v s, or %d events: %s", int64(patience/1e9), mostEvents, x)
		}
	}
	if w.violated == 0 {
		w.violate("hang", "%d connections of clients come to no end", w.open)
	}
}

func (w *world) startExchange(x *exchange) {
	x.begun = w.sys.Now()
	w.order = append(w.order, x.ID)
}

// connect opens a client's connection.
func (w *world) connect(c *Client, list []*exchange) {
	w.open++
	w.opened++
	from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 51, 100, byte(c.Number)}), uint16(1024+(uint64(c.Number)*977+w.opened*13)%60000))
	random := simulated.Seeded(w.Seed, 300, uint64(c.Number), uint64(list[0].ID))
	s := w.sys.Connect(from, w.at[random.Below(len(w.at))], c.Line)
	if c.HTTP2 {
		p := &client2{c: c, queue: list}
		p.start(w)
		p.begin(w, s, random, c.Think, c.Piece, p.act)
		return
	}
	p := &client1{c: c, queue: list}
	p.begin(w, s, random, c.Think, c.Piece, p.act)
}

// goOn has a client go on with what it hasn't sent, on another connection.
func (w *world) goOn(c *Client, list []*exchange) {
	w.open--
	if len(list) == 0 {
		return
	}
	if w.draining {
		for _, x := range list {
			x.over = true
		}
		return
	}
	w.open++
	after := int64(1e6)
	if w.connected[c]++; w.connected[c] > 100+2*len(c.Requests) { // it is turned away again and again
		after = 1e9
	}
	w.sys.After(after, func() {
		w.open--
		w.connect(c, list)
	})
}

// serve has an endpoint serve its address.
func (w *world) serve(e *Endpoint) {
	random := simulated.Seeded(w.Seed, 400, uint64(e.Number))
	w.sys.Serve(e.At, &simulated.Server{
		Line: func() simulated.Line { return e.Line },
		Decide: func() (after int64, refused bool) {
			if e.Connect > 0 {
				after = int64(random.Below(int(e.Connect)))
			}
			if refused = e.Refuses > 0 && random.OneIn(e.Refuses); refused {
				if after == 0 {
					e.Group.refuses(w.sys.Now())
				} else {
					w.sys.After(after, func() { e.Group.refuses(w.sys.Now()) })
				}
			}
			return after, refused
		},
		Accept: func(s *simulated.Socket) {
			e.connected++
			of := simulated.Seeded(w.Seed, 401, uint64(e.Number), e.connected)
			if e.Group.HTTP2 {
				p := &server2{e: e}
				w.sys.After(e.Greet, func() { p.greet(w, s, of) })
				return
			}
			p := &server1{e: e}
			p.begin(w, s, of, e.Think, e.Piece, p.act)
			s.Wasted, s.Cut = p.wasted, p.cut
			p.idles()
		},
	})
}

// change does something to the gateway.
func (w *world) change(c *Change) {
	switch c.Kind {
	case "reload":
		random := simulated.Seeded(c.Seed)
		if random.OneIn(3) {
			random = nil // as at first
		}
		config, err := w.configure(w.folder, random)
		if err != nil {
			w.violate("reload", "%v", err)
			return
		}
		before := w.server.Snapshot()
		next := w.builder.Build(config, before)
		w.server.Swap(next)
		before.Retire(next)
		w.reloaded = w.sys.Now()
		w.stand()
	case "drain":
		if !w.draining {
			w.draining, w.drained = true, w.sys.Now()
			w.server.Drain()
		}
	}
}
