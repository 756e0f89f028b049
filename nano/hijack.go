package nano

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
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
	if x.Req.Minor == 0 {
		return nil, nil, fmt.Errorf("nano: HTTP/1.0 has no other protocols: %w", errors.ErrUnsupported)
	}
	return x.hijack()
}

// switchHead is how long the client may take for the head of a 101.
const switchHead = 10 * time.Second

// SwitchProtocols answers 101 and gives the connection to the handler as
// [Ctx.Hijack] does. The response has the fields given, which name the protocol, and
// those that handlers and middleware have set, also those that [Ctx.BeforeResponse]
// sets, but for what tells of a content.
func (c Ctx) SwitchProtocols(fields http.Header) (conn net.Conn, early []byte, err error) {
	conn, early, err = c.Hijack()
	if err != nil {
		return nil, nil, err
	}
	x := c.x
	done := false
	defer func() { // also if a hook panics
		if !done {
			conn.Close()
		}
	}()
	x.Status = 101
	if x.hooked {
		x.hooks.prepare(nil, -1, false)
		x.hooks.dropFilters()
		x.Status = 101
	}
	head := []byte("HTTP/1.1 101 Switching Protocols\r\n")
	eachLine(x.Fields, func(name, value string) {
		if tellsOfContent(name) || fields.Get(name) != "" {
			return
		}
		head = appendField(head, name, value)
	})
	eachField(fields, func(name, value string) { head = appendField(head, name, value) })
	head = append(head, "\r\n"...)
	_ = conn.SetWriteDeadline(time.Now().Add(switchHead)) // an error shows again
	if _, err := conn.Write(head); err != nil {
		return nil, nil, err
	}
	done = true
	return conn, early, conn.SetWriteDeadline(time.Time{})
}

// tellsOfContent reports whether a field has no place in a response without one, or
// frames it.
func tellsOfContent(name string) bool {
	switch strings.ToLower(name) {
	case "etag", "last-modified", "accept-ranges", "transfer-encoding", "trailer", "connection", "upgrade":
		return true
	}
	return len(name) > len("content-") && strings.EqualFold(name[:len("content-")], "content-") && !strings.EqualFold(name, "Content-Security-Policy")
}
