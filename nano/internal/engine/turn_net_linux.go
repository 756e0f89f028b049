package engine

import (
	"net"

	"golang.org/x/sys/unix"

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
func (t *turn) Local() net.Addr { return localOf(t.fd) }

// localOf returns the address that a socket's peer has connected to.
func localOf(fd int) net.Addr {
	sa, err := unix.Getsockname(fd)
	if err != nil {
		return nil
	}
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		return &net.TCPAddr{IP: sa.Addr[:], Port: sa.Port}
	case *unix.SockaddrInet6:
		return &net.TCPAddr{IP: sa.Addr[:], Port: sa.Port}
	case *unix.SockaddrUnix:
		return &net.UnixAddr{Net: "unix", Name: sa.Name}
	}
	return nil
}

// Hijack implements exchange.Wire.
func (t *turn) Hijack(*exchange.Exchange) (net.Conn, []byte, error) {
	if err := t.Flush(nil); err != nil { // responses to earlier requests
		return nil, nil, err
	}
	t.leave()
	if err := t.loop.Poller.Remove(t.fd); err != nil {
		return nil, nil, err
	}
	c, err := sockets.Conn(t.fd)
	if err != nil {
		t.reply.Cut = true // no loop watches it any more
		return nil, nil, err
	}
	t.hijacked = true
	rest := t.rest
	if t.inflow.open {
		rest = t.inflow.raw
	}
	return t.conn.secure.Give(c), append([]byte(nil), rest...), nil
}
