package nano

import (
	"errors"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// hijack implements wire.
func (t *turn) hijack(*exchange) (net.Conn, []byte, error) {
	if err := t.flush(nil); err != nil { // answers to earlier requests
		return nil, nil, err
	}
	t.leave()
	if err := t.loop.poller.Remove(t.fd); err != nil {
		return nil, nil, err
	}
	c, err := connOf(t.fd)
	if err != nil {
		t.reply.cut = true // no loop watches it any more
		return nil, nil, err
	}
	t.hijacked = true
	rest := t.rest
	if t.inflow.open {
		rest = t.inflow.raw
	}
	return t.conn.secure.give(c), append([]byte(nil), rest...), nil
}

// connOf returns a net.Conn with a descriptor of its own.
func connOf(fd int) (net.Conn, error) {
	other, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(other), "connection")
	c, err := net.FileConn(f)
	return c, errors.Join(err, f.Close())
}
