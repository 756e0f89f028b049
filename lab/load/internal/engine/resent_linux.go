package engine

import "dyno/nano/wire/reactor"

// lossesAWindow is how many connections are asked at a window's end what TCP has
// sent again on them, in turn: that takes a microsecond each. All are asked when
// they are closed, and at the end of the load.
const lossesAWindow = 256

// countResent asks some connections what they have sent again.
func (l *eventLoop) countResent(connections int) {
	if l.rec == nil || l.Link.Unix != "" {
		return
	}
	for range min(connections, len(l.conns)) {
		l.asked = (l.asked + 1) % len(l.conns)
		l.askResent(&l.conns[l.asked])
	}
}

func (l *eventLoop) askResent(c *conn) {
	if c.state < ready || c.fd < 0 {
		return
	}
	if n, ok := reactor.Resent(int(c.fd)); ok && n > c.resent {
		l.rec.Resent += uint64(n - c.resent)
		c.resent = n
	}
}
