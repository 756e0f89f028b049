package nano

import (
	"time"

	"golang.org/x/sys/unix"

	"dyno/internal/reactor"
)

// The wire of HTTP/1.1: a turn writes answers as RFC 9112 wants them.

// directAt is the size of a body that is written at once rather than copied.
const directAt = 16 << 10

// answer implements wire.
func (t *turn) answer(x *exchange, body []byte) error {
	if t.inflow.open && !t.inflow.dec.Done() {
		t.reply.keep = false // the rest of the body stands between us and the next request
	}
	t.out = t.reply.head(t.out, x, int64(len(body)), t.dateLine())
	t.reply.ended = true
	if t.reply.bodiless {
		return nil
	}
	if len(body) >= directAt {
		return t.direct(body)
	}
	t.out = append(t.out, body...)
	return nil
}

// begin implements wire.
func (t *turn) begin(x *exchange, length int64) error {
	t.out = t.reply.stream(t.out, x, length, t.dateLine())
	return nil
}

// dateLine is the Date field. A handler that is away can't use the loop's.
func (t *turn) dateLine() []byte {
	if t.away {
		t.date = appendDateLine(t.date[:0], time.Now())
	}
	return t.date
}

// write implements wire.
func (t *turn) write(_ *exchange, p []byte) (n int, err error) {
	t.out, n, err = t.reply.add(t.out, p)
	if len(t.out) >= directAt {
		if err := t.flush(nil); err != nil {
			return 0, err
		}
	}
	return n, err
}

// end implements wire.
func (t *turn) end(_ *exchange, trailers []byte) (err error) {
	t.out, err = t.reply.finish(t.out, trailers)
	return err
}

// abort implements wire.
func (t *turn) abort(*exchange) { t.reply.cut = true }

// direct sends what there is and body, without copying it. What the client does
// not take at once is kept.
func (t *turn) direct(body []byte) error {
	if t.conn.secure != nil {
		_, err := t.pushSecured(body)
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.out[t.sent:]
	n, errno := reactor.Write2(t.fd, before, body)
	t.ready = nil
	if errno != 0 && errno != unix.EAGAIN && errno != unix.EINTR {
		t.broke()
		return errno
	}
	if t.sent = 0; n >= len(before) {
		t.out = append(t.out[:0], body[n-len(before):]...)
	} else {
		t.out = append(t.out[:copy(t.out, before[n:])], body...)
	}
	return nil
}
