// Package http3 sends requests over HTTP/3 (RFC 9114) by quic-go, for the load's
// portable engine. It is the one protocol that the load doesn't speak itself.
package http3

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

// Windows for what servers send, in bytes. It is read at once and kept nowhere.
const (
	streamWindow = 16 << 20
	connWindow   = 256 << 20
)

// idleMost is how long a connection lives on which nothing comes, not even the
// acknowledgements of what is sent each keepAlive.
const (
	idleMost  = 30 * time.Second
	keepAlive = 10 * time.Second
)

// Conn is a connection. Its methods may be called from several goroutines.
type Conn struct {
	socket    *net.UDPConn
	transport *quic.Transport
	quic      *quic.Conn
	http      *http3.ClientConn
}

// Dial connects to a server; from, if it is valid, is the local address. The handshake
// is over when it returns. Close the connection.
func Dial(ctx context.Context, from netip.Addr, server netip.AddrPort, conf *tls.Config) (*Conn, error) {
	local := &net.UDPAddr{}
	if from.IsValid() {
		local.IP = from.AsSlice()
	}
	socket, err := net.ListenUDP("udp", local)
	if err != nil {
		return nil, err
	}
	c := &Conn{socket: socket, transport: &quic.Transport{Conn: socket}}
	c.quic, err = c.transport.Dial(ctx, net.UDPAddrFromAddrPort(server), conf, &quic.Config{
		MaxIdleTimeout: idleMost, KeepAlivePeriod: keepAlive, MaxIncomingStreams: -1,
		InitialStreamReceiveWindow: streamWindow, MaxStreamReceiveWindow: streamWindow,
		InitialConnectionReceiveWindow: connWindow, MaxConnectionReceiveWindow: connWindow,
	})
	if err != nil {
		c.transport.Close()
		socket.Close()
		return nil, explainDial(ctx, err)
	}
	c.http = (&http3.Transport{DisableCompression: true}).NewClientConn(c.quic)
	return c, nil
}

// Resumed reports whether the handshake resumed a TLS session.
func (c *Conn) Resumed() bool { return c.quic.ConnectionState().TLS.DidResume }

// Greeted waits for the server's SETTINGS (RFC 9114 6.2.1).
func (c *Conn) Greeted(ctx context.Context) error {
	select {
	case <-c.http.ReceivedSettings():
		return nil
	case <-c.quic.Context().Done():
		_, why := Explain(context.Cause(c.quic.Context()))
		return fmt.Errorf("the server ended the connection before its SETTINGS: %s", why)
	case <-ctx.Done():
		return fmt.Errorf("no SETTINGS came from the server, which HTTP/3 begins with (RFC 9114 6.2.1): %w", ctx.Err())
	}
}

// Err is why the connection has ended; nil while it hasn't.
func (c *Conn) Err() error {
	if c.quic.Context().Err() == nil {
		return nil
	}
	return context.Cause(c.quic.Context())
}

// Counts are the bytes that the connection has received and sent so far, in QUIC
// packets.
func (c *Conn) Counts() (in, out uint64) {
	s := c.quic.ConnectionStats()
	return s.BytesReceived, s.BytesSent
}

// Close ends the connection at once.
func (c *Conn) Close() {
	c.quic.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeNoError), "")
	c.transport.Close()
	c.socket.Close()
}
