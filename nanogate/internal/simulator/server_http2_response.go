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
			p.conn.Response(s, 103)
			p.conn.Field([]byte("link"), []byte("</a>; rel=preload"))
			p.conn.EndHeaders(false)
		}
		c.start()
		p.conn.Response(s, c.status)
		for _, f := range c.fields {
			p.conn.Field([]byte(f[0]), []byte(f[1]))
		}
		if c.framing == "length" && !c.x.Route.tunnels() {
			p.conn.Field([]byte("content-length"), strconv.AppendInt(nil, int64(c.length), 10))
		}
		bare := (c.none || c.status == 304 || len(c.content) == 0 && !c.trails()) && !c.x.Route.tunnels()
		kind := c.one.fault.Kind
		early := kind == "rst-response" || kind == "close-response" || kind == "cut-response"
		p.conn.EndHeaders(bare && !early)
		if bare && !early {
			c.done = true
			return
		}
	}
	switch c.one.fault.Kind {
	case "rst-response", "close-response", "cut-response":
		if c.at >= c.one.fault.At || c.at == len(c.content) {
			if c.one.fault.Kind != "rst-response" && (len(p.conn.Out) > 0 || len(p.out) > 0) && c.at > 0 {
				p.out = append(p.out, p.conn.Out...)
				p.conn.Out = p.conn.Out[:0]
				p.flush()
			}
			c.fails()
			return
		}
	}
	n := min(len(c.content)-c.at, 1+p.random.Below(20000))
	last := c.at+n == len(c.content)
	if last && n == 0 && !c.mayEnd() {
		return // until the other side ends
	}
	last = last && c.mayEnd()
	fails := strings.HasSuffix(c.one.fault.Kind, "-response")
	sent := p.conn.SendData(s, c.content[c.at:c.at+n], last && !c.trails() && !fails)
	c.at += sent
	if sent < n {
		return
	}
	if !last || fails {
		p.stir()
		return
	}
	if c.trails() {
		p.conn.Trailers(s)
		if c.x.Route.calls() || c.x.Route.json() {
			p.conn.Field([]byte("grpc-status"), []byte("0"))
		} else {
			p.conn.Field([]byte("x-trailer"), strconv.AppendInt(nil, int64(c.x.ID), 10))
		}
		p.conn.EndHeaders(true)
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
	if p.s.Pending() == 0 {
		p.responded = p.responded[:0]
	}
	p.responded = append(p.responded, c.one)
	kind := c.one.fault.Kind
	if !c.ended {
		p.conn.Reset(c.s, http2.NoError) // the rest of the body isn't wanted
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
