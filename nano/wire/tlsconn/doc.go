// Package tlsconn is TLS over sockets that never block, for event loops. The protocol is
// crypto/tls; a [Conn] is the net.Conn below it.
//
// A handshake takes tens of microseconds to milliseconds of computing, and the
// application's callbacks may block. So it is done on a goroutine, to which the loop
// only passes the socket's events ([Conn.Handshake], [Conn.Ready]); after it the loop
// reads and writes.
package tlsconn
