//go:build linux

package simulator

import (
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/http2"
	"dyno.example/nano/wire/simulated/peers"
)

// client2 is a client's end of a connection over HTTP/2.
type client2 struct {
	peer
	peers.HTTP2
	queue []*exchange // that are to be sent
	under []*stream2
	round []*stream2 // those that have a turn, of which some end in it
	going bool       // the server wants no more requests here
	stays int64      // how long it keeps the connection, to see that a handler whose stream it has reset ends
}

// endsWithin is how long a handler goes on at most whose stream is reset, ns.
const endsWithin = 30e9

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
	p.Frames, p.Conn.Out = &p.Conn.Out, p.w.buffers.Take()
	p.Conn.Start(peers.Config(false, p.c.Window, 0), &p.w.h2, p.w.sys.Now())
}

func (p *client2) act() {
	if up, over := p.Socket.Up(); !up && !over || p.deaf {
		return
	}
	b, errno := p.peer.Read()
	switch {
	case len(b) > 0:
		p.take(b)
	case errno != unix.EAGAIN:
		p.leave()
	}
	if !p.Over && !p.deaf {
		p.send()
	}
}

// take takes in what has come.
func (p *client2) take(b []byte) {
	err := p.Take(b, p.w.sys.Now, func(ev *http2.Event) bool {
		p.event(ev)
		return !p.Over && !p.deaf
	})
	if err == nil {
		return
	}
	if !p.w.tight() { // a client that is turned away is told so in HTTP/1.1
		p.w.violate("protocol", "%v", err)
	}
	p.leave()
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
	case http2.EventInterim:
		t.interim(ev.Header.Status)
		return
	case http2.EventHead:
		if t.head(ev); t.over || p.Over {
			return
		}
	case http2.EventData:
		if t.data(ev); t.over || p.Over || p.deaf {
			return
		}
	case http2.EventTrailers:
		t.j.ended(peers.Lines(ev.Header))
		t.end()
		return
	case http2.EventReset:
		t.wasReset(ev)
		return
	case http2.EventWritable:
		p.Stir()
	}
	if ev.End && !t.over {
		p.w.sys.Note("told", p.Socket.Serial(), uint64(t.x.ID), 0)
		t.j.ended(nil)
		t.end()
	}
}

// interim takes a response that is no last one.
func (t *stream2) interim(status int) {
	if status != 100 || !t.x.Expect {
		t.p.w.violate("protocol", "%d for %s", status, t.x)
	}
	t.waits = false
	t.p.Stir()
}

func (t *stream2) head(ev *http2.Event) {
	t.waits = false
	t.p.Stir()
	t.j.head(ev.Header.Status, func(name string) string {
		v, _ := ev.Header.Find(name)
		return string(v)
	})
	t.progress()
}

func (t *stream2) data(ev *http2.Event) {
	p := t.p
	t.j.take(ev.Data)
	if p.HTTP2.Read(t.s, len(ev.Data), t, p.Random) {
		p.Stir()
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
	p.Forget(t)
	p.Conn.Release(t.s)
	p.under = slices.DeleteFunc(p.under, func(o *stream2) bool { return o == t })
	p.Stir()
}

// fail does what a client does that fails.
func (p *client2) fail(t *stream2) {
	x := t.x
	x.gone, x.left = true, x.Abort == "told"
	if x.How == "stream" {
		p.Conn.Reset(t.s, http2.Cancel)
		t.j.cut()
		t.end()
		p.stays = p.w.sys.Now() + int64(endsWithin)
		p.w.sys.After(endsWithin, func() {
			if x.handled != x.ended && !p.Over && !p.deaf {
				p.w.violate("not-told", "that its stream is reset: %s", x)
			}
			p.Stir()
		})
		return
	}
	for _, other := range p.under {
		other.x.gone = true
	}
	switch x.How {
	case "stall":
		p.deaf = true
		p.w.sys.After(stallsFor, func() {
			p.stalled(x.String(), slices.ContainsFunc(p.under, func(t *stream2) bool { return t.x.switches() }), p.leave)
		})
	case "reset":
		p.end(true)
		p.Over, p.w.open = false, p.w.open+1
		p.leave()
	default:
		p.leave()
	}
}

// leave ends the connection.
func (p *client2) leave() {
	if p.Over {
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
	p.Open()
	for !p.Over && !p.deaf && !p.going && len(p.queue) > 0 && len(p.under) < p.c.Depth && p.Conn.Room() > 0 && p.knows(p.queue[0]) {
		p.next()
	}
	p.round = append(p.round[:0], p.under...)
	for _, t := range p.round {
		if p.Over || p.deaf {
			return
		}
		if !t.over {
			t.upload()
		}
	}
	if p.Over || p.deaf {
		return
	}
	if p.Frame(); p.Flush() {
		p.Conn.Flushed()
	}
	if len(p.under) == 0 && len(p.Out) == 0 && (len(p.queue) == 0 || p.going) && p.w.sys.Now() >= p.stays {
		p.leave()
	}
}

// knows reports whether the server has said that a request may be asked.
func (p *client2) knows(x *exchange) bool { return !x.switches() || p.Conn.Peer().ConnectProtocol }

// next begins the next request.
func (p *client2) next() {
	x := p.queue[0]
	s, err := p.Conn.Open()
	if err != nil {
		p.going = true
		return
	}
	p.queue = p.queue[1:]
	x.begin(&p.peer)
	p.w.sys.Note("ask", p.Socket.Serial(), uint64(x.ID), 0)
	t := &stream2{p: p, x: x, s: s, rest: x.body, ends: len(x.body) > 0, j: judge{w: p.w, x: x}}
	s.User = t
	p.under = append(p.under, t)
	c := &p.Conn
	if x.switches() {
		c.Connect(s, []byte("websocket"), []byte("http"), []byte("world.example"), []byte(x.path()))
		t.waits = !x.eager()
	} else {
		c.Request(s, []byte(x.Method), []byte("http"), []byte("world.example"), []byte(x.path()))
	}
	c.Field([]byte("x-token"), strconv.AppendInt(nil, int64(x.ID), 10))
	if x.Expect {
		c.Field([]byte("expect"), []byte("100-continue"))
		t.waits = true
		p.w.sys.After(1e9, func() {
			if t.waits && !t.over && p.w.Mood == "prompt" { // others are slow to read it
				p.w.violate("no-continue", "for %s", x)
			}
			t.waits = false
			p.Stir()
		})
	}
	if len(x.body) > 0 && !x.Chunked && !x.switches() {
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
	n := min(len(t.rest), 1+p.Random.Below(30000))
	last := n == len(t.rest)
	sent := p.Conn.SendData(t.s, t.rest[:n], last && !x.Trailers)
	t.rest = t.rest[sent:]
	if x.Abort == "send" && len(x.body)-len(t.rest)+150 >= x.After {
		p.fail(t)
		return
	}
	switch {
	case sent < n: // until the window opens
	case !last:
		p.Stir()
	default:
		if t.ends, x.sent = false, true; x.Trailers && !t.s.SendEnded() {
			p.Conn.Trailers(t.s)
			p.Conn.Field([]byte("x-asked"), strconv.AppendInt(nil, int64(x.ID), 10))
			p.Conn.EndHeaders(true)
		}
	}
}
