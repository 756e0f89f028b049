package engine

import (
	"context"
	"net"
	"sync/atomic"
)

// dialTo opens a connection as the link asks for, as far as the standard library
// can: TCP Fast Open and quick ACKs are the event loop's.
func (p *portable) dialTo(ctx context.Context) (net.Conn, error) {
	k := p.Link
	if k.Unix != "" {
		return (&net.Dialer{}).DialContext(ctx, "unix", k.Unix)
	}
	var d net.Dialer
	if n := len(k.Sources); n > 0 {
		from := k.Sources[int(atomic.AddUint32(&p.dialled, 1)-1)%n]
		d.LocalAddr = &net.TCPAddr{IP: from.AsSlice()}
	}
	conn, err := d.DialContext(ctx, "tcp", p.Addr.String())
	if err != nil {
		return nil, err
	}
	tcp := conn.(*net.TCPConn)
	if k.Nagle {
		_ = tcp.SetNoDelay(false) // as good as it gets
	}
	if k.Churns() {
		_ = tcp.SetLinger(0) // see quickEnd
	}
	return conn, nil
}
