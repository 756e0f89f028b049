//go:build linux

package closedloop

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// WebSocket sends messages of so many letters, 126 to 65535, over a WebSocket at a path,
// to a server that sends each back.
func WebSocket(path string, letters int) func() Protocol {
	const masked, text = 0x80, 0x81                       // RFC 6455 5.2; a message in one frame
	frame := []byte{text, masked | 126, 0, 0, 0, 0, 0, 0} // the key is zero, which leaves the letters as they are
	binary.BigEndian.PutUint16(frame[2:], uint16(letters))
	frame = append(frame, bytes.Repeat([]byte("m"), letters)...)
	return func() Protocol { return &webSocket{path: path, frame: frame} }
}

type webSocket struct {
	path  string
	frame []byte
	open  bool
}

func (w *webSocket) Greet(out []byte) []byte {
	return fmt.Appendf(out, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", w.path)
}

func (w *webSocket) Ready() bool                        { return w.open }
func (w *webSocket) Request(out []byte) ([]byte, error) { return append(out, w.frame...), nil }

func (w *webSocket) Read(out, in []byte) (_ []byte, used, responses int, err error) {
	if !w.open {
		head, _, whole := bytes.Cut(in, []byte("\r\n\r\n"))
		if !whole {
			return out, 0, 0, nil
		}
		if !bytes.HasPrefix(head, []byte("HTTP/1.1 101 ")) {
			return out, 0, 0, fmt.Errorf("the response to the handshake is %q", head)
		}
		w.open, used = true, len(head)+4
	}
	const header = 4 // that of a frame without a key
	whole := header + len(w.frame) - 8
	for ; len(in)-used >= whole; used += whole {
		if got := in[used : used+header]; got[0] != w.frame[0] || got[1] != 126 || !bytes.Equal(got[2:], w.frame[2:4]) || in[used+whole-1] != 'm' {
			return out, used, responses, fmt.Errorf("another frame came back, which begins with %x", got)
		}
		responses++
	}
	return out, used, responses, nil
}
