package middleware

import (
	"context"
	"sync/atomic"

	"dyno.example/nanogate/internal/request"
)

// mostWaits is how often a middleware may have one request, or its response, wait: for its body
// and for its work, and for what that asks for. One that goes on for ever would keep a request
// for ever.
const mostWaits = 8

// guarded has all that belongs to a decision which a middleware takes later called as its
// functions are. The reply was found valid.
func (h *Host) guarded(a *request.Reply, waits int) *request.Reply {
	guarded, later := *a, *a.Deferred
	work, content := later.Work, later.Content
	failed := false
	if content != nil {
		later.Content = func(body []byte) { failed = !h.keep(func() { content(body) }) }
	}
	later.Work = func(ctx context.Context) (decide func(*request.Request) *request.Reply) {
		if failed {
			return func(*request.Request) *request.Reply { return h.failed }
		}
		defer func() {
			if why := recover(); why != nil {
				failed := h.panicked(why)
				decide = func(*request.Request) *request.Reply { return failed }
			}
		}()
		said := work(ctx)
		if said == nil {
			return nil
		}
		return func(r *request.Request) *request.Reply { return h.ask(r, said, waits) }
	}
	if by := later.By; by != nil {
		later.By = func(job func()) bool { return h.once(by, job) }
	}
	if missed := later.Missed; missed != nil {
		later.Missed = func() { h.keep(missed) }
	}
	if over := later.Over; over != nil {
		later.Over = func() { h.keep(over) }
	}
	guarded.Deferred = &later
	return &guarded
}

// once has by, which is the middleware's, have a job done, once at most however often it does
// it, and not at all when it has said that there is no room.
func (h *Host) once(by func(func()) bool, job func()) (taken bool) {
	var begun atomic.Bool
	h.keep(func() {
		taken = by(func() {
			if !begun.Swap(true) {
				job()
			}
		})
	})
	if !taken {
		taken = begun.Swap(true) // it has been begun all the same
	}
	return taken
}

// keep calls a function of the middleware that decides nothing, nil isn't called, and keeps a
// panic of it from the gateway. It reports whether there was none.
func (h *Host) keep(f func()) (well bool) {
	if f == nil {
		return true
	}
	defer func() {
		if why := recover(); why != nil {
			h.panicked(why)
		}
	}()
	f()
	return true
}
