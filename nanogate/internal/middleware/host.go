package middleware

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/bounds"
	"dyno.example/nanogate/internal/request"
)

// Counts are of a middleware, of all routes that use it.
type Counts struct {
	Panics    atomic.Uint64 // calls that panicked
	Wrong     atomic.Uint64 // replies that couldn't be sent
	Undecided atomic.Uint64 // calls that no worker took in time, or that took too long

	Made time.Time // since when these are counted
	told bounds.ThrottledLog
}

// NewCounts begins to count.
func NewCounts() *Counts { return &Counts{Made: time.Now()} }

// Host calls a middleware for a route. Its panics, and replies that can't be sent,
// become a 500 for that request, are counted, and logged at most once a second.
type Host struct {
	name   string
	m      Middleware
	counts *Counts
	log    *slog.Logger

	failed, undecided, unchecked *request.Reply
}

// NewHost makes one. Of several routes that use a middleware the counts may be the same.
func NewHost(name string, m Middleware, counts *Counts, log *slog.Logger) *Host {
	return &Host{name, m, counts, log,
		request.Refuse(500, "the gateway failed", "").For(request.RefusedMiddlewareFailed),
		request.Refuse(503, "this request can't be looked at at the moment", "Retry-After: 1\r\n").For(request.RefusedMiddlewareUndecided),
		request.Refuse(502, "the response can't be looked at at the moment", "").For(request.RefusedMiddlewareUndecided),
	}
}

// Counts are the middleware's.
func (h *Host) Counts() *Counts { return h.counts }

// Name is the middleware's.
func (h *Host) Name() string { return h.name }

// HandlesResponses reports whether it has a part for responses.
func (h *Host) HandlesResponses() bool { return h.m.Response != nil }

// Check asks about a request. It implements [filter.Filter].
func (h *Host) Check(r *request.Request) *request.Reply {
	switch {
	case h.m.Request == nil:
		return nil
	case h.m.Within > 0:
		return h.later(r, h.undecided, h.m.Request)
	}
	return h.call(r, h.m.Request)
}

// Responded calls the middleware with the response to the request.
func (h *Host) Responded(r *request.Request) *request.Reply {
	switch {
	case h.m.Response == nil:
		return nil
	case h.m.Within > 0:
		return h.later(r, h.unchecked, h.response)
	}
	return h.call(r, h.response)
}

func (h *Host) response(r *request.Request) *request.Reply { return h.m.Response(r, r.Response) }

// Close closes the middleware.
func (h *Host) Close() { h.keep(h.m.Close) }

// call calls a function of the middleware with what it may keep and write to without harm.
func (h *Host) call(r *request.Request, f func(*request.Request) *request.Reply) *request.Reply {
	return h.ask(r, f, 0)
}

// ask is call for a function that comes after so many waits.
func (h *Host) ask(r *request.Request, f func(*request.Request) *request.Reply, waits int) (a *request.Reply) {
	defer func() {
		if why := recover(); why != nil {
			a = h.panicked(why)
		}
	}()
	lent := r.Lend()
	a = f(lent)
	r.Reclaim(lent)
	switch {
	case a == nil:
		return nil
	case !valid(a) || waits == mostWaits && a.Deferred != nil:
		return h.wrong(a)
	case a.Deferred != nil:
		return h.guarded(a, waits+1)
	case a.Status >= 400 && a.Why == request.NotRefused:
		return a.For(request.RefusedMiddleware)
	}
	return a
}

// panicked counts and logs a panic.
func (h *Host) panicked(why any) *request.Reply {
	const mostStack = 4 << 10
	h.counts.Panics.Add(1)
	stack := debug.Stack()
	h.counts.told.Warn(h.log, clock.Now(), "a middleware panicked; the response is 500", "middleware", h.name, "panic", fmt.Sprint(why), "stack", string(stack[:min(len(stack), mostStack)]))
	return h.failed
}

// wrong counts and logs a reply that can't be sent.
func (h *Host) wrong(a *request.Reply) *request.Reply {
	h.counts.Wrong.Add(1)
	h.counts.told.Warn(h.log, clock.Now(), "the reply of a middleware can't be sent; the response is 500", "middleware", h.name, "status", a.Status, "fields", string(a.Fields[:min(len(a.Fields), 200)]))
	return h.failed
}

// valid reports whether a reply can be sent.
func valid(a *request.Reply) bool {
	return a.Status >= 200 && a.Status <= 599 && validLines(a.Fields) && a.Queue == nil && (a.Deferred == nil || a.Deferred.Work != nil && a.Deferred.Within > 0)
}

// validLines reports whether b is lines of fields, none of which frames a message.
func validLines(b []byte) bool {
	for len(b) > 0 {
		line, rest, ended := bytes.Cut(b, []byte("\r\n"))
		name, value, named := bytes.Cut(line, []byte(":"))
		if !ended || !named || !http1.ValidToken(name) || !http1.ValidFieldValue(bytes.TrimSpace(value)) || request.Frames(string(name)) {
			return false
		}
		b = rest
	}
	return true
}

// later has a function called on a worker, with a copy of the request.
func (h *Host) later(r *request.Request, otherwise *request.Reply, f func(*request.Request) *request.Reply) *request.Reply {
	clone := r.Clone()
	begun := false // it is the worker's, unless there is none
	a := *otherwise
	a.Deferred = &request.Deferred{
		Within: h.m.Within, Pass: h.m.Pass,
		Work: func(ctx context.Context) func(*request.Request) *request.Reply {
			begun = true
			clone.SetContext(ctx)
			reply := h.call(clone, f)
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				h.counts.Undecided.Add(1)
			}
			return func(r *request.Request) *request.Reply {
				r.Adopt(clone)
				return reply
			}
		},
		Over: func() {
			if !begun {
				h.counts.Undecided.Add(1)
			}
		},
	}
	return &a
}
