//go:build linux

package closedloop

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"net/http"
)

// ServeEcho is the server of [WebSocket] until the listener is closed: it sends each
// message back as it came, which was masked with zero.
func ServeEcho(ln net.Listener) error {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer conn.Close()
			_ = echo(conn) // whatever it is, the client has gone
		}()
	}
}

func echo(conn net.Conn) error {
	in := bufio.NewReader(conn)
	if _, err := http.ReadRequest(in); err != nil {
		return err
	}
	// The key is that of RFC 6455 1.3, which the clients send, and so is what accepts it.
	if _, err := io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"); err != nil {
		return err
	}
	frame := make([]byte, 4+1<<16)
	for {
		var head [8]byte // with a length of two bytes, and the mask's key
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return err
		}
		n := 4 + int(binary.BigEndian.Uint16(head[2:]))
		copy(frame, head[:4])
		frame[1] &^= 0x80 // what comes from a server has no mask
		if _, err := io.ReadFull(in, frame[4:n]); err != nil {
			return err
		}
		if _, err := conn.Write(frame[:n]); err != nil {
			return err
		}
	}
}
