package engine

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/http1"
)

// worker is one connection with its goroutine.
type worker struct {
	engine *portable
	conn   net.Conn
	exchange
	read     []byte
	response http1.Response
	line     *line // over HTTP/2 and HTTP/3: what carries its requests; conn is nil then
	trip     trip
	msg      message
	due      chan struct{} // open loop: there is an arrival for it to serve
	next     int64         // when a user that thinks sends the next request; 0: at once
	served   int           // requests on this connection
	opened   int64

	// The request that it has, or waits for a connection with. The engine's mu
	// guards them.
	asked    bool
	intended int64
	sentAt   int64 // 0: not yet

	handshake int64 // ns that the TLS handshake took
	resumed   bool  // whether it resumed a TLS session
}

// work sends requests until there are none left or ctx ends; a user that thinks begins
// with a rest.
func (w *worker) work(ctx context.Context, rest time.Duration) {
	if rest > 0 {
		w.next = clock.Now() + int64(rest)
	}
	for ctx.Err() == nil {
		if !w.nextDue(ctx) {
			return
		}
		if w.line != nil {
			w.doRequestOn(ctx)
			continue
		}
		if w.conn == nil && !w.redial(ctx) {
			continue
		}
		w.doRequest(ctx)
	}
}

// has makes a request that was intended at an instant the worker's. mu is held.
func (w *worker) has(intended int64) { w.asked, w.intended, w.sentAt = true, intended, 0 }

// take gives a waiting worker an arrival. mu is held.
func (w *worker) take(intended int64) {
	w.has(intended)
	w.due <- struct{}{}
}

// nextDue waits for the next request that is due. There is none after an interruption: the
// request that was interrupted is the worker's until it is counted.
func (w *worker) nextDue(ctx context.Context) (ok bool) {
	if w.engine.Profile.Mode == profile.Open {
		return w.nextArrival()
	}
	p := w.engine
	if w.next != 0 {
		p.mu.Lock()
		limit := p.limit
		p.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(min(w.next, limit) - clock.Now())):
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := clock.Now()
	if ctx.Err() != nil || p.interrupted || p.rec.draining || now >= p.limit || p.Quota > 0 && p.started >= p.Quota {
		return false
	}
	p.started++
	p.advance(now)
	intended := now
	if w.next != 0 {
		intended = min(w.next, now)
	}
	p.rec.arrived(intended, now)
	w.has(intended)
	return true
}

// nextArrival takes an arrival from the backlog, or waits to be given one.
func (w *worker) nextArrival() (ok bool) {
	p := w.engine
	p.mu.Lock()
	switch {
	case p.interrupted:
		p.mu.Unlock()
		return false
	case len(w.due) > 0: // hired for it
	case p.backlog.len() > 0:
		w.has(p.backlog.pop())
		p.mu.Unlock()
		return true
	case p.dismissed:
		p.mu.Unlock()
		return false
	default:
		p.idle.push(w)
	}
	p.mu.Unlock()
	_, ok = <-w.due
	return ok
}

// dial opens the connection and returns how long that took, in ns.
func (w *worker) dial(ctx context.Context) (took int64, err error) {
	w.opened, w.served = clock.Now(), 0
	conn, err := w.engine.dialTo(ctx)
	if err != nil {
		return 0, err
	}
	took = clock.Now() - w.opened
	if w.engine.TLS != nil {
		if conn, w.handshake, w.resumed, err = w.engine.secure(ctx, conn, request.HTTP1); err != nil {
			return 0, err
		}
	}
	w.engine.mu.Lock()
	w.conn = conn
	w.engine.mu.Unlock()
	return took, nil
}

// redial opens a lost connection again; a failure ends the request that waits.
func (w *worker) redial(ctx context.Context) bool {
	p := w.engine
	dialCtx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	took, err := w.dial(dialCtx)
	p.mu.Lock()
	if err == nil {
		p.rec.connected(took)
		if p.TLS != nil {
			p.rec.secured(w.handshake, w.resumed)
		}
		p.mu.Unlock()
		return true
	}
	if ctx.Err() != nil {
		p.mu.Unlock()
		return false // ended by us: neither a connection nor an error
	}
	now := clock.Now()
	p.rec.gaveUp(measure.Connect, now-w.opened)
	w.unconnected(err, now)
	p.mu.Unlock()
	p.Errors.note(measure.ConnectError, ExplainConnect(err))
	pause(ctx, retryPause)
	return false
}

// unconnected fails the worker's request, for which no connection came up. The engine's
// mu is held.
func (w *worker) unconnected(err error, now int64) {
	r, of := w.engine.rec, w.engine.mix.unsent()
	r.erred(of, measure.ConnectError, w.intended)
	r.failed(w.intended, now)
	w.asked = false
	var network net.Error
	if errors.As(err, &network) && network.Timeout() {
		r.unconnected(of, w.intended, now)
	}
}

// doRequest sends one request and reads its response.
func (w *worker) doRequest(ctx context.Context) {
	p := w.engine
	p.mu.Lock()
	sent := clock.Now()
	request := p.mix.next(&w.exchange, sent)
	w.sentAt = sent
	p.advance(sent)
	p.rec.SentAt(sent)
	p.rec.BytesOut += uint64(len(request))
	w.setDeadline()
	p.mu.Unlock()

	w.response.Reset(w.request.IsHead)
	first, received, err := w.roundTrip(request)
	done := clock.Now()

	p.mu.Lock()
	defer p.mu.Unlock()
	p.rec.BytesIn += uint64(received)
	if ctx.Err() != nil || p.interrupted && err != nil {
		w.hangUp() // ended by us: neither a response nor an error
		return
	}
	if p.advance(done); done >= p.limit {
		p.rec.drain(p.limit)
	}
	w.asked = false
	if err != nil {
		w.failed(err)
		p.rec.failed(w.intended, done)
		return
	}
	w.completed(w.response.Status, first, done)
	if w.served++; w.wornOut(done) {
		w.quickEnd()
		w.hangUp()
	}
}

// completed records a complete response, and when the worker's next request is due. The
// engine's mu is held.
func (w *worker) completed(status int, first, done int64) {
	p := w.engine
	p.rec.left(w.intended, done)
	p.Errors.judged(&w.exchange, status, p.rec, Times{w.intended, w.sentAt, first, done})
	w.thinks(done)
}

// thinks decides when a user that thinks sends the next request.
func (w *worker) thinks(done int64) {
	if p := w.engine; p.think.Mean > 0 {
		w.next = done + p.think.Next()
	}
}

// quickEnd lets a connection that the server wants to end leave nothing behind:
// see that of the event loop. Where all are to end they are made so.
func (w *worker) quickEnd() {
	if lasts(&w.response) {
		return
	}
	conn := w.conn
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
}

// wornOut reports whether the connection must not carry another request.
func (w *worker) wornOut(now int64) bool {
	k := w.engine.Link
	return !lasts(&w.response) || k.Reuse == request.NoReuse || k.PerConnection > 0 && w.served >= k.PerConnection ||
		k.MaxAge > 0 && now-w.opened >= int64(k.MaxAge)
}

var errUnsolicited = errors.New("the server sent bytes beyond its response")

// roundTrip returns when the first byte came and how many came in all.
func (w *worker) roundTrip(request []byte) (first int64, received int, err error) {
	if _, err := w.conn.Write(request); err != nil {
		return 0, 0, err
	}
	pending := 0
	for !w.response.Done() {
		if pending == len(w.read) {
			w.read = append(w.read, make([]byte, len(w.read))...) // a large head; the parser bounds it
		}
		n, err := w.conn.Read(w.read[pending:])
		if n > 0 && first == 0 {
			first = clock.Now()
		}
		received += n
		pending += n
		used, parseErr := w.response.Feed(w.read[:pending])
		w.keep(w.response.Status, w.read[:used])
		if parseErr != nil {
			w.keepRest(&w.response, w.read[used:pending])
			return first, received, fmt.Errorf("%w%s", parseErr, whereBroken(w.response.Started(), w.kept, w.read[used:pending]))
		}
		pending = copy(w.read, w.read[used:pending])
		if err != nil && !w.response.Done() && !(ended(err) && w.response.EOF()) {
			return first, received, err
		}
	}
	if pending > 0 {
		return first, received, errUnsolicited
	}
	return first, received, nil
}

// ended reports whether a read failed because the server has closed its side,
// over TLS also without having said so before (RFC 8446 6.1).
func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// failed counts a request without a usable response. The engine's mu is held.
func (w *worker) failed(err error) {
	p := w.engine
	w.hangUp()
	fail := func(kind measure.ErrorKind, why i18n.Message) {
		p.rec.erred(w.request, kind, w.intended)
		p.Errors.failed(&w.exchange, kind, why, clock.Now())
	}
	var syntax *http1.Error
	var network net.Error
	switch {
	case errors.As(err, &syntax) || errors.Is(err, errUnsolicited):
		fail(measure.BodyError, i18n.From(err))
	case errors.As(err, &network) && network.Timeout():
		p.rec.waitedFor(w.request, w.intended, w.sentAt, clock.Now())
		fail(measure.TimeoutError, tookTooLong(p.Timeout, w.response.Started(), w.response.BodyBytes))
	default:
		fail(measure.ResetError, i18n.From(err))
	}
}

func (w *worker) hangUp() {
	if w.conn != nil {
		w.conn.Close()
		w.conn = nil
	}
}

// setDeadline gives the exchange that begins its time limit, or none if the
// load is over. The engine's mu is held.
func (w *worker) setDeadline() {
	if w.conn == nil {
		return
	}
	deadline := time.Now().Add(w.engine.Timeout)
	if w.engine.interrupted {
		deadline = time.Unix(1, 0)
	}
	w.conn.SetDeadline(deadline)
}
