package nano

import (
	"errors"
	"fmt"
	"net"
)

// Hijack gives the connection to the handler, for another protocol than HTTP, with
// what was read of it after the request. Nothing is sent by the app from then on,
// and the handler closes the connection. Limits of time no longer count, but the
// app waits for the handler when it shuts down: see [Ctx.Draining].
//
// It fails, and the request can still be answered, where there is no HTTP/1.1
// connection: HTTP/1.0 and HTTP/2, and requests in memory.
func (c Ctx) Hijack() (conn net.Conn, early []byte, err error) {
	x := c.live()
	if x.req.Minor == 0 {
		return nil, nil, fmt.Errorf("nano: HTTP/1.0 has no other protocols: %w", errors.ErrUnsupported)
	}
	return x.hijack()
}
