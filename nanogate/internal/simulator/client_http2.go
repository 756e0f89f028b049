//go:build linux

package simulator

import (
	"fmt"
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
	c     *Client
	queue []*exchange
	under []*stream2
	round []*stream2 // those that have a turn, of which some end in it
	going bool
	hung  bool // the client has closed its side
}

// stream2 is a request on it.
type stream2 struct {
	p    *client2
	x    *exchange
	s    *http2.Stream
	rest []byte // of the request's body
	ends bool   // its end is to be sent
	j    judge
	got  int
	over bool

	begun bool // the response has
	ended bool // it has all come
}

// config2 is the configuration of an end of HTTP/2.
func (w *world) config2(server bool, window, streams uint32) *http2.Config {
	key := fmt.Sprint(server, window, streams)
	c := w.configs[key]
	if c == nil {
		c = peers.Config(server, window, streams)
		w.configs[key] = c
	}
	return c
}

func (p *client2) start(w *world) {
	p.Frames, p.Conn.Out = &p.Conn.Out, w.buffers.Take()
	p.Conn.Start(w.config2(false, p.c.Window, 0), &w.h2, w.sys.Now())
}

func (p *client2) act() {
	if up, over := p.Socket.Up(); !up && !over {
		return
	}
	b, errno := p.peer.Read()
	switch {
	case len(b) > 0:
		p.take(b)
	case errno == 0:
		p.leave("the end")
		return
	case errno != unix.EAGAIN:
		p.leave(errno.Error())
		return
	}
	if p.Over {
		return
	}
	p.send()
}

// take takes in what has come.
func (p *client2) take(b []byte) {
	err := p.Take(b, p.w.sys.Now, func(ev *http2.Event) bool {
		p.event(ev)
		return !p.Over
	})
	switch {
	case err == nil:
	case p.w.tight(): // a client that is turned away is told so in HTTP/1.1
		p.leave("no room")
	default:
		p.w.violate("protocol", "by the gateway to a client over HTTP/2: %v", err)
		p.leave("nonsense")
	}
}

func (p *client2) event(ev *http2.Event) {
	if ev.Kind == http2.EventGoAway {
		p.going = true
		if ev.Code != http2.NoError && !p.hung {
			p.w.violate("protocol", "the gateway ends a connection with %v, %q", ev.Code, ev.Data)
		}
	}
	if ev.Stream == nil {
		return
	}
	t, ok := ev.Stream.User.(*stream2)
	if !ok || t.over {
		return
	}
	x := t.x
	switch ev.Kind {
	case http2.EventHead:
		t.j.head(ev.Header.Status, func(name string) []byte {
			v, _ := ev.Header.Find(name)
			return v
		})
		t.begun = true
		p.Stir()
		t.progress(0)
	case http2.EventData:
		t.j.take(ev.Data)
		if p.HTTP2.Read(t.s, len(ev.Data), t, p.Random) {
			p.Stir()
		}
		t.progress(len(ev.Data))
	case http2.EventTrailers:
		if !t.over {
			t.j.ended(peers.Lines(ev.Header))
			t.end()
			return
		}
	case http2.EventReset:
		if ev.Err != nil {
			p.w.violate("protocol", "by the gateway to a client over HTTP/2: %v: %s", ev.Err, t.x)
		}
		if t.ended && ev.Code == http2.NoError { // it needn't end its side of a tunnel any more
			t.finished()
			return
		}
		x.gone = x.gone || p.w.draining && ev.Code == http2.RefusedStream // it may be sent elsewhere
		t.j.cut("reset " + ev.Code.String())
		t.end()
		return
	case http2.EventWritable:
		p.Stir()
	}
	if ev.End && !t.over {
		if t.ended = true; x.Route.tunnels() && !x.sent && t.j.status == 200 {
			p.Stir() // this side ends too
			return
		}
		t.finished()
	}
}

// finished is when a response is whole, and of a tunnel the other side too.
func (t *stream2) finished() {
	if t.x.Route.tunnels() && t.j.status == 200 {
		t.j.tunnelEnded()
	} else {
		t.j.ended(nil)
	}
	t.end()
}

// progress has the client give up when it has got as much as is planned.
func (t *stream2) progress(n int) {
	if t.got += n; t.x.Abort == "receive" && t.got >= t.x.After {
		t.p.giveUp(t)
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

// giveUp does what a client does that wants no more.
func (p *client2) giveUp(t *stream2) {
	t.x.gone = true
	if t.x.How == "stream" {
		t.j.cut("given up")
		p.Conn.Reset(t.s, http2.Cancel)
		t.end()
		return
	}
	for _, other := range p.under {
		other.x.gone = true
	}
	if t.x.How == "shut" {
		p.hung = true
		p.Socket.CloseWrite()
		return
	}
	if t.x.How == "reset" {
		p.end("reset")
	}
	p.leave("given up")
}

// leave ends the connection.
func (p *client2) leave(why string) {
	for _, t := range p.under {
		t.j.cut(why)
		t.over = true
	}
	p.under = nil
	p.end("close")
	p.w.goOn(p.c, p.queue)
}

// send sends what is to be sent now.
func (p *client2) send() {
	p.Open()
	for !p.Over && !p.going && !p.hung && len(p.queue) > 0 && len(p.under) < p.c.Depth && p.Conn.Room() > 0 {
		p.next()
	}
	p.round = append(p.round[:0], p.under...)
	for _, t := range p.round {
		if p.Over {
			return
		}
		if !t.over {
			t.upload()
		}
	}
	if p.Over {
		return
	}
	if p.Frame(); p.Flush() {
		p.Conn.Flushed()
	}
	if len(p.under) == 0 && len(p.Out) == 0 && (len(p.queue) == 0 || p.going || p.hung) {
		p.leave("done")
	}
}

// next begins the next request.
func (p *client2) next() {
	x := p.queue[0]
	s, err := p.Conn.Open()
	if err != nil {
		p.going = true
		return
	}
	p.queue = p.queue[1:]
	p.w.startExchange(x)
	t := &stream2{p: p, x: x, s: s, rest: x.body, ends: len(x.body) > 0, j: judge{w: p.w, x: x}}
	s.User = t
	p.under = append(p.under, t)
	c := &p.Conn
	if x.Route.tunnels() {
		t.ask()
		return
	}
	c.Request(s, []byte(x.Method), []byte("http"), []byte("world.example"), []byte(x.Path))
	c.Field([]byte("x-token"), strconv.AppendInt(nil, int64(x.ID), 10))
	for _, f := range p.w.fields(x) {
		c.Field([]byte(f[0]), []byte(f[1]))
	}
	c.Field([]byte("te"), []byte("trailers"))
	switch x.Route.Kind {
	case "grpc":
		c.Field([]byte("content-type"), []byte("application/grpc"))
	case "json":
		c.Field([]byte("content-type"), []byte("application/json"))
	case "web":
		c.Field([]byte("content-type"), []byte("application/grpc-web+proto"))
	}
	if len(x.body) > 0 && !x.Chunked {
		c.Field([]byte("content-length"), strconv.AppendInt(nil, int64(len(x.body)), 10))
	}
	c.EndHeaders(len(x.body) == 0)
	x.sent = len(x.body) == 0
	if x.Abort == "send" && (len(x.body) == 0 || x.After < 150) {
		p.giveUp(t)
	}
}

// upload sends a piece of a request's body.
func (t *stream2) upload() {
	p, x := t.p, t.x
	if !t.ends || x.Route.tunnels() && (!t.begun || t.j.status != 200) {
		return
	}
	n := min(len(t.rest), 1+p.Random.Below(30000))
	last := n == len(t.rest)
	ends := last && !x.Asked && t.mayEnd()
	if n == 0 && last && !t.mayEnd() {
		return // until the other side ends
	}
	sent := p.Conn.SendData(t.s, t.rest[:n], ends)
	t.rest = t.rest[sent:]
	x.sent = ends && sent == n
	if x.Abort == "send" && len(x.body)-len(t.rest)+150 >= x.After {
		p.giveUp(t)
		return
	}
	if sent < n {
		return // until the window opens
	}
	if !last {
		p.Stir()
		return
	}
	if !t.mayEnd() {
		return
	}
	if t.ends, x.sent = false, true; t.ended {
		t.finished()
		return
	}
	if x.Asked && !t.s.SendEnded() {
		p.Conn.Trailers(t.s)
		p.Conn.Field([]byte("x-asked"), strconv.AppendInt(nil, int64(x.ID), 10))
		p.Conn.EndHeaders(true)
	}
}
