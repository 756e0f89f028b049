package engine

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"dyno.example/nano/wire/clock"
)

// dialTo opens a connection with the options of the link, as far as the standard
// library can: TCP Fast Open and quick ACKs are the event loop's.
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

// secure makes the TLS handshake on a connection, over which protocol is to be spoken.
// It returns how long that took, in ns, and whether it resumed a TLS session. If
// it fails the connection is closed.
func (p *portable) secure(ctx context.Context, conn net.Conn, protocol string) (_ net.Conn, took int64, resumed bool, err error) {
	began := clock.Now()
	secure := tls.Client(conn, p.TLS)
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, 0, false, fmt.Errorf("TLS handshake: %w", err)
	}
	state := secure.ConnectionState()
	if err := spoken(&state, protocol); err != nil {
		conn.Close()
		return nil, 0, false, err
	}
	return secure, clock.Now() - began, state.DidResume, nil
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
