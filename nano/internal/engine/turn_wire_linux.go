package engine

import (
	"io"
	"os"

	"golang.org/x/sys/unix"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/wire/http1"
)

// The wire of HTTP/1.1: a turn writes responses as RFC 9112 wants them.

// directAt is the size of a body that is written at once rather than copied.
const directAt = 16 << 10

// Respond implements exchange.Wire.
func (t *turn) Respond(x *exchange.Exchange, body []byte) error {
	if t.inflow.open && !t.inflow.dec.Done() {
		t.reply.Keep = false // the rest of the body stands between us and the next request
	}
	t.out = t.reply.Head(t.out, x, int64(len(body)), t.dateLine())
	t.reply.Ended = true
	if t.reply.Bodiless {
		return nil
	}
	if len(body) >= directAt {
		return t.direct(body, keptAtMost)
	}
	t.out = append(t.out, body...)
	return nil
}

// Begin implements exchange.Wire.
func (t *turn) Begin(x *exchange.Exchange, length int64) error {
	t.out = t.reply.Stream(t.out, x, length, t.dateLine())
	return nil
}

// dateLine is the Date field. A handler that is away can't use the loop's.
func (t *turn) dateLine() []byte {
	if t.away {
		t.date = http1.AppendDateLine(t.date[:0], t.loop.Sys.Wall().Unix())
	}
	return t.date
}

// Write implements exchange.Wire.
func (t *turn) Write(_ *exchange.Exchange, p []byte) (n int, err error) {
	if len(p) < directAt {
		t.out, n, err = t.reply.Add(t.out, p)
		if len(t.out) >= directAt {
			if err := t.Flush(nil); err != nil {
				return 0, err
			}
		}
		return n, err
	}
	out, n, err := t.reply.Open(t.out, len(p))
	t.out = out
	if n == 0 || t.reply.Bodiless {
		return n, err
	}
	if wrong := t.direct(p[:n], 0); wrong != nil {
		return 0, wrong
	}
	t.out = t.reply.Close(t.out)
	return n, err
}

// End implements exchange.Wire.
func (t *turn) End(_ *exchange.Exchange, trailers []byte) (err error) {
	t.out, err = t.reply.Finish(t.out, trailers)
	return err
}

// Abort implements exchange.Wire.
func (t *turn) Abort(*exchange.Exchange) { t.reply.Cut = true }

// keptAtMost is up to how much of a whole response that the kernel didn't take at
// once is copied, so that its handler can return. More stays where it is, and the
// handler waits for its client, without the loop.
const keptAtMost = flushAt

// direct sends what there is and body from where it lies. It returns when the
// kernel has taken all but kept bytes at most, which are copied.
func (t *turn) direct(body []byte, kept int) error {
	for {
		n, err := t.offer(body)
		if body = body[n:]; err != nil || len(body) == 0 {
			return err
		}
		if len(body) <= kept {
			return t.keepRest(body)
		}
		t.slow()
		if err := t.awaitTaken(); err != nil {
			return err
		}
	}
}

// offer gives the kernel what there is and then body, without waiting. It returns
// how much of body is done with.
func (t *turn) offer(body []byte) (n int, err error) {
	if t.conn.secure != nil {
		if _, err := t.pushSecured(nil); err != nil {
			return 0, err
		}
		if n, err = t.conn.secure.Offer(body); err != nil {
			t.broke()
		}
		return n, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ready = nil
	for {
		before := t.out[t.sent:]
		sent, errno := t.loop.Sys.Write2(t.fd, before, body[n:])
		switch {
		case errno == unix.EAGAIN:
			return n, nil
		case errno == unix.EINTR:
			continue
		case errno != 0:
			t.broke()
			return n, errno
		case sent < len(before):
			t.out, t.sent = t.out[:copy(t.out, before[sent:])], 0
			continue
		}
		t.out, t.sent = t.out[:0], 0
		if n += sent - len(before); n == len(body) {
			return n, nil
		}
	}
}

// keepRest copies the end of a response.
func (t *turn) keepRest(body []byte) error {
	if t.conn.secure != nil {
		_, err := t.pushSecured(body)
		return err
	}
	t.out = append(t.out, body...)
	return nil
}

// slow notes that the client doesn't take the response as fast as it is given. The
// route's next handlers start on goroutines of their own for a while: those keep
// less while they wait.
func (t *turn) slow() {
	if t.away {
		return
	}
	if h := t.x.History; h != nil {
		h.Blocked()
	}
	if !t.loop.config.Debug { // which poisons what the handler was given
		t.compact()
	}
}

// compact gives up the read buffer, 64 KiB, for a copy of the request in it. What
// the handler has views of stays as it is.
func (t *turn) compact() {
	x := t.x
	if t.inflow.open || len(x.Buf)+len(x.Body.Whole)+len(t.rest) > readBuffer/4 {
		return
	}
	head, whole := len(x.Buf), len(x.Body.Whole)
	b := append(append(append([]byte(nil), x.Buf...), x.Body.Whole...), t.rest...)
	x.Buf, t.rest = b[:head:head], b[head+whole:]
	if whole > 0 {
		x.Body.Whole = b[head:][:whole:whole]
	}
	t.scratch, t.held = nil, nil
}

// sendfilePart is how much of a file one system call sends at most: none of them
// takes long, and a limit of the client is noticed in between.
const sendfilePart = 1 << 20

// SendFile implements exchange.FileSender with sendfile(2).
func (t *turn) SendFile(_ *exchange.Exchange, f *os.File, offset, length int64) error {
	r := &t.reply
	switch {
	case r.Ended || r.Cut:
		return exchange.ErrOver
	case r.Left < length: // also when the length isn't known
		return exchange.ErrTooMuch
	case r.Bodiless:
		r.Left -= length
		return nil
	}
	if err := t.Flush(nil); err != nil {
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
			t.reply.Cut, t.broken = true, exchange.ConnectionLost(err)
			return err
		case n == 0:
			return io.ErrUnexpectedEOF // the file has become shorter
		default:
			length -= int64(n)
			t.reply.Left -= int64(n)
		}
	}
	return nil
}

var _ exchange.FileSender = (*turn)(nil)
