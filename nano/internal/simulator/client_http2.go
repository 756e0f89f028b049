//go:build linux

package simulator

import (
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/http2"
)

// client2 is a client's end of a connection over HTTP/2.
type client2 struct {
	peer
	conn  http2.Conn
	queue []*exchange // that are to be sent
	under []*stream2
	round []*stream2 // those that have a turn, of which some end in it
	in    []byte
	owed  []owed // bytes that were read and for which windows aren't opened yet
	going bool   // the server wants no more requests here
	stays int64  // how long it keeps the connection, to see that a handler whose stream it has reset ends
}

// endsWithin is how long a handler goes on at most whose stream is reset, ns.
const endsWithin = 30e9

type owed struct {
	s *http2.Stream
	n int
}

// stream2 is a request on it.
type stream2 struct {
	p     *client2
	x     *exchange
	s     *http2.Stream
	rest  []byte // of the request's body
	ends  bool   // its end is to be sent
	waits bool   // for 100 Continue
	j     judge
	over  bool
}

func (p *client2) start() {
	settings := http2.DefaultSettings
	settings.InitialWindow = p.c.Window
	many := http2.Rate{Burst: 1 << 30, PerSecond: 1 << 20}
	p.conn.Start(http2.NewConfig(http2.Config{Settings: settings, Window: max(65535, 4*p.c.Window),
		Limits: http2.Limits{Resets: many, Settings: many, Noise: many, Replies: 1 << 30}}), &p.w.h2, p.w.sys.Now())
}

func (p *client2) act() {
	if up, over := p.s.Up(); !up && !over || p.deaf {
		return
	}
	b, errno := p.read()
	switch {
	case len(b) > 0:
		p.take(b)
	case errno != unix.EAGAIN:
		p.leave()
	}
	if !p.over && !p.deaf {
		p.send()
	}
}

// take takes in what has come.
func (p *client2) take(b []byte) {
	p.in = append(p.in, b...)
	rest := p.in
	for !p.over && !p.deaf {
		n, ev, err := p.conn.Next(rest, p.w.sys.Now())
		rest = rest[n:]
		if err != nil {
			if !p.w.tight() { // a client that is turned away is told so in HTTP/1.1
				p.w.violate("protocol", "%v", err)
			}
			p.leave()
			return
		}
		if ev.Kind == http2.More {
			break
		}
		p.event(ev)
	}
	p.in = p.in[:copy(p.in, rest)]
}

func (p *client2) event(ev *http2.Event) {
	if ev.Kind == http2.EventGoAway {
		p.going = true
		if ev.Code != http2.NoError && !p.w.tight() && !p.w.cut {
			p.w.violate("protocol", "a connection is ended with %v, %q", ev.Code, ev.Data)
		}
	}
	if ev.Stream == nil {
		return
	}
	t, ok := ev.Stream.User.(*stream2)
	if !ok || t.over {
		return
	}
	switch ev.Kind {
	case http2.EventHead:
		if t.head(ev); t.over || p.over {
			return
		}
	case http2.EventData:
		if t.data(ev); t.over || p.over || p.deaf {
			return
		}
	case http2.EventTrailers:
		var lines []byte
		h := ev.Header
		for _, f := range h.Fields {
			lines = append(append(append(append(lines, f.Name.Of(h.Bytes)...), ": "...), f.Value.Of(h.Bytes)...), "\r\n"...)
		}
		t.j.ended(lines)
		t.end()
		return
	case http2.EventReset:
		t.wasReset(ev)
		return
	case http2.EventWritable:
		p.stir()
	}
	if ev.End && !t.over {
		p.w.sys.Note("told", p.s.Serial(), uint64(t.x.ID), 0)
		t.j.ended(nil)
		t.end()
	}
}

func (t *stream2) head(ev *http2.Event) {
	x := t.x
	t.waits = false
	t.p.stir()
	if ev.Header.Status < 200 {
		if ev.Header.Status != 100 || !x.Expect {
			t.p.w.violate("protocol", "%d for %s", ev.Header.Status, x)
		}
		return
	}
	t.j.head(ev.Header.Status, func(name string) string {
		v, _ := ev.Header.Find(name)
		return string(v)
	})
	t.progress()
}

func (t *stream2) data(ev *http2.Event) {
	p := t.p
	t.j.take(ev.Data)
	if p.random.OneIn(2) {
		p.conn.Consume(t.s, len(ev.Data))
	} else {
		p.owed = append(p.owed, owed{t.s, len(ev.Data)})
		p.stir()
	}
	t.progress()
}

// wasReset is when the server has ended a stream. One that no handler has seen is sent again.
func (t *stream2) wasReset(ev *http2.Event) {
	p, x := t.p, t.x
	switch {
	case ev.Err != nil:
		p.w.violate("protocol", "%v: %s", ev.Err, x)
	case ev.Code == http2.RefusedStream && p.going && x.handled == 0 && x.tries < mostTries:
		x.again()
		p.queue = append(p.queue, x)
		t.end()
		return
	}
	t.j.cut()
	t.end()
}

// progress has the client give up when it has got as much as is planned.
func (t *stream2) progress() {
	if t.x.Abort == "receive" && t.j.got >= t.x.After {
		t.p.fail(t)
	}
}

// end is done with a stream.
func (t *stream2) end() {
	p := t.p
	t.over, t.s.User = true, nil
	p.owed = slices.DeleteFunc(p.owed, func(o owed) bool { return o.s == t.s })
	p.conn.Release(t.s)
	p.under = slices.DeleteFunc(p.under, func(o *stream2) bool { return o == t })
	p.stir()
}

// fail does what a client does that fails.
func (p *client2) fail(t *stream2) {
	x := t.x
	x.gone, x.left = true, x.Abort == "told"
	if x.How == "stream" {
		p.conn.Reset(t.s, http2.Cancel)
		t.j.cut()
		t.end()
		p.stays = p.w.sys.Now() + int64(endsWithin)
		p.w.sys.After(endsWithin, func() {
			if x.handled != x.ended && !p.over && !p.deaf {
				p.w.violate("not-told", "that its stream is reset: %s", x)
			}
			p.stir()
		})
		return
	}
	for _, other := range p.under {
		other.x.gone = true
	}
	switch x.How {
	case "stall":
		p.deaf = true
		p.w.sys.After(stallsFor, func() { p.stalled(x.String(), p.leave) })
	case "reset":
		p.end(true)
		p.over, p.w.open = false, p.w.open+1
		p.leave()
	default:
		p.leave()
	}
}

// leave ends the connection.
func (p *client2) leave() {
	if p.over {
		return
	}
	for _, t := range p.under {
		if t.over = true; p.going && t.x.handled == 0 && !t.x.gone && t.x.tries < mostTries {
			t.x.again()
			p.queue = append(p.queue, t.x)
			continue
		}
		t.j.cut()
	}
	p.under = nil
	p.end(false)
	p.w.goOn(p.c, p.queue)
}

// send sends what is to be sent now.
func (p *client2) send() {
	list := p.owed
	p.owed = p.owed[:0]
	for _, o := range list {
		p.conn.Consume(o.s, o.n)
	}
	for !p.over && !p.deaf && !p.going && len(p.queue) > 0 && len(p.under) < p.c.Depth && p.conn.Room() > 0 {
		p.next()
	}
	p.round = append(p.round[:0], p.under...)
	for _, t := range p.round {
		if p.over || p.deaf {
			return
		}
		if !t.over {
			t.upload()
		}
	}
	if p.over || p.deaf {
		return
	}
	p.out = append(p.out, p.conn.Out...)
	if p.conn.Out = p.conn.Out[:0]; p.flush() {
		p.conn.Flushed()
	}
	if len(p.under) == 0 && len(p.out) == 0 && (len(p.queue) == 0 || p.going) && p.w.sys.Now() >= p.stays {
		p.leave()
	}
}

// next begins the next request.
func (p *client2) next() {
	x := p.queue[0]
	s, err := p.conn.Open()
	if err != nil {
		p.going = true
		return
	}
	p.queue = p.queue[1:]
	x.begin(&p.peer)
	p.w.sys.Note("ask", p.s.Serial(), uint64(x.ID), 0)
	t := &stream2{p: p, x: x, s: s, rest: x.body, ends: len(x.body) > 0, j: judge{w: p.w, x: x}}
	s.User = t
	p.under = append(p.under, t)
	c := &p.conn
	c.Request(s, []byte(x.Method), []byte("http"), []byte("world.example"), []byte(x.path()))
	c.Field([]byte("x-token"), strconv.AppendInt(nil, int64(x.ID), 10))
	if x.Expect {
		c.Field([]byte("expect"), []byte("100-continue"))
		t.waits = true
		p.w.sys.After(1e9, func() {
			t.waits = false
			p.stir()
		})
	}
	if len(x.body) > 0 && !x.Chunked {
		c.Field([]byte("content-length"), strconv.AppendInt(nil, int64(len(x.body)), 10))
	}
	c.EndHeaders(len(x.body) == 0)
	x.sent = len(x.body) == 0
	if x.Abort == "send" && (len(x.body) == 0 || x.After < 150) {
		p.fail(t)
	}
}

// upload sends a piece of a request's body, or gives up when the handler waits for that.
func (t *stream2) upload() {
	p, x := t.p, t.x
	if x.Abort == "told" {
		if x.waiting {
			p.fail(t)
			return
		}
		p.looks()
	}
	if !t.ends || t.waits {
		return
	}
	n := min(len(t.rest), 1+p.random.Below(30000))
	last := n == len(t.rest)
	sent := p.conn.SendData(t.s, t.rest[:n], last && !x.Trailers)
	t.rest = t.rest[sent:]
	if x.Abort == "send" && len(x.body)-len(t.rest)+150 >= x.After {
		p.fail(t)
		return
	}
	switch {
	case sent < n: // until the window opens
	case !last:
		p.stir()
	default:
		if t.ends, x.sent = false, true; x.Trailers && !t.s.SendEnded() {
			p.conn.Trailers(t.s)
			p.conn.Field([]byte("x-asked"), strconv.AppendInt(nil, int64(x.ID), 10))
			p.conn.EndHeaders(true)
		}
	}
}
