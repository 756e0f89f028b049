package nano

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"dyno/nano/internal/netconn"

	"dyno/nano/internal/exchange"
)

// net/http has no limit of its own for clients of HTTP/2 that send a body, or take
// a response, slower and slower; and one for HTTP/1 counts from the request's start.
// stdWaits gives a request the limits that one on a loop has: how long it waits for
// its client, and at what pace, in each direction. It is one request's and isn't
// reused: a timer may fire late.
type stdWaits struct {
	in, out stdWait
	waited  time.Duration // for the request's body
}

// stdWait is that of one direction.
type stdWait struct {
	pace  netconn.Pace
	timer *time.Timer
	own   atomic.Bool // the handler has set a deadline, which counts instead

	mu     sync.Mutex
	active bool // somebody waits: the writer may be used
	cut    bool // the client was too slow
}

// stdPiece is how much of a response is given to net/http at a time: the client's
// pace is looked at in between.
const stdPiece = 256 << 10

func (s *stdWire) waiting() *stdWaits {
	if s.waits == nil {
		s.waits = &stdWaits{}
	}
	return s.waits
}

// during runs f, which waits for the client to send or take some bytes. When the
// client is too slow, the deadline that cut sets makes f return; then late is true.
func (w *stdWait) during(limit, grace time.Duration, rate int, cut func(time.Time) error, f func() (int, error)) (n int, late bool, err error) {
	if w.own.Load() || limit <= 0 && rate <= 0 {
		n, err = f()
		return n, false, err
	}
	w.pace.Begin(grace)
	w.mu.Lock()
	w.active = !w.cut
	w.mu.Unlock()
	if stall := w.pace.Patience(limit, rate); w.timer != nil {
		w.timer.Reset(stall)
	} else {
		w.timer = time.AfterFunc(stall, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.active {
				w.cut = true
				_ = cut(time.Unix(1, 0)) // an error: what is below knows no deadlines
			}
		})
	}
	from := time.Now()
	n, err = f()
	w.timer.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active = false
	w.pace.Spend(int64(n), time.Since(from), rate, limit)
	return n, w.cut, err
}

// leave ends the request. What net/http still holds of a response it sends when the
// handler has returned: over HTTP/2 that waits for the client, too.
func (s *stdWire) leave() {
	if s.wrote && s.limits.WriteStall > 0 && !s.waiting().out.own.Load() {
		_ = http.NewResponseController(s.w).SetWriteDeadline(time.Now().Add(s.limits.WriteStall))
	}
}

// take gives net/http something to send over HTTP/2.
func (s *stdWire) take(f func() (int, error)) (int, error) {
	c := http.NewResponseController(s.w)
	n, late, err := s.waiting().out.during(s.limits.WriteStall, netconn.MostGrace, s.limits.MinTake, c.SetWriteDeadline, f)
	if late {
		err = netconn.ErrStalled
	}
	return n, err
}

// Write implements wire.
func (s *stdWire) Write(_ *exchange.Exchange, p []byte) (n int, err error) {
	if s.sized {
		if int64(len(p)) > s.left {
			p = p[:s.left]
			defer func() { err = cmp.Or(err, exchange.ErrTooMuch) }()
		}
		defer func() { s.left -= int64(n) }()
	}
	if s.r.ProtoMajor < 2 { // the connection has a guard of its own
		n, err = s.w.Write(p)
	} else {
		s.wrote = s.wrote || len(p) > 0
		for len(p) > 0 && err == nil {
			var m int
			piece := p[:min(len(p), stdPiece)]
			m, err = s.take(func() (int, error) { return s.w.Write(piece) })
			n, p = n+m, p[m:]
		}
	}
	s.broken = s.broken || exchange.ConnectionLost(err) || errors.Is(err, os.ErrDeadlineExceeded)
	return n, err
}

// Flush implements wire.
func (s *stdWire) Flush(*exchange.Exchange) error {
	if s.r.ProtoMajor < 2 {
		return http.NewResponseController(s.w).Flush()
	}
	_, err := s.take(func() (int, error) { return 0, http.NewResponseController(s.w).Flush() })
	return err
}

// Read implements wire.
func (s *stdWire) Read(_ *exchange.Exchange, p []byte) (int, error) {
	c, w := http.NewResponseController(s.w), s.waiting()
	from := time.Now()
	n, late, err := w.in.during(s.limits.ReadBody, netconn.RateGrace, s.limits.MinRate, c.SetReadDeadline, func() (int, error) { return s.body.Read(p) })
	w.waited += time.Since(from)
	var large *http.MaxBytesError
	switch {
	case err == nil, err == io.EOF, err == http.ErrBodyReadAfterClose:
		return n, err
	case late:
		return n, errTooSlow
	case errors.Is(err, os.ErrDeadlineExceeded): // the handler's own
		return n, err
	case errors.As(err, &large):
		return n, ErrBodyTooLarge
	case err == io.ErrUnexpectedEOF || exchange.ConnectionLost(err) || s.r.Context().Err() != nil:
		return n, bodyCut(err)
	}
	// What net/http has left to say is that the body isn't framed as it should be.
	return n, NewProblem(400, "the request's body can't be read").Because(err)
}

// Gone implements netWire.
func (s *stdWire) Gone() bool { return s.broken || s.r.Context().Err() == context.Canceled }

// BodyWait implements netWire.
func (s *stdWire) BodyWait() time.Duration { return s.waiting().waited }
