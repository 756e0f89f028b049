package nano

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// sendfilePart is how much of a file one system call sends at most: none of them
// takes long, and a limit of the client is noticed in between.
const sendfilePart = 1 << 20

// sendFile implements fileSender with sendfile(2).
func (t *turn) sendFile(_ *exchange, f *os.File, offset, length int64) error {
	r := &t.reply
	switch {
	case r.ended || r.cut:
		return errAnswerOver
	case r.left < length: // also when the length isn't known
		return errTooMuch
	case r.bodiless:
		r.left -= length
		return nil
	}
	if err := t.flush(nil); err != nil {
		return err
	}
	if t.conn.secure != nil {
		return t.sendFileSecured(f, offset, length)
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = t.sendFrom(int(fd), offset, length) }); err != nil {
		return err
	}
	return failed
}

// sendFrom sends a part of an open file. It blocks while the client is slow,
// without the loop.
func (t *turn) sendFrom(fd int, offset, length int64) error {
	for length > 0 {
		n, err := unix.Sendfile(t.fd, fd, &offset, int(min(length, sendfilePart)))
		switch {
		case err == unix.EAGAIN:
			if err := t.awaitTaken(); err != nil {
				return err
			}
		case err == unix.EINTR:
		case err != nil:
			t.reply.cut, t.broken = true, connectionLost(err)
			return err
		case n == 0:
			return io.ErrUnexpectedEOF // the file has become shorter
		default:
			length -= int64(n)
			t.reply.left -= int64(n)
		}
	}
	return nil
}

var _ fileSender = (*turn)(nil)
