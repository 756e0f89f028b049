package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/internal/netconn"
	"dyno.example/nano/wire/sockets"
)

// The wire of HTTP/2, as a handler sees it: what it writes is kept in its stream, for
// the loop to send.

// keptOfStream is how many bytes of a response wait for the loop, or for the client,
// before the handler has to.
const keptOfStream = 32 << 10

// Respond implements exchange.Wire.
func (t *h2stream) Respond(x *exchange.Exchange, body []byte) error {
	t.layHead(x, int64(len(body)))
	t.reply.Ended = true
	if t.reply.Bodiless {
		body = nil
	}
	return t.put(body, true, false)
}

// Begin implements exchange.Wire.
func (t *h2stream) Begin(x *exchange.Exchange, length int64) error {
	t.layHead(x, length)
	t.reply.Streamed, t.reply.Left = true, length
	return nil
}

// layHead lays out the head of the response.
func (t *h2stream) layHead(x *exchange.Exchange, length int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if x.Tunnel == exchange.TunnelAsked && x.Status < 300 {
		x.Status = 501 // a 2xx would say that what follows is the other protocol (RFC 9110 9.3.6)
	}
	o := &t.out
	o.head, o.length, o.dated = t.reply.Section(o.head[:0], x, length)
	o.status, o.last = x.Status, !t.reply.Keep
}

// put gives the loop a part of the body; end says that it is the last, flush that it is
// to be sent at once. It blocks, without the loop, while there is much that the client
// hasn't taken.
func (t *h2stream) put(p []byte, end, flush bool) error {
	other := t.isOther()
	for {
		t.mu.Lock()
		if why := t.lostBy; why != nil {
			t.mu.Unlock()
			if end && len(p) <= keptOfStream { // nobody would know if it had come a bit later
				why = nil
			}
			return t.broke(why)
		}
		o := &t.out
		if o.sent > 0 {
			o.data, o.sent = o.data[:copy(o.data, o.data[o.sent:])], 0
		}
		n := min(len(p), max(keptOfStream-len(o.data), 0))
		o.data = append(o.data, p[:n]...)
		p = p[n:]
		o.ended = end && len(p) == 0
		o.flushed = o.flushed || flush
		first := (flush || len(o.data) >= directAt) && t.telling(other)
		t.mu.Unlock()
		if first {
			t.loop.Hand(&t.message)
		}
		if len(p) == 0 {
			return nil
		}
		if err := t.awaitTaken(); err != nil {
			return t.broke(err)
		}
	}
}

// awaitTaken waits until the client has taken some of the response.
func (t *h2stream) awaitTaken() error {
	if t.co == nil {
		if h := t.x.History; h != nil && !t.away {
			h.Blocked()
		}
		t.leave()
		return t.await(exchange.Writing, 0)
	}
	by := t.by[exchange.Writing].Load()
	switch {
	case by == 0 && t.suspends():
		t.full = true
		t.co.yield(struct{}{})
		t.full = false
		return nil
	case !t.isOther():
		t.leave()
	}
	return t.await(exchange.Writing, 0)
}

// Deadline implements exchange.NetWire.
func (t *h2stream) Deadline(d exchange.Direction, at time.Time) error {
	err := t.apart.Deadline(d, at)
	if t.co != nil {
		t.knock()
	}
	return err
}

// Write implements exchange.Wire.
func (t *h2stream) Write(_ *exchange.Exchange, p []byte) (int, error) {
	_, n, short := t.reply.Open(nil, len(p))
	if n == 0 || t.reply.Bodiless {
		return n, short
	}
	if err := t.put(p[:n], false, false); err != nil {
		return 0, err
	}
	return n, short
}

// Send implements exchange.Sender.
func (t *h2stream) Send(_ *exchange.Exchange, p []byte) error {
	_, n, short := t.reply.Open(nil, len(p))
	if n == 0 || t.reply.Bodiless {
		return short
	}
	if err := t.put(p[:n], false, true); err != nil {
		return err
	}
	return short
}

// Flush implements exchange.Wire. The loop sends what there is once it has its goroutine back.
func (t *h2stream) Flush(*exchange.Exchange) error {
	other := t.isOther()
	t.mu.Lock()
	why := t.lostBy
	t.out.flushed = true
	first := why == nil && t.telling(other)
	t.mu.Unlock()
	if why != nil {
		return t.broke(why)
	}
	if first {
		t.loop.Hand(&t.message)
	}
	return nil
}

// End implements exchange.Wire.
func (t *h2stream) End(_ *exchange.Exchange, trailers []byte) error {
	if _, err := t.reply.Finish(nil, nil); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.reply.Bodiless {
		t.out.trailers = append(t.out.trailers[:0], trailers...)
	}
	t.out.ended = true
	return nil
}

// Abort implements exchange.Wire.
func (t *h2stream) Abort(*exchange.Exchange) { t.reply.Cut = true }

// Context implements exchange.Wire.
func (t *h2stream) Context(*exchange.Exchange) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := t.x.Owner.Timed(t.loop.server.ctx, time.Duration(t.loop.Sys.Now()-t.began))
	return ctx, t.tells(cancel)
}

// Inform implements exchange.NetWire.
func (t *h2stream) Inform(_ *exchange.Exchange, status int, lines []byte) error {
	switch {
	case t.reply.Streamed || t.reply.Ended:
		return exchange.ErrResponded
	case status == 101: // RFC 9113 8.6
		return fmt.Errorf("nano: HTTP/2 has no status 101: %w", errors.ErrUnsupported)
	}
	t.mu.Lock()
	o := &t.out
	o.interim = strconv.AppendInt(o.interim, int64(status), 10)
	o.interim = append(append(append(o.interim, "\r\n"...), lines...), "\r\n"...)
	t.mu.Unlock()
	return t.Flush(nil)
}

// Trailers implements exchange.NetWire.
func (t *h2stream) Trailers(_ *exchange.Exchange, f func(name, value string)) {
	t.mu.Lock()
	text, fields := t.in.trailers, t.in.fields
	t.mu.Unlock()
	for _, field := range fields {
		f(string(field.Name.Of(text)), string(field.Value.Of(text)))
	}
}

// BodyWait implements exchange.NetWire.
func (t *h2stream) BodyWait() time.Duration { return t.waited }

// Local implements exchange.NetWire.
func (t *h2stream) Local() net.Addr {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lostBy != nil { // the socket may be another connection's
		return nil
	}
	return sockets.Local(t.fd)
}

// toldAt is how many bytes of a body are read before the client may send as many more.
const toldAt = 16 << 10

// Read implements exchange.Wire: it reads a body that isn't collected.
func (t *h2stream) Read(_ *exchange.Exchange, p []byte) (int, error) {
	limit := t.x.Owner.BodyLimit()
	for len(p) > 0 {
		t.mu.Lock()
		in := &t.in
		n := copy(p, in.data[in.at:])
		in.at += n
		in.done += n
		if in.at == len(in.data) {
			in.data, in.at = in.data[:0], 0
		} else if in.at >= keptOfStream {
			in.data, in.at = in.data[:copy(in.data, in.data[in.at:])], 0
		}
		size, ended, why, much := in.size, in.ended, t.lostBy, in.done >= toldAt
		t.mu.Unlock()
		switch {
		case limit >= 0 && size > limit: // also to who reads on after the error
			return 0, t.loop.config.BodyTooLarge
		case n > 0:
			if t.co != nil && !t.isOther() {
				t.ate += n // the loop sees when the handler is suspended
			}
			if much {
				t.tell()
			}
			return n, nil
		case ended:
			return 0, io.EOF
		case why != nil:
			return 0, t.loop.config.App.BodyCut(why)
		}
		if err := t.awaitBody(size); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// awaitBody waits for more of the body, which must not be too slow: size bytes have
// come. Only the time that is spent waiting counts.
func (t *h2stream) awaitBody(size int64) error {
	stall, rate := t.x.Owner.BodyPace()
	if stall <= 0 && rate <= 0 && t.co != nil {
		return t.awaitMessage()
	}
	t.behind.Begin(netconn.RateGrace)
	if t.behind.Spend(size-t.paced, 0, rate, stall) {
		return t.loop.config.BodyTooSlow
	}
	t.paced = size
	t.leave()
	from := t.sys.Now()
	err := t.await(exchange.Reading, t.behind.Patience(stall, rate))
	waited := time.Duration(t.sys.Now() - from)
	t.waited += waited
	t.behind.Spend(0, waited, rate, stall) // what has come may make up for it
	if errors.Is(err, netconn.ErrStalled) {
		return t.loop.config.BodyTooSlow
	}
	return err
}

// awaitMessage is awaitBody for a body that may come as slowly as it likes.
func (t *h2stream) awaitMessage() error {
	switch {
	case t.by[exchange.Reading].Load() == 0 && t.suspends():
		t.co.yield(struct{}{})
		return nil
	case !t.isOther():
		t.leave()
	}
	return t.await(exchange.Reading, 0)
}

var _ exchange.NetWire = (*h2stream)(nil)
