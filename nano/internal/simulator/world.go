//go:build linux

package simulator

import (
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/internal/engine"
	"dyno.example/nano/wire/http2"
	"dyno.example/nano/wire/simulated"
	"dyno.example/nano/wire/simulated/peers"
)

// world is a run of a scenario.
type world struct {
	*Scenario
	sys       *simulated.System
	server    *engine.Server
	began     int64
	at        []netip.AddrPort // where the loops listen
	exchanges []*exchange      // by ID
	clients   []*Client        // by ID of a request
	open      int              // connections of clients, or clients that have one before them
	opened    uint64
	connected map[*Client]int
	finished  int
	drained   int64 // when the app began to shut down; 0: not yet
	cut       bool
	h2        http2.Pool
	buffer    []byte
	buffers   simulated.Buffers
	log       strings.Builder

	order      []int // requests, by ID, as they began
	until      string
	violations []Violation
}

// Options are how a scenario is run.
type Options struct {
	Trace func(line string) // nil: nobody reads it
	Until string            // the kind of violation at the first of which it ends; "": it goes on
}

// Result is what came of it.
type Result struct {
	Exchanges  int
	Hash       uint64
	Violations []Violation
	Log        string // what the app said
	Err        error  // the scenario couldn't be run

	begun []int // requests, by ID, as they began
}

// Violation is something that doesn't hold.
type Violation struct {
	At         int64 // ns
	Kind, What string

	request int // that it tells of, by ID; 0: of none
	begun   int // requests by then
}

func (v Violation) String() string {
	return fmt.Sprintf("%.6f ms: %s: %s", float64(v.At)/1e6, v.Kind, v.What)
}

// Failed reports whether something didn't hold.
func (r *Result) Failed() bool { return len(r.Violations) > 0 || r.Err != nil }

const (
	patience       = 1000e9  // ns, that nothing may happen to a request until it is taken for forgotten
	mostEvents     = 300_000 // meanwhile, as time needn't pass
	mostViolations = 10
)

// Run runs a scenario.
func Run(sc *Scenario, o Options) *Result {
	w := &world{Scenario: sc, sys: simulated.New(sc.Seed, sc.Descriptors), buffer: make([]byte, 64<<10), connected: map[*Client]int{}, until: o.Until}
	w.began = w.sys.Now()
	w.sys.Latest, w.sys.Late = time.Duration(sc.Latest), time.Duration(sc.Late)
	w.sys.Goroutines(func(why any, stack []byte) { w.violate("panic", "%v\n%s", why, stack) })
	if o.Trace != nil {
		w.sys.Log = func(now int64, what string, socket, n, m uint64) {
			o.Trace(fmt.Sprintf("%12.6f ms %-8s %6d %d %d", float64(now-w.began)/1e6, what, socket, n, m))
		}
	}
	r := &Result{}
	if r.Err = w.prepare(); r.Err == nil {
		w.run()
	}
	r.Exchanges, r.Hash, r.Violations, r.Log = w.finished, w.sys.Hash(), w.violations, w.log.String()
	r.begun = w.order
	w.sys.End()
	return r
}

func (w *world) prepare() (err error) {
	app := nano.New(nano.Config{
		Limits: w.Limits, Loops: w.Loops, Debug: w.Debug, H2C: true,
		Logger: slog.New(slog.NewTextHandler(&w.log, nil)),
	})
	w.routes(app)
	if w.server, err = engine.OnSystem(app, w.sys); err != nil {
		return err
	}
	var fds []int
	for i := range w.Loops {
		at := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(80+i))
		fd, err := w.sys.Listen(at)
		if err != nil {
			return err
		}
		w.at, fds = append(w.at, at), append(fds, fd)
	}
	w.server.Listen(fds, nil)
	return nil
}

// run lets the world go on until everything is over, and looks at what is left.
func (w *world) run() {
	last := 0
	for _, c := range w.Clients {
		for _, r := range c.Requests {
			last = max(last, r.ID)
		}
	}
	w.exchanges, w.clients = make([]*exchange, last+1), make([]*Client, last+1)
	for _, c := range w.Clients {
		var list []*exchange
		for _, r := range c.Requests {
			x := &exchange{Request: r, body: peers.Content(r.ID, ofRequest, r.Body), response: peers.Content(r.ID, ofResponse, r.Do.Size)}
			if r.Do.Body == "echo" {
				x.response = x.body
			}
			w.exchanges[r.ID], w.clients[r.ID] = x, c
			list = append(list, x)
		}
		w.open++
		w.sys.At(w.began+c.At, func() {
			w.open--
			w.connect(c, list)
		})
	}
	if w.Drain > 0 {
		w.sys.At(w.began+w.Drain, w.drain)
		w.sys.At(w.began+w.Drain+w.Cut, func() {
			w.cut = true
			w.server.Cut()
		})
	}
	finished, at, events := w.finished, w.sys.Now(), 0
	for w.open > 0 && w.sys.Next(1<<62) && !w.enough() {
		if events++; w.finished != finished {
			finished, at, events = w.finished, w.sys.Now(), 0
		}
		if w.sys.Now()-at > patience || events > mostEvents {
			break
		}
	}
	switch {
	case w.enough():
	case w.open > 0:
		w.forgotten()
	default:
		w.rest()
	}
}

// enough reports whether so much doesn't hold that the rest is of no interest.
func (w *world) enough() bool {
	return len(w.violations) >= mostViolations || len(w.violations) > 0 && w.until != "" && w.violations[len(w.violations)-1].Kind == w.until
}

func (w *world) drain() {
	if w.drained == 0 {
		w.drained = w.sys.Now()
		w.server.Drain()
	}
}

// forgotten tells of requests that come to no end.
func (w *world) forgotten() {
	for _, x := range w.exchanges {
		if x != nil && x.begun != 0 && !x.over {
			w.violate("hang", "it comes to no end in %v s, or %d events: %s", int64(patience/1e9), mostEvents, x)
		}
	}
	w.violate("hang", "%d connections of clients come to no end", w.open)
}

// connect opens a client's connection.
func (w *world) connect(c *Client, list []*exchange) {
	w.open++
	w.opened++
	from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 51, 100, byte(c.Number % 5)}), uint16(1024+(uint64(c.Number)*977+w.opened*13)%60000))
	random := simulated.Seeded(w.Seed, 300, uint64(c.Number), uint64(list[0].ID))
	s := w.sys.Connect(from, w.at[random.Below(len(w.at))], c.Line)
	if c.HTTP2 {
		p := &client2{queue: list}
		p.w, p.c = w, c
		p.start()
		p.begin(w, c, s, random, p.act)
		return
	}
	p := &client1{queue: list}
	p.begin(w, c, s, random, p.act)
}

// goOn has a client go on with what it hasn't sent, on another connection.
func (w *world) goOn(c *Client, list []*exchange) {
	if len(list) == 0 || w.drained != 0 {
		return
	}
	w.open++
	after := int64(1e6)
	if w.connected[c]++; w.connected[c] > 2*len(c.Requests) { // it is turned away again and again
		after = 1e9
	}
	w.sys.After(after, func() {
		w.open--
		w.connect(c, list)
	})
}

// ends takes note that an exchange is over.
func (w *world) ends(x *exchange) {
	if x.over {
		w.violate("twice", "%s", x)
	}
	x.over = true
	w.finished++
}

func (w *world) violate(kind, format string, a ...any) {
	w.sys.Note("violation", uint64(len(w.violations)), 0, 0)
	if w.enough() {
		return
	}
	v := Violation{At: w.sys.Now() - w.began, Kind: kind, What: fmt.Sprintf(format, a...), begun: len(w.order)}
	for _, of := range a {
		if x, ok := of.(*exchange); ok && x != nil {
			v.request = x.ID
		}
	}
	w.violations = append(w.violations, v)
}

func (w *world) client(x *exchange) *Client { return w.clients[x.ID] }

// tight reports whether limits may be the reason for anything.
func (w *world) tight() bool { return w.Mood == "tight" }

// mayCut reports whether a request may stay without a response, or all of it.
func (w *world) mayCut(x *exchange) bool {
	return w.tight() || w.cut || x.gone || x.Do.breaks() || w.drained != 0 && (x.handled == 0 || x.begun >= w.drained)
}

// mayRefuse reports whether a request may get a response of nano's own.
func (w *world) mayRefuse(x *exchange, status int) bool {
	return w.tight() || x.gone || status == 500 && (x.Do.End == "panic" || x.Do.End == "error" || x.Do.End == "short")
}

// mayClose reports whether the response to a request may be the last of its connection.
func (w *world) mayClose(c *Client, x *exchange) bool {
	return c.Old || w.tight() || w.drained != 0 || w.Limits.Requests > 0 || x.gone || x.partly || x.Do.breaks()
}
