//go:build linux

package simulator

import "dyno.example/nano/wire/http2"

// What becomes of requests on connections over HTTP/2 that an endpoint ends.

// lose is when the endpoint ends the connection, of which nobody has been told.
func (p *server2) lose(how string) {
	if p.Over {
		return
	}
	for _, c := range p.under {
		broke(c.one)
		c.free() // what comes for others isn't over a limit by it
	}
	if p.writes() { // so the gateway doesn't hear it
		p.deniesNone()
		p.went = false
	}
	p.w.loses(p.e, p.Socket)
	p.end(how)
	if p.spoilt {
		p.Socket.Heard(func() { p.e.Group.spoilt = append(p.e.Group.spoilt, p.w.sys.Now()) })
	}
	p.knows()
	if p.carried == 0 {
		p.w.lost(p.e, p.Socket)
	}
}

// writes is whether something that it says hasn't been written.
func (p *server2) writes() bool { return len(p.Out)+len(p.Conn.Out) > 0 }

// denies notes that it says that it hasn't looked at a request.
func (p *server2) denies(x *exchange) {
	if p.Socket.Pending() == 0 && !p.writes() {
		p.denied = p.denied[:0] // they are known to be
	}
	p.denied = append(p.denied, x)
}

// deniesNone is when the gateway doesn't hear that: to it they are lost.
func (p *server2) deniesNone() {
	for _, x := range p.denied {
		x.lost++
	}
	p.denied = p.denied[:0]
}

// cut is when a reset has taken away some of what it has said.
func (p *server2) cut() {
	broke(p.responded...)
	p.deniesNone()
	p.went = false // what comes from now on is sent by who may not know
}

// wasted looks at what nobody reads any more for the requests in it.
func (p *server2) wasted(b []byte, _ bool) {
	if p.taking {
		p.unread = append(p.unread, b...)
		return
	}
	err := p.Take(b, p.w.sys.Now, func(ev *http2.Event) bool {
		if ev.Kind == http2.EventHead {
			p.misses(ev)
		}
		return true
	})
	if err != nil || p.Partial() || p.Socket.Blocked() { // the gateway keeps the rest of it
		p.w.blur(p.e.Group)
	}
}

// misses notes a request that isn't looked at.
func (p *server2) misses(ev *http2.Event) {
	if _, mirrored := ev.Header.Find("x-mirrored"); !mirrored {
		token, _ := ev.Header.Find("x-token")
		if x := p.w.find(token); x != nil && p.went && ev.Stream.ID > p.above {
			x.unseen++
			p.denies(x)
		} else if x != nil {
			since := p.carried
			if p.spoilt { // what isn't HTTP/2 is no end of which requests go elsewhere
				since = 0
			}
			x.misses(since)
		}
	}
	p.Conn.Release(ev.Stream)
}
