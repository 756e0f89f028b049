//go:build linux

package simulator

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/http2"
	"dyno.example/nano/wire/simulated"
	"dyno.example/nano/wire/simulated/peers"
	"dyno.example/nanogate/internal/payload"
)

// server2 is an endpoint's end of a connection over HTTP/2.
type server2 struct {
	peer
	peers.HTTP2
	e     *Endpoint
	under []*serving2
	round []*serving2 // those that have a turn, of which some end in it
	last  uint32      // the highest stream that was served
	above uint32      // it has said GOAWAY and looks at none above that one
	went  bool
	since int64

	spoilt  bool  // it has said what isn't HTTP/2
	unknown []int // which of the group's went the gateway doesn't know yet

	taking    bool        // frames that have come
	unread    []byte      // what came when it had ended the connection meanwhile
	carried   int64       // when the first request came; 0: none has
	responded []*run      // to which the responses may not have been read yet
	denied    []*exchange // of which it may not be known yet that they weren't looked at
}

// serving2 is a request that it serves.
type serving2 struct {
	reply
	p      *server2
	s      *http2.Stream
	id     uint32
	follow payload.Follower
	ended  bool // the request is all in
	freed  bool // the stream may be another one's
	over   bool
}

// greet begins to speak, after a while.
func (p *server2) greet(w *world, s *simulated.Socket, random *simulated.Random) {
	p.Frames, p.Conn.Out = &p.Conn.Out, w.buffers.Take()
	p.Conn.Start(w.config2(true, p.e.Window, p.e.Streams), &w.h2, w.sys.Now())
	p.begin(w, s, random, p.e.Think, p.e.Piece, p.act)
	s.Wasted, s.Cut = p.wasted, p.cut
	p.idles()
}

// idles has it close the connection if there is nothing under way for a while.
func (p *server2) idles() {
	if p.since = p.w.sys.Now(); p.e.Idle == 0 || len(p.under) > 0 {
		return
	}
	since := p.since
	p.w.sys.After(int64(p.Random.Below(int(p.e.Idle))), func() {
		if !p.Over && len(p.under) == 0 && p.since == since {
			p.lose("close")
		}
	})
}

func (p *server2) act() {
	if p.drained() {
		return
	}
	b, errno := p.peer.Read()
	switch {
	case len(b) > 0:
		p.take(b)
	case errno != unix.EAGAIN:
		p.giveUp()
		return
	}
	if !p.Over {
		p.send()
	}
}

// giveUp is when the gateway has ended the connection.
func (p *server2) giveUp() {
	p.knows()
	p.end("close")
}

func (p *server2) take(b []byte) {
	p.taking = true
	err := p.Take(b, p.w.sys.Now, func(ev *http2.Event) bool {
		p.event(ev)
		return !p.Over
	})
	if err != nil {
		p.w.violate("protocol", "%s got what isn't HTTP/2: %v", p.e.Name, err)
		p.end("reset")
		return
	}
	if p.taking = false; p.Over {
		p.wasted(p.unread, false)
	}
}

func (p *server2) event(ev *http2.Event) {
	if ev.Kind == http2.EventGoAway && ev.Code != http2.NoError {
		p.w.violate("protocol", "the gateway ends a connection to %s with %v, %q", p.e.Name, ev.Code, ev.Data)
	}
	if ev.Stream == nil {
		return
	}
	if ev.Kind == http2.EventHead {
		p.request(ev)
		return
	}
	c, ok := ev.Stream.User.(*serving2)
	if !ok {
		return
	}
	switch ev.Kind {
	case http2.EventData:
		if !p.w.readBody(c.x, c.one, &c.follow, ev.Data) {
			p.Conn.Reset(c.s, http2.InternalError)
			c.end()
			return
		}
		if p.HTTP2.Read(c.s, len(ev.Data), c, p.Random) {
			p.Stir()
		}
	case http2.EventTrailers:
		h := ev.Header
		for _, f := range h.Fields {
			if !c.x.Asked || string(f.Name.Of(h.Bytes)) != "x-asked" || string(f.Value.Of(h.Bytes)) != strconv.Itoa(c.x.ID) {
				p.w.violate("foreign-trailers", "%s: %s with the request %s", f.Name.Of(h.Bytes), f.Value.Of(h.Bytes), c.x)
			}
		}
	case http2.EventReset:
		if ev.Err != nil {
			p.w.violate("protocol", "%s: %v: %s", p.e.Name, ev.Err, c.x)
		}
		c.end()
		return
	case http2.EventWritable:
		p.Stir()
		return
	}
	c.ended = c.ended || ev.End
	c.moreBody()
}

func (p *server2) request(ev *http2.Event) {
	h, s := ev.Header, ev.Stream
	if p.went && s.ID > p.above {
		p.misses(ev)
		return
	}
	get := func(name string) []byte { v, _ := h.Find(name); return v }
	if p.carried == 0 {
		p.carried = p.w.sys.Now()
	}
	x, one := p.w.begins(p.e, get("x-token"), h.Method.Of(h.Bytes), h.Path.Of(h.Bytes), h.Authority.Of(h.Bytes), get("x-mirrored") != nil)
	if x == nil {
		p.Conn.Reset(s, http2.ProtocolError)
		p.Conn.Release(s)
		return
	}
	c := &serving2{reply: reply{w: p.w, x: x, one: one, method: string(h.Method.Of(h.Bytes)), match: string(get("if-none-match"))}, p: p, s: s, id: s.ID, ended: ev.End}
	c.follow.Want = x.arrives
	s.User = c
	p.under = append(p.under, c)
	switch kind := one.fault.Kind; kind {
	case "refused", "goaway0":
		c.refuse()
		return
	case "refused-late", "goaway0-late":
		c.waits = true
		p.w.sys.After(int64(1+one.fault.At%50)*1e6, func() {
			if !p.Over && !c.over {
				c.refuse()
			}
		})
		c.moreBody()
		return
	case "goaway", "graceful":
		p.last = max(p.last, s.ID)
		if kind == "graceful" {
			p.Conn.Out = http2.AppendGoAway(p.Conn.Out, 1<<31-1, http2.NoError, "")
			p.w.sys.After(5e6, func() {
				if !p.Over {
					p.goAway(p.last)
					p.Stir()
				}
			})
		} else {
			p.goAway(p.last)
		}
	case "nonsense-head", "nonsense-body":
		p.last, p.spoilt = max(p.last, s.ID), true
		p.Out = append(append(p.Out, p.Conn.Out...), frames2(one.fault.At, s.ID)...)
		p.Conn.Out = p.Conn.Out[:0]
		p.Flush()
		c.fails()
		return
	case "rst-head", "close-head", "cut-head", "close-within-head", "cut-within-head":
		p.last = max(p.last, s.ID)
		c.fails()
		return
	}
	p.last = max(p.last, s.ID)
	c.moreBody()
}

// refuse says that the request hasn't been looked at.
func (c *serving2) refuse() {
	p := c.p
	p.denies(c.x)
	if strings.HasPrefix(c.one.fault.Kind, "goaway") && !p.went && p.last < c.id {
		p.goAway(uint32(max(0, int(c.id)-2)))
		c.free()
		c.forget()
		return
	}
	p.Conn.Reset(c.s, http2.RefusedStream)
	c.end()
}

// goAway says which streams are looked at.
func (p *server2) goAway(last uint32) {
	if p.went {
		last = min(last, p.above)
	}
	p.went, p.above = true, last
	p.unknown = append(p.unknown, len(p.e.Group.went))
	p.e.Group.went = append(p.e.Group.went, 1<<62)
	p.Conn.Out = http2.AppendGoAway(p.Conn.Out, last, http2.NoError, "")
	p.Stir()
}

// knows notes when the gateway knows what it was told.
func (p *server2) knows() {
	for _, i := range p.unknown {
		p.Socket.Heard(func() { p.e.Group.went[i] = p.w.sys.Now() })
	}
	p.unknown = p.unknown[:0]
}

// fails does what a fault is.
func (c *serving2) fails() {
	p := c.p
	kind := c.one.fault.Kind
	c.one.harmed = true
	if strings.HasPrefix(kind, "rst") {
		codes := []http2.ErrCode{http2.InternalError, http2.Cancel, http2.EnhanceYourCalm, http2.ProtocolError}
		p.Conn.Reset(c.s, codes[c.x.ID%4])
		c.end()
		return
	}
	if strings.HasPrefix(kind, "cut") {
		p.lose("reset")
	} else {
		p.lose("close")
	}
}

// end is done with a stream.
func (c *serving2) end() {
	p := c.p
	c.free()
	c.forget()
	p.Stir()
	p.idles()
}

// free is done with the stream itself: who has got its end may open another one.
func (c *serving2) free() {
	if !c.freed {
		c.freed, c.s.User = true, nil
		c.p.Forget(c)
		c.p.Conn.Release(c.s)
	}
}

func (c *serving2) forget() {
	p := c.p
	c.over = true
	p.Forget(c)
	p.under = slices.DeleteFunc(p.under, func(o *serving2) bool { return o == c })
}

// moreBody looks what is to be done when a part of the body is in.
func (c *serving2) moreBody() {
	p := c.p
	switch c.one.fault.Kind {
	case "rst-body", "close-body", "cut-body":
		if c.follow.At >= c.one.fault.At || c.ended {
			c.fails()
			return
		}
	}
	if c.ended && !c.x.Route.tunnels() {
		p.w.bodyEnded(c.x, c.one, &c.follow)
	}
	if c.x.Route.tunnels() && c.begun {
		p.Stir()
		return
	}
	if c.waits || !c.ended && !c.x.Early && !c.x.Route.tunnels() {
		return
	}
	c.waits = true
	if c.one.fault.Kind == "hang" {
		c.one.harmed = true
		return
	}
	p.w.sys.After(c.x.Delay, func() {
		if !p.Over && !c.over {
			c.begun = true
			p.Stir()
		}
	})
}

// send sends what there is to send.
func (p *server2) send() {
	p.Open()
	p.round = append(p.round[:0], p.under...)
	for _, c := range p.round {
		if p.Over {
			return
		}
		if !c.over && c.begun && !c.done {
			if c.more(); c.done && c.ended && !c.over {
				c.free()
			}
		}
	}
	if p.Over {
		return
	}
	if p.Frame(); !p.Flush() {
		if p.Broken {
			p.giveUp()
		}
		return
	}
	p.Conn.Flushed()
	p.knows()
	p.round = append(p.round[:0], p.under...)
	for _, c := range p.round {
		if c.done && !c.over {
			c.finished()
			if p.Over {
				return
			}
		}
	}
	if p.went && len(p.under) == 0 && len(p.Conn.Out) == 0 && p.Random.OneIn(2) {
		p.w.sys.After(1e6, func() {
			if len(p.under) == 0 && len(p.Out) == 0 {
				p.finish()
			}
		})
	}
}
