package engine

import (
	"net"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/wire/http1"
	"dyno.example/nano/wire/sockets"
)

// Inform implements exchange.NetWire.
func (t *turn) Inform(x *exchange.Exchange, status int, lines []byte) error {
	if t.reply.Streamed || t.reply.Ended {
		return exchange.ErrResponded
	}
	t.out = append(t.out, http1.StatusLine(status)...)
	t.out = append(t.out, lines...)
	t.out = append(t.out, "\r\n"...)
	if status == 101 {
		return nil // the protocol that follows sends it along
	}
	return t.Flush(x)
}

// Trailers implements exchange.NetWire.
func (t *turn) Trailers(x *exchange.Exchange, f func(name, value string)) {
	dec := x.Body.Chunks
	if t.inflow.open {
		dec = &t.inflow.dec
	}
	if dec == nil {
		return
	}
	text, fields := dec.Trailers()
	for _, field := range fields {
		f(string(field.Name.Of(text)), string(field.Value.Of(text)))
	}
}

// Local implements exchange.NetWire.
func (t *turn) Local() net.Addr { return sockets.Local(t.fd) }

// Hijack implements exchange.Wire.
func (t *turn) Hijack(*exchange.Exchange) (net.Conn, []byte, error) {
	if err := t.Flush(nil); err != nil { // responses to earlier requests
		return nil, nil, err
	}
	t.leave()
	if err := t.loop.Poller.Remove(t.fd); err != nil {
		return nil, nil, err
	}
	c, err := t.loop.Sys.Conn(t.fd)
	if err != nil {
		t.reply.Cut = true // no loop watches it any more
		return nil, nil, err
	}
	t.hijacked = true
	rest := t.rest
	if t.inflow.open {
		rest = t.inflow.raw
	}
	if secure := t.conn.secure; secure != nil {
		server, from := t.loop.server, t.conn.remote
		c = secure.Give(c, func() { server.gone(from) })
	}
	return c, append([]byte(nil), rest...), nil
}
