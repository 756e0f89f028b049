package engine

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/internal/netconn"
	eventloop "dyno.example/nano/wire/loop"
)

// apart is what stands between a handler and the loop, which may be run by another
// goroutine: how the handler waits, and how it is told that nobody waits for it.
type apart struct {
	sys      eventloop.System
	by       [2]atomic.Int64 // deadlines that the handler has set, by direction; Unix time in ns, 0: none
	mu       sync.Mutex
	lostBy   error // why the client, or the app, has no more use for the response
	cancel   context.CancelCauseFunc
	writable chan struct{} // capacity 1
	readable chan struct{} // capacity 1
}

func newApart(sys eventloop.System) apart {
	return apart{sys: sys, writable: make(chan struct{}, 1), readable: make(chan struct{}, 1)}
}

// again is one for another use.
func (a *apart) again() apart {
	return apart{sys: a.sys, writable: a.writable, readable: a.readable}
}

// renew forgets what was signalled.
func (a *apart) renew() {
	drain(a.writable)
	drain(a.readable)
}

func drain(ch chan struct{}) {
	select {
	case <-ch:
	default:
	}
}

// signal passes readiness on to the handler.
func signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// over ends the request.
func (a *apart) over() {
	if a.cancel != nil {
		a.mu.Lock()
		a.cancel = nil
		a.mu.Unlock()
	}
	if a.by[exchange.Reading].Load()|a.by[exchange.Writing].Load() != 0 {
		a.by[exchange.Reading].Store(0)
		a.by[exchange.Writing].Store(0)
	}
}

// tells has cancel called when nobody waits for the response any more.
func (a *apart) tells(cancel context.CancelCauseFunc) context.CancelCauseFunc {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lostBy != nil {
		cancel(a.lostBy)
	}
	a.cancel = cancel
	return cancel
}

// lost tells the handler that nobody waits for its response.
func (a *apart) lost(why error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lostBy == nil {
		a.lostBy = why
	}
	if a.cancel != nil {
		a.cancel(why)
	}
}

// Deadline implements exchange.NetWire.
func (a *apart) Deadline(d exchange.Direction, at time.Time) error {
	by := int64(0)
	if !at.IsZero() {
		by = max(at.UnixNano(), 1)
	}
	a.by[d].Store(by)
	if d == exchange.Reading {
		signal(a.readable) // who waits looks again
	} else {
		signal(a.writable)
	}
	return nil
}

// patience returns how long to wait for the client: until the deadline the
// handler has set, else for the limit.
func (a *apart) patience(d exchange.Direction, limit time.Duration) (time.Duration, error) {
	by := a.by[d].Load()
	if by == 0 {
		return limit, nil
	}
	left := time.Duration(by - a.sys.Wall().UnixNano())
	if left <= 0 {
		return 0, os.ErrDeadlineExceeded
	}
	return left, nil
}

// await waits for the loop's signal. The handler must not have the loop. stall <= 0
// waits for ever.
func (a *apart) await(d exchange.Direction, stall time.Duration) error {
	ready := a.writable
	if d == exchange.Reading {
		ready = a.readable
	}
	stall, err := a.patience(d, stall)
	if err != nil {
		return err
	}
	if a.sys.Await(ready, stall) {
		return nil
	}
	if _, err := a.patience(d, 0); err != nil {
		return err
	}
	return netconn.ErrStalled
}
