package engine

import (
	"errors"
	"io"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/internal/netconn"
	"dyno.example/nano/wire/http1"
)

// What a handler does that has its connection to itself: it reads and writes the
// socket, and waits for it through the loop.

// finish completes the response when the handler has returned.
func (t *turn) finish() {
	if r := &t.reply; r.Streamed && !r.Ended && !r.Cut {
		if err := t.End(t.x, nil); err != nil {
			t.x.Owner.Unfinished(err)
		}
	}
	t.over()
}

// finishAway completes the response, sends it and gives the connection back.
func (t *turn) finishAway() {
	if t.hijacked {
		t.over()
		t.loop.Hand(&t.message)
		return
	}
	t.finish()
	if t.reply.Cut {
		_, _ = t.push() // best effort: responses of before
	} else if err := t.Flush(t.x); err != nil {
		t.reply.Cut = true
	}
	if t.inflow.open && !t.inflow.dec.Done() {
		t.reply.Keep = false
	}
	if in := &t.inflow; t.reply.Keep && len(in.raw) > 0 {
		t.rest = in.raw
	}
	t.loop.Hand(&t.message)
}

// Flush implements exchange.Wire. It blocks while the client is slow, without the loop.
func (t *turn) Flush(*exchange.Exchange) error {
	for {
		left, err := t.push()
		if err != nil || left == 0 {
			return err
		}
		if err := t.awaitTaken(); err != nil {
			return err
		}
	}
}

// broke notes that the client doesn't take the response any more.
func (t *turn) broke() { t.reply.Cut, t.broken = true, true }

// Gone implements exchange.NetWire.
func (t *turn) Gone() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.broken || t.lostBy == exchange.ErrClientGone
}

// push writes what the kernel takes and returns how much is left.
func (t *turn) push() (left int, err error) {
	if t.conn.secure != nil {
		return t.pushSecured(nil)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ready = nil
	out := t.out[t.sent:]
	for len(out) > 0 {
		n, errno := t.loop.Sys.Write(t.fd, out)
		if errno == unix.EAGAIN {
			break
		}
		if errno != 0 && errno != unix.EINTR {
			t.broke()
			return 0, errno
		}
		out = out[n:]
	}
	t.out, t.sent = t.out[:copy(t.out, out)], 0
	return len(t.out), nil
}

// wait gives the loop up and waits for the socket. stall <= 0 waits for ever.
func (t *turn) wait(d exchange.Direction, stall time.Duration) error {
	t.leave()
	return t.await(d, stall)
}

// Read implements exchange.Wire: it reads the body that was too large to be collected.
func (t *turn) Read(_ *exchange.Exchange, p []byte) (int, error) {
	in := &t.inflow
	if len(p) == 0 {
		return 0, nil
	}
	for len(in.data) == 0 {
		switch {
		case t.tooLarge(): // also to who reads on after the error
			return 0, t.loop.config.BodyTooLarge
		case !in.open || in.dec.Done():
			return 0, io.EOF
		}
		if err := t.readMore(); err != nil {
			t.reply.Keep = false
			return 0, err
		}
	}
	n := copy(p, in.data)
	in.data = in.data[n:]
	return n, nil
}

// readMore decodes more of the body, from what was read or from the socket.
func (t *turn) readMore() error {
	in := &t.inflow
	if len(in.raw) == 0 {
		if err := t.readSocket(); err != nil {
			return err
		}
	}
	n, data, err := in.dec.Feed(in.raw)
	in.data, in.raw = in.raw[:data], in.raw[n:]
	in.size += int64(data)
	if t.tooLarge() {
		in.data = nil
		return t.loop.config.BodyTooLarge
	}
	if data > 0 {
		return nil // what is wrong behind it shows again
	}
	var wrong *http1.Error
	if errors.As(err, &wrong) {
		return t.loop.config.App.BadBody(wrong.Status, wrong.Message, err)
	}
	return err
}

// tooLarge reports whether more has come than a body may have.
func (t *turn) tooLarge() bool {
	limit := t.x.Owner.BodyLimit()
	return limit >= 0 && t.inflow.size > limit
}

// BodyWait implements exchange.NetWire.
func (t *turn) BodyWait() time.Duration { return t.inflow.waited }

// awaitBody waits for more of the body, which must not be too slow. Only the time
// that is spent waiting counts: the handler may take its own.
func (t *turn) awaitBody() error {
	in := &t.inflow
	stall, rate := t.x.Owner.BodyPace()
	in.pace.Begin(netconn.RateGrace)
	if in.pace.Spend(in.size-in.paced, 0, rate, stall) {
		return t.loop.config.BodyTooSlow
	}
	in.paced = in.size
	from := t.sys.Now()
	err := t.wait(exchange.Reading, in.pace.Patience(stall, rate))
	waited := time.Duration(t.sys.Now() - from)
	in.waited += waited
	in.pace.Spend(0, waited, rate, stall) // what has come may make up for it
	if errors.Is(err, netconn.ErrStalled) {
		return t.loop.config.BodyTooSlow
	}
	return err
}

// awaitTaken waits until the client takes more of the response, which it must not do
// too slowly. What counts is what its side has acknowledged: the kernel tells of
// room only when much of its buffer is free.
func (t *turn) awaitTaken() error {
	limits := &t.loop.config.Limits
	t.taken.Begin(netconn.MostGrace)
	for {
		queued := t.loop.Sys.Queued(t.fd)
		from := t.sys.Now()
		err := t.wait(exchange.Writing, t.taken.Patience(limits.WriteStall, limits.MinTake))
		if err != nil && !errors.Is(err, netconn.ErrStalled) { // the handler's own deadline
			t.broke()
			return err
		}
		taken := int64(queued - t.loop.Sys.Queued(t.fd))
		late := t.taken.Spend(taken, time.Duration(t.sys.Now()-from), limits.MinTake, limits.WriteStall) && t.by[exchange.Writing].Load() == 0
		switch {
		case late, err != nil && taken <= 0:
			t.broke()
			return netconn.ErrStalled
		case err == nil:
			return nil
		}
	}
}

// readSocket reads at least a byte. It blocks, without the loop.
func (t *turn) readSocket() error {
	in := &t.inflow
	if in.wait {
		if in.wait = false; !t.reply.Streamed && !t.reply.Ended { // a response that has begun tells the client as well
			t.out = append(t.out, http1.Continue...)
		}
		if err := t.Flush(nil); err != nil {
			return err
		}
	}
	if t.scratch == nil {
		t.scratch = make([]byte, readBuffer/2)
	}
	for {
		n, errno := t.receive(t.scratch)
		switch {
		case errno == unix.EAGAIN:
			if err := t.awaitBody(); err != nil {
				return err
			}
		case errno == unix.EINTR:
		case errno != 0:
			t.broken = true
			return t.loop.config.App.BodyCut(errno)
		case n == 0:
			return t.loop.config.App.BodyCut(nil)
		default:
			in.raw = t.scratch[:n]
			return nil
		}
	}
}
