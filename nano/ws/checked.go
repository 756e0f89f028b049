package ws

import (
	"errors"
	"net"
	"sync/atomic"

	wire "dyno.example/nano/wire/websocket"
)

// checked is what the WebSocket library reads from. The library is lenient: it accepts
// lengths that aren't the shortest form, and text and reasons that aren't UTF-8, and
// doesn't say why it ends a connection whose frames aren't masked. checked validates
// the client's frames by RFC 6455 on their way, and fails at the first wrong byte with
// the status to close with. What came before it is passed on.
type checked struct {
	net.Conn
	early  []byte // read before and not used
	frames wire.Reader

	wrong atomic.Pointer[wire.Violation] // what it did, if it did
}

// newChecked reads from conn what a client sends, after early. deflates says that
// messages may be compressed.
func newChecked(conn net.Conn, early []byte, deflates bool) *checked {
	return &checked{Conn: conn, early: early, frames: wire.Reader{Masked: true, Deflates: deflates}}
}

func (c *checked) Read(p []byte) (int, error) {
	if v := c.wrong.Load(); v != nil {
		return 0, v
	}
	n, err := 0, error(nil)
	if len(c.early) > 0 {
		n = copy(p, c.early)
		c.early = c.early[n:]
	} else {
		n, err = c.Conn.Read(p)
	}
	good, wrong := c.check(p[:n])
	if wrong != nil {
		c.wrong.Store(wrong)
		if good == 0 {
			return 0, wrong
		}
		return good, nil
	}
	return n, err
}

// check takes bytes from the client. good is how many of them may be passed on.
func (c *checked) check(b []byte) (good int, wrong *wire.Violation) {
	for {
		n, ev, err := c.frames.Next(b[good:])
		good += n
		if errors.As(err, &wrong) {
			return good, wrong
		}
		if ev.Kind == wire.More {
			return good, nil
		}
	}
}
