//go:build linux

package simulator

import (
	"strconv"
	"strings"

	"dyno.example/nano/wire/http2"
)

// more sends the next part of a response.
func (c *serving2) more() {
	p, s := c.p, c.s
	if !c.headOut {
		for range c.x.Interims {
			p.Conn.Response(s, 103)
			p.Conn.Field([]byte("link"), []byte("</a>; rel=preload"))
			p.Conn.EndHeaders(false)
		}
		c.start()
		p.Conn.Response(s, c.status)
		for _, f := range c.fields {
			p.Conn.Field([]byte(f[0]), []byte(f[1]))
		}
		if c.framing == "length" && !c.x.Route.tunnels() {
			p.Conn.Field([]byte("content-length"), strconv.AppendInt(nil, int64(c.length), 10))
		}
		bare := (c.none || c.status == 304 || len(c.content) == 0 && !c.trails()) && !c.x.Route.tunnels()
		kind := c.one.fault.Kind
		early := kind == "rst-response" || kind == "close-response" || kind == "cut-response"
		p.Conn.EndHeaders(bare && !early)
		if bare && !early {
			c.done = true
			return
		}
	}
	switch c.one.fault.Kind {
	case "rst-response", "close-response", "cut-response":
		if c.at >= c.one.fault.At || c.at == len(c.content) {
			if c.one.fault.Kind != "rst-response" && (len(p.Conn.Out) > 0 || len(p.Out) > 0) && c.at > 0 {
				p.Out = append(p.Out, p.Conn.Out...)
				p.Conn.Out = p.Conn.Out[:0]
				p.Flush()
			}
			c.fails()
			return
		}
	}
	n := min(len(c.content)-c.at, 1+p.Random.Below(20000))
	last := c.at+n == len(c.content)
	if last && n == 0 && !c.mayEnd() {
		return // until the other side ends
	}
	last = last && c.mayEnd()
	fails := strings.HasSuffix(c.one.fault.Kind, "-response")
	sent := p.Conn.SendData(s, c.content[c.at:c.at+n], last && !c.trails() && !fails)
	c.at += sent
	if sent < n {
		return
	}
	if !last || fails {
		p.Stir()
		return
	}
	if c.trails() {
		p.Conn.Trailers(s)
		if c.x.Route.calls() || c.x.Route.json() {
			p.Conn.Field([]byte("grpc-status"), []byte("0"))
		} else {
			p.Conn.Field([]byte("x-trailer"), strconv.AppendInt(nil, int64(c.x.ID), 10))
		}
		p.Conn.EndHeaders(true)
	}
	c.done = true
}

func (c *serving2) trails() bool {
	return c.x.Route.calls() || c.x.Route.json() || c.x.Replies && !c.none && c.framing == "chunks"
}

// finished is when a response has gone out.
func (c *serving2) finished() {
	p := c.p
	if c.x.Route.tunnels() {
		if !c.ended && c.status != 500 {
			return // the other side ends it
		}
		if c.status != 500 {
			p.w.tunnelEnded(c.x, c.one, &c.follow)
		}
	}
	c.one.responded = true
	if p.Socket.Pending() == 0 {
		p.responded = p.responded[:0]
	}
	p.responded = append(p.responded, c.one)
	kind := c.one.fault.Kind
	if !c.ended {
		p.Conn.Reset(c.s, http2.NoError) // the rest of the body isn't wanted
	}
	c.end()
	switch kind {
	case "close-after":
		p.lose("close")
	case "cut-after":
		p.lose("reset")
	case "goaway-after":
		p.goAway(p.last)
	}
}
