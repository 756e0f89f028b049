package load

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"dyno/internal/clock"
	"dyno/internal/http1"
)

// worker is one connection with its goroutine.
type worker struct {
	engine *portable
	conn   net.Conn
	exchange
	read   []byte
	answer http1.Response
}

// work sends requests until there are none left or ctx ends.
func (w *worker) work(ctx context.Context) {
	for ctx.Err() == nil {
		intended, ok := w.nextDue()
		if !ok {
			return
		}
		if w.conn == nil && !w.redial(ctx) {
			continue
		}
		w.ask(ctx, intended)
	}
}

// nextDue waits for the next request that is due and returns its intended start.
func (w *worker) nextDue() (intended int64, ok bool) {
	p := w.engine
	if p.spec.Profile.Mode == Open {
		intended, ok = <-p.waiting
		return intended, ok
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := clock.Now()
	if p.rec.draining || now >= p.limit || p.quota > 0 && p.started >= p.quota {
		return 0, false
	}
	p.started++
	p.rec.advance(now, p.limit)
	p.rec.Offered++
	p.rec.inFlight++
	return now, true
}

// dial opens the connection and returns how long that took, in ns.
func (w *worker) dial(ctx context.Context) (took int64, err error) {
	start := clock.Now()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", w.engine.addr.String())
	if err != nil {
		return 0, err
	}
	took = clock.Now() - start
	if w.engine.secure {
		host, _, _ := net.SplitHostPort(joinHostPort(w.engine.host, "443"))
		if h, _, err := net.SplitHostPort(w.engine.host); err == nil {
			host = h
		}
		secure := tls.Client(conn, &tls.Config{ServerName: host, NextProtos: []string{"http/1.1"}})
		if err := secure.HandshakeContext(ctx); err != nil {
			conn.Close()
			return 0, err
		}
		conn = secure
	}
	w.engine.mu.Lock()
	w.conn = conn
	w.engine.mu.Unlock()
	return took, nil
}

// redial opens a lost connection again; a failure ends the request that waits.
func (w *worker) redial(ctx context.Context) bool {
	p := w.engine
	dialCtx, cancel := context.WithTimeout(ctx, p.spec.Timeout)
	defer cancel()
	took, err := w.dial(dialCtx)
	p.mu.Lock()
	if err == nil {
		p.rec.connected(took)
		p.mu.Unlock()
		return true
	}
	p.rec.inFlight--
	p.rec.Errors.Connect++
	p.mu.Unlock()
	p.errors.note("connect", err.Error())
	select {
	case <-ctx.Done():
	case <-time.After(20 * time.Millisecond):
	}
	return false
}

// ask sends one request and reads its answer.
func (w *worker) ask(ctx context.Context, intended int64) {
	p := w.engine
	p.mu.Lock()
	sent := clock.Now()
	request := p.mix.next(&w.exchange, sent)
	p.rec.advance(sent, p.limit)
	p.rec.Sent++
	p.rec.BytesOut += uint64(len(request))
	w.setDeadline()
	p.mu.Unlock()

	w.answer.Reset(w.request.isHead)
	first, received, err := w.roundTrip(request)
	done := clock.Now()

	p.mu.Lock()
	defer p.mu.Unlock()
	p.rec.BytesIn += uint64(received)
	if ctx.Err() != nil || p.spec.Profile.Mode == Closed && (p.rec.draining || done >= p.limit) {
		w.hangUp() // ended by us: neither an answer nor an error
		return
	}
	p.rec.advance(done, p.limit)
	p.rec.inFlight--
	if err != nil {
		w.failed(err)
		return
	}
	p.rec.answered(intended, sent, first, done)
	p.errors.judged(&w.exchange, w.answer.Status, p.rec, done)
	if !w.answer.KeepAlive {
		w.hangUp()
	}
}

var errUnsolicited = errors.New("the server sent bytes beyond its answer")

// roundTrip returns when the first byte came and how many came in all.
func (w *worker) roundTrip(request []byte) (first int64, received int, err error) {
	if _, err := w.conn.Write(request); err != nil {
		return 0, 0, err
	}
	pending := 0
	for !w.answer.Done() {
		if pending == len(w.read) {
			w.read = append(w.read, make([]byte, len(w.read))...) // a large head; the parser bounds it
		}
		n, err := w.conn.Read(w.read[pending:])
		if n > 0 && first == 0 {
			first = clock.Now()
		}
		received += n
		pending += n
		used, parseErr := w.answer.Feed(w.read[:pending])
		w.keep(w.answer.Status, w.read[:used])
		if parseErr != nil {
			return first, received, parseErr
		}
		pending = copy(w.read, w.read[used:pending])
		if err != nil && !(n >= 0 && w.answer.Done()) && !w.answer.EOF() {
			return first, received, err
		}
	}
	if pending > 0 {
		return first, received, errUnsolicited
	}
	return first, received, nil
}

// failed counts a request that got no usable answer. The engine's mu is held.
func (w *worker) failed(err error) {
	p := w.engine
	w.hangUp()
	fail := func(kind, why string) { p.errors.failed(&w.exchange, kind, why, clock.Now()) }
	var syntax *http1.Error
	var network net.Error
	switch {
	case errors.As(err, &syntax) || errors.Is(err, errUnsolicited):
		p.rec.Errors.Body++
		fail("body", err.Error())
	case errors.As(err, &network) && network.Timeout():
		p.rec.Errors.Timeout++
		fail("timeout", fmt.Sprintf("no complete answer within %v", p.spec.Timeout))
	default:
		p.rec.Errors.Reset++
		fail("reset", err.Error())
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
	deadline := time.Now().Add(w.engine.spec.Timeout)
	if w.engine.interrupted {
		deadline = time.Unix(1, 0)
	}
	w.conn.SetDeadline(deadline)
}
