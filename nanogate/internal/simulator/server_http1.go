//go:build linux

package simulator

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/payload"
)

// server1 is an endpoint's end of a connection over HTTP/1.1.
type server1 struct {
	peer
	e      *Endpoint
	in     []byte
	head   http1.Request
	cur    *serving1
	last   int64 // when it became idle
	ended  bool  // the gateway has closed its side
	tunnel bool
	closes bool   // it has said that this is its last response
	before *run   // that it responded to last
	since  int64  // when that was for the first time
	unread []byte // the start of what came when nobody read any more
	missed bool   // whose that is has been looked at
	late   bool   // it was sent when that could be known
	said   bool   // it has said something that it wasn't asked
}

// serving1 is a request that it serves.
type serving1 struct {
	reply
	body   http1.Body
	follow payload.Follower
	close  bool
	within bool // it fails within the head of the response
}

var limits1 = http1.Limits{Head: 64 << 10, URI: 32 << 10, Fields: 200}

// idles has it close the connection if nothing has come for a while.
func (p *server1) idles() {
	if p.last = p.w.sys.Now(); p.e.Idle == 0 {
		return
	}
	since, after := p.last, int64(p.Random.Below(int(p.e.Idle)))
	if p.e.Farewell && p.before == nil { // nobody closes what can't have carried a request yet
		after += 4*p.e.Line.Latest + 2*p.w.Busy
	}
	p.w.sys.After(after, func() {
		if !p.Over && p.cur == nil && p.last == since && len(p.in) == 0 {
			if p.e.Farewell {
				p.said = true
				p.Socket.Write([]byte(farewell))
				p.Socket.Heard(func() { // its end may come later
					g, now := p.e.Group, p.w.sys.Now()
					if g.parted = append(g.parted, now); p.before == nil {
						g.unused = append(g.unused, now)
					}
				})
			}
			p.lose("close")
		}
	})
}

// farewell is what an endpoint says to a connection on which nothing comes (RFC 9110 15.5.9).
const farewell = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

// lose is when the endpoint ends the connection, of which nobody has been told.
func (p *server1) lose(how string) {
	if p.Over {
		return
	}
	if p.cur != nil {
		broke(p.cur.one)
	}
	p.w.loses(p.e, p.Socket)
	p.unread = append(p.unread, p.in...)
	behind := len(p.in) > 0 && (p.cur == nil && p.before != nil || p.cur != nil && p.cur.body.Done())
	p.end(how)
	if behind { // the next request, which came with the rest of the body of the one before
		p.wasted(nil, false)
	}
	if p.cur == nil && p.before == nil {
		p.w.lost(p.e, p.Socket)
	}
}

// cut is when what was sent last may not have come all.
func (p *server1) cut() {
	if p.before != nil {
		broke(p.before)
	}
}

// wasted looks at what nobody reads any more for the request that begins there.
func (p *server1) wasted(b []byte, late bool) {
	if p.missed {
		return
	}
	if len(p.unread) == 0 {
		p.late = late
	}
	p.unread = append(p.unread, b...)
	x, whole := p.w.missed(p.unread, p.since)
	if p.missed = whole; !whole {
		p.w.blur(p.e.Group) // the gateway keeps the rest of it
	}
	if x == nil {
		return
	}
	x.told = x.told || p.said && x.lost > 0
	switch {
	case p.closes:
		p.w.violate("reused", "a connection that %s had said it would close: %s", p.e.Name, x)
	case p.late && p.before != nil && !x.idempotent() && len(x.body) == 0:
		p.w.violate("unlooked", "it was sent on a connection that %s was known to have closed: %s", p.e.Name, x)
	}
}

func (p *server1) act() {
	if p.drained() {
		return
	}
	if p.tunnel {
		b, errno := []byte(nil), unix.EAGAIN
		if !p.ended {
			b, errno = p.Read()
		}
		p.passTunnel(b, errno)
		return
	}
	if !p.ended {
		b, errno := p.Read()
		switch {
		case len(b) > 0:
			p.in = append(p.in, b...)
		case errno == 0:
			p.ended = true
		case errno != unix.EAGAIN:
			p.giveUp()
			return
		}
	}
	p.take()
	if p.Over || p.tunnel {
		p.Stir()
		return
	}
	p.respond()
	if !p.Over && p.ended && p.cur == nil {
		p.end("close")
	}
}

// giveUp is when the gateway has broken the connection off.
func (p *server1) giveUp() {
	p.end("close")
}

// take takes in what has come.
func (p *server1) take() {
	for !p.Over && len(p.in) > 0 {
		if p.tunnel { // what came with the head
			if !p.w.readBody(p.cur.x, p.cur.one, &p.cur.follow, p.in) {
				p.end("reset")
			}
			p.in = p.in[:0]
			return
		}
		if p.cur == nil {
			p.head.Reset()
			n, err := p.head.Parse(p.in, &limits1)
			if err != nil {
				p.w.violate("protocol", "%s got %q, which isn't HTTP/1.1: %v", p.e.Name, p.in[:min(len(p.in), 200)], err)
				p.end("reset")
				return
			}
			if n == 0 {
				return
			}
			p.request(p.in[:n])
			p.in = p.in[:copy(p.in, p.in[n:])]
			continue
		}
		c := p.cur
		if c.body.Done() {
			if !c.begun || !c.done {
				p.w.violate("protocol", "%s got %q behind a request that it hasn't responded to: %s", p.e.Name, p.in[:min(len(p.in), 200)], c.x)
				p.end("reset")
			}
			return
		}
		n, data, err := c.body.Feed(p.in)
		right := p.w.readBody(c.x, c.one, &c.follow, p.in[:data])
		if err != nil {
			p.w.violate("protocol", "%s got a body that is framed wrongly: %v: %s", p.e.Name, err, c.x)
		}
		if err != nil || !right {
			p.end("reset")
			return
		}
		p.in = p.in[:copy(p.in, p.in[n:])]
		p.moreBody()
	}
	if c := p.cur; c != nil && p.ended && !c.body.Done() && !p.Over {
		p.end("close") // the rest doesn't come
	}
}

func (p *server1) request(b []byte) {
	h := &p.head
	get := func(name string) []byte {
		if v, ok := h.Find(b, name); ok {
			return v.Of(b)
		}
		return nil
	}
	path := h.Target.Of(b)
	if p.said {
		p.w.violate("reused", "a connection on which %s had said more than it was asked", p.e.Name)
	}
	x, one := p.w.begins(p.e, get("x-token"), h.Method.Of(b), path, h.Host.Of(b), get("x-mirrored") != nil)
	if x == nil {
		p.end("reset")
		return
	}
	p.cur = &serving1{reply: reply{w: p.w, x: x, one: one, method: string(h.Method.Of(b)), match: string(get("if-none-match"))}, close: !h.KeepAlive}
	c := p.cur
	c.follow.Want = x.arrives
	c.body.Start(h)
	if h.Upgrade && x.Route.tunnels() && c.one.fault.Kind != "close-head" && c.one.fault.Kind != "cut-head" {
		p.beginTunnel(x, get("sec-websocket-key"))
		p.Stir()
		return
	}
	if h.Expect100 {
		p.Out = append(p.Out, "HTTP/1.1 100 Continue\r\n\r\n"...)
	}
	p.last = 0
	switch c.one.fault.Kind {
	case "close-head", "cut-head":
		p.fails("")
		return
	}
	p.moreBody()
}

// fails does what a fault is.
func (p *server1) fails(how string) {
	p.cur.one.harmed = true
	if how == "" {
		how = "close"
		if p.cur.one.fault.Kind[:3] == "cut" || p.cur.framing == "close" { // whose end nobody could tell from one that was meant
			how = "reset"
		}
	}
	p.lose(how)
}

// moreBody looks what is to be done when a part of the body is in.
func (p *server1) moreBody() {
	c := p.cur
	switch c.one.fault.Kind {
	case "close-body", "cut-body":
		if c.follow.At >= c.one.fault.At || c.body.Done() {
			p.fails("")
			return
		}
	}
	if c.body.Done() {
		p.w.bodyEnded(c.x, c.one, &c.follow)
		if text, _ := c.body.Trailers(); len(text) > 0 && (!c.x.Asked || !bytes.EqualFold(bytes.TrimSpace(text), []byte("x-asked: "+strconv.Itoa(c.x.ID)))) {
			p.w.violate("foreign-trailers", "%q with the request %s", text, c.x)
		}
	}
	if c.waits || !c.body.Done() && !c.x.Early {
		return
	}
	c.waits = true
	if c.one.fault.Kind == "hang" {
		c.one.harmed = true
		return
	}
	p.w.sys.After(c.x.Delay, func() {
		if !p.Over && p.cur == c {
			c.begun = true
			p.Stir()
		}
	})
}

// respond writes more of the response.
func (p *server1) respond() {
	for !p.Over {
		if !p.Flush() {
			if p.Broken {
				p.giveUp()
			}
			return
		}
		c := p.cur
		if c == nil || !c.begun {
			return
		}
		if c.within {
			p.fails("")
			return
		}
		if c.done {
			if !c.body.Done() {
				return // the rest of it is thrown away
			}
			p.finished()
			return
		}
		p.more(c)
	}
}

// more appends the next part of the response.
func (p *server1) more(c *serving1) {
	if !c.headOut {
		p.heads(c)
		return
	}
	kind := c.one.fault.Kind
	if (kind == "close-response" || kind == "cut-response") && (c.at >= c.one.fault.At || c.at == len(c.content)) {
		p.fails("")
		return
	}
	if kind == "nonsense-body" && c.framing == "chunks" && !c.none && (c.at >= c.one.fault.At || c.at == len(c.content)) {
		c.one.harmed = true
		p.Out, c.within = append(p.Out, "zz\r\nhello\r\n"...), true
		return
	}
	if n := min(len(c.content)-c.at, 1+p.Random.Below(20000)); n > 0 {
		part := c.content[c.at : c.at+n]
		c.at += n
		if c.framing == "chunks" {
			p.Out = http1.AppendChunk(p.Out, part)
		} else {
			p.Out = append(p.Out, part...)
		}
		return
	}
	c.done = true
	if c.framing == "chunks" && !c.none {
		p.Out = append(p.Out, "0\r\n"...)
		if c.x.Replies {
			p.Out = append(strconv.AppendInt(append(p.Out, "x-trailer: "...), int64(c.x.ID), 10), "\r\n"...)
		}
		p.Out = append(p.Out, "\r\n"...)
	}
	if c.one.fault.Kind == "talks-after" && !c.close && (p.atOnce(len(c.content)) || p.atOnce(0) && p.Socket.Pending() == oneRead) {
		p.Out = append(p.Out, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"...)
		p.said = true
	}
}

// heads sends the interim responses and the head of the final one.
func (p *server1) heads(c *serving1) {
	for range c.x.Interims {
		p.Out = append(p.Out, "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"...)
	}
	c.start()
	version := "HTTP/1.1 "
	if c.framing == "close" && c.x.ID%3 == 0 && c.x.Interims == 0 {
		version = "HTTP/1.0 "
	}
	p.Out = append(append(p.Out, version...), strconv.Itoa(c.status)...)
	p.Out = append(p.Out, " Said\r\n"...)
	for _, f := range c.fields {
		p.Out = append(append(append(append(p.Out, f[0]...), ": "...), f[1]...), "\r\n"...)
	}
	switch c.framing {
	case "length":
		p.Out = append(strconv.AppendInt(append(p.Out, "Content-Length: "...), int64(c.length), 10), "\r\n"...)
	case "chunks":
		p.Out = append(p.Out, "Transfer-Encoding: chunked\r\n"...)
	case "close":
		if c.close = true; version != "HTTP/1.0 " {
			p.Out = append(p.Out, "Connection: close\r\n"...)
		}
	}
	if pad := oneRead - len(p.Out) - len("x-pad: \r\n\r\n") - len(c.content); c.one.fault.Kind == "talks-after" && c.framing == "length" && pad >= 0 && pad < 8000 && p.atOnce(0) {
		p.Out = fmt.Appendf(p.Out, "x-pad: %s\r\n", bytes.Repeat([]byte("x"), pad)) // all is what is read at once, and the rest isn't
	}
	p.Out = append(p.Out, "\r\n"...)
	if c.within = strings.HasSuffix(c.one.fault.Kind, "-within-head"); c.within {
		p.Out = p.Out[:c.one.fault.At%len(p.Out)]
	}
	if c.one.fault.Kind == "nonsense-head" {
		c.one.harmed = true // however little of it is read
		p.Out, c.within = append(p.Out[:0], responses1[c.one.fault.At%len(responses1)]...), true
	}
}

// oneRead is how many bytes the gateway reads of a response at once.
const oneRead = 64<<10 - len("\r\n")

// atOnce reports whether a response and what is behind it arrive at the same moment: what comes
// later may be taken for the response to the next request, whoever is the gateway.
func (p *server1) atOnce(n int) bool {
	return n < 10000 && p.Piece == 0 && p.e.Line.Latest == 0 && !p.e.Line.Pieces && p.e.Line.Capacity > 60000
}

// finished is when a response has gone out.
func (p *server1) finished() {
	c := p.cur
	c.one.responded = true
	if p.cur, p.before = nil, c.one; p.since == 0 {
		p.since = p.w.sys.Now()
	}
	switch kind := c.one.fault.Kind; {
	case kind == "cut-after":
		if c.framing == "close" { // its end is lost in any case
			broke(c.one)
		}
		p.lose("reset")
	case kind == "close-after" || c.close:
		p.closes = c.close
		p.finish()
		if p.unread = append(p.unread, p.in...); len(p.in) > 0 { // so has the start of one that isn't looked at
			p.in = p.in[:0]
			p.wasted(nil, false)
		}
	default:
		p.idles()
	}
}
