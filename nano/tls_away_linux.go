package nano

import (
	"io"
	"os"

	"golang.org/x/sys/unix"

	"dyno/nano/wire/reactor"
)

// What a handler does over TLS that has its connection to itself: see
// away_linux.go.

// receive reads from the client. errno and n == 0 are as in reactor.Read; EPROTO
// is a violation of TLS.
func (t *turn) receive(p []byte) (n int, errno unix.Errno) {
	s := t.conn.secure
	if s == nil {
		return reactor.Read(t.fd, p)
	}
	n, err := s.fill(p)
	_, _ = s.send() // what TLS itself has to say; an error shows again
	switch {
	case n > 0 || err == io.EOF:
		return n, 0
	case err == errNothingYet:
		return 0, unix.EAGAIN
	case err == nil:
		return 0, unix.EINTR // try again
	}
	return 0, unix.EPROTO
}

// pushSecured encrypts what there is, and body, and sends what the kernel takes.
// It returns how much is left, encrypted.
func (t *turn) pushSecured(body []byte) (left int, err error) {
	t.mu.Lock()
	t.ready = nil // from now on only the handler sends
	t.mu.Unlock()
	left, err = t.conn.secure.write(t.out[t.sent:], body)
	t.out, t.sent = t.out[:0], 0
	if err != nil {
		t.broke()
	}
	return left, err
}

// sendFileSecured sends a part of an open file, which has to be read for that. It
// blocks while the client is slow, without the loop.
func (t *turn) sendFileSecured(f *os.File, offset, length int64) error {
	buf := copyBuffers.Get().(*[]byte)
	defer copyBuffers.Put(buf)
	for length > 0 {
		n, err := f.ReadAt((*buf)[:min(length, int64(len(*buf)))], offset)
		if n == 0 {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF // the file has become shorter
			}
			return err
		}
		left, err := t.pushSecured((*buf)[:n])
		if err == nil && left > 0 {
			err = t.flush(nil)
		}
		if err != nil {
			return err
		}
		offset, length = offset+int64(n), length-int64(n)
		t.reply.left -= int64(n)
	}
	return nil
}
