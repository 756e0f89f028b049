package engine

import (
	"context"
	"sync"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/clock"
)

// line is a connection of the portable engine on which several workers have their
// requests under way, over HTTP/2 or HTTP/3. The first worker that needs it opens it,
// and one that takes no more requests is replaced when the last on it is over.
//
// The engine's mu may be taken while the line's is held, and never the other way round.
type line struct {
	engine  *portable
	most    int // requests that a connection may have in all; 0: no limit
	workers []*worker
	traffic traffic

	mu      sync.Mutex
	changed *sync.Cond // something that workers wait for may be so
	conn    carrying   // nil: none is open
	dialled int        // attempts that are over
	dialing bool
	failed  error // of the last attempt
	tried   int64 // when the last attempt began, in ns
	opened  int64 // of the attempt that the connection came of
	begun   int   // requests on the connection
	under   int   // of them under way
	going   bool  // it takes no more
}

// carrying is an established connection of a line, of one protocol.
type carrying interface {
	// room reports whether a request can be sent now. The line's mu is held.
	room() bool
	// do sends a worker's request, calls [worker.sends] with the time, and waits for
	// its end. The line's mu is held when it is called, and not when it returns.
	do(ctx context.Context, w *worker) outcome
	// greeted waits until it is certain that the server speaks the protocol.
	greeted(ctx context.Context) error
	// err is why the connection is of no use any more; nil while it is. The line's mu
	// is held.
	err() error
	// close ends the connection. The line's mu is held.
	close()
}

// outcome is what became of a request on a line.
type outcome struct {
	status      int
	first, done int64 // ns
	kind        measure.ErrorKind
	why         i18n.Message // it failed; "" if the response is complete
	called      bool         // it is a call's that got a response: kind and why are what is wrong with the response
	again       bool         // the server has not looked at it: it can be sent again
	held        bool         // it should be a moment before that
}

func newLine(p *portable) *line {
	l := &line{engine: p, most: p.Link.PerConnection}
	if p.Link.Reuse == request.NoReuse {
		l.most = 1
	}
	l.changed = sync.NewCond(&l.mu)
	return l
}

// enter waits until a request can be sent on the line, whose connection it opens if
// need be. The line's mu is held when it returns without an error.
func (l *line) enter(ctx context.Context) (carrying, error) {
	l.mu.Lock()
	for ctx.Err() == nil {
		switch {
		case l.going && l.under == 0:
			l.hangUp()
		case l.conn != nil && !l.going && l.conn.room():
			return l.conn, nil
		case l.conn == nil:
			if err := l.dial(ctx, false); err != nil {
				l.mu.Unlock()
				return nil, err
			}
		default:
			l.changed.Wait()
		}
	}
	l.mu.Unlock()
	return nil, ctx.Err()
}

// dial opens the connection, or waits until another worker has tried to: all that need
// it fail with it. Before the load it waits until the server is known to speak the
// protocol. The line's mu is held.
func (l *line) dial(ctx context.Context, first bool) error {
	if attempt := l.dialled; l.dialing {
		for l.dialing && l.dialled == attempt && ctx.Err() == nil {
			l.changed.Wait()
		}
		if l.dialled != attempt {
			return l.failed
		}
		return ctx.Err()
	}
	l.dialing, l.tried = true, clock.Now()
	l.mu.Unlock()
	inTime, cancel := context.WithTimeout(ctx, l.engine.Timeout)
	conn, err := l.connect(inTime, first)
	if err == nil && first {
		if err = conn.greeted(inTime); err != nil {
			l.mu.Lock()
			conn.close()
			l.mu.Unlock()
		}
	}
	cancel()
	l.mu.Lock()
	if err == nil {
		err = conn.err() // it may have ended already
	}
	l.dialing, l.failed = false, err
	l.dialled++
	l.changed.Broadcast()
	if err == nil {
		l.conn, l.opened, l.begun, l.under, l.going = conn, l.tried, 0, 0, false
	}
	return err
}

// connect makes a connection for the line and records what that took.
func (l *line) connect(ctx context.Context, first bool) (carrying, error) {
	p := l.engine
	record := func(took int64, shaken int64, resumed bool) {
		if first {
			return
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.rec.connected(took)
		if p.TLS != nil {
			p.rec.secured(shaken, resumed)
		}
	}
	began := clock.Now()
	if p.Link.HTTP3 {
		conn, err := dialHTTP3(ctx, l, first)
		if err == nil {
			record(clock.Now()-began, clock.Now()-began, conn.conn.Resumed()) // they are one (RFC 9001 4)
		}
		return conn, err
	}
	conn, err := p.dialTo(ctx)
	if err != nil {
		return nil, err
	}
	took, shaken, resumed := clock.Now()-began, int64(0), false
	if p.TLS != nil {
		if conn, shaken, resumed, err = p.secure(ctx, conn, request.HTTP2); err != nil {
			return nil, err
		}
	}
	record(took, shaken, resumed)
	return newHTTP2Line(l, conn), nil
}

// begins notes that a request goes out on the connection. The line's mu is held.
func (l *line) begins() {
	l.under++
	if l.begun++; l.begun == l.most {
		l.going = true
	}
}

// ends notes that a request on the connection is over. The line's mu is held.
func (l *line) ends(now int64) {
	l.under--
	if age := l.engine.Link.MaxAge; age > 0 && now-l.opened >= int64(age) {
		l.going = true
	}
	if l.going {
		l.changed.Broadcast()
		return
	}
	l.changed.Signal() // one more may be sent
}

// hangUp gives the connection up. The line's mu is held.
func (l *line) hangUp() {
	if conn := l.conn; conn != nil {
		l.conn, l.going = nil, false // before mu is let go of
		conn.close()
	}
	l.changed.Broadcast()
}

// open opens the connection before the load.
func (l *line) open(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dial(ctx, true)
}

// wake lets all waiters check their condition again.
func (l *line) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changed.Broadcast()
}

// doRequestOn sends one request on the worker's line and waits for its response.
func (w *worker) doRequestOn(ctx context.Context) {
	p, l := w.engine, w.line
	for tries := 0; ; tries++ {
		conn, err := l.enter(ctx)
		if err != nil {
			w.noConnection(ctx, err)
			return
		}
		o := conn.do(ctx, w)
		if o.again && ctx.Err() == nil && (tries < mostTries || !o.held) {
			if !o.why.IsZero() { // it was sent
				p.mu.Lock()
				p.rec.Resubmitted++
				p.mu.Unlock()
			}
			w.kept = w.kept[:0]
			if o.held {
				pause(ctx, retryPause)
			}
			continue
		}
		p.mu.Lock()
		p.rec.BytesIn += l.traffic.in.Swap(0)
		p.rec.BytesOut += l.traffic.out.Swap(0)
		if ctx.Err() == nil {
			w.over(&o, tries)
		}
		p.mu.Unlock()
		return
	}
}

// over records how a request on a line ended. The engine's mu is held.
func (w *worker) over(o *outcome, tries int) {
	p := w.engine
	if p.advance(o.done); o.done >= p.limit {
		p.rec.drain(p.limit)
	}
	w.asked = false
	if o.called {
		w.called(o)
		return
	}
	if o.why.IsZero() {
		w.completed(o.status, o.first, o.done)
		return
	}
	if o.kind == measure.RefusedError {
		o.why = refusedTimes(tries + 1)
	}
	if o.kind == measure.TimeoutError {
		p.rec.waitedFor(w.request, w.intended, w.sentAt, o.done)
	}
	p.rec.erred(w.request, o.kind, w.intended)
	p.Errors.failed(&w.exchange, o.kind, o.why, o.done)
	p.rec.failed(w.intended, o.done)
}

// chooses decides what the worker's request is, unless it was sent before.
func (w *worker) chooses() {
	p := w.engine
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.sentAt == 0 {
		p.mix.next(&w.exchange, clock.Now())
	}
}

// sends notes that the worker's request is sent now, unless it was before.
func (w *worker) sends() (now int64) {
	p := w.engine
	p.mu.Lock()
	defer p.mu.Unlock()
	if now = clock.Now(); w.sentAt == 0 {
		w.sentAt = now
		p.advance(now)
		p.rec.SentAt(now)
	}
	return now
}

// noConnection ends a request for which there is no connection.
func (w *worker) noConnection(ctx context.Context, err error) {
	p := w.engine
	if ctx.Err() != nil {
		return // ended by us: neither a connection nor an error
	}
	w.line.mu.Lock()
	tried := w.line.tried
	w.line.mu.Unlock()
	p.mu.Lock()
	now := clock.Now()
	p.rec.gaveUp(measure.Connect, now-tried)
	w.unconnected(err, now)
	p.mu.Unlock()
	p.Errors.note(measure.ConnectError, ExplainConnect(err))
	pause(ctx, retryPause)
}
