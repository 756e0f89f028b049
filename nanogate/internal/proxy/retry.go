//go:build linux

package proxy

import (
	"slices"

	"dyno.example/nano/wire/http1"
	"dyno.example/nano/wire/http2"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/snapshot"
	"dyno.example/nanogate/internal/translate"
)

// When a request is tried again after an attempt that an endpoint may have had work with: what
// the route's retry says, within its budget.

// allowance is the loop's of the route's budget of retries.
func (l *attempts) allowance(x *exchange) *snapshot.Allowance {
	return &x.route.Retries[l.local.Loop%len(x.route.Retries)]
}

// mayFollow reports whether there may be one more attempt, for a reason that the route has.
func (x *exchange) mayFollow() bool {
	return x.again() && x.outcome.Tries < x.route.Config.Retry.Attempts
}

// retriesFailure reports whether a request is sent once more after a failure.
func (l *attempts) retriesFailure(c *client, why request.Failure) bool {
	x := &c.x
	if !x.mayFollow() {
		return false
	}
	on := x.route.Config.Retry.On
	switch why {
	case request.ConnectFailed, request.Untrusted:
		return slices.Contains(on, "connect") // no endpoint has worked on it: the budget isn't for that
	case request.UpstreamGone:
		if x.unseen && slices.Contains(on, "connect") {
			break
		}
		if x.method == other || !slices.Contains(on, "reset") {
			return false
		}
	case request.TimedOut:
		if x.method == other || !slices.Contains(on, "timeout") || x.deadline != 0 && l.now >= x.deadline {
			return false
		}
	default:
		return false
	}
	return l.allowance(x).Spend(l.now)
}

// retriesStatus sends a request to another endpoint whose response has a status that the
// route retries. It reports whether it did.
func (l *attempts) retriesStatus(c *client, status int) bool {
	x := &c.x
	on := x.route.Config.Retry.Statuses
	if len(on) == 0 || !slices.Contains(on, status) || x.method == other || !x.mayFollow() || !l.allowance(x).Spend(l.now) {
		return false
	}
	l.over(c, status, request.OK)
	l.next(c)
	return true
}

// retriesFarewell sends a request once more to the endpoint that says on a kept connection that
// nothing has come on it in time: it was on its way then, and the endpoint hasn't got it
// (RFC 9110 15.5.9). It reports whether it did.
func (l *attempts) retriesFarewell(c *client, k *backend, h *http1.ResponseHead) bool {
	x := &c.x
	if h.Status != 408 || h.KeepAlive || !k.reused || k.interims > 0 || x.stale || !x.again() {
		return false
	}
	x.stale = true
	l.sameAgain(c)
	return true
}

// lastWord is the part of a response that came before its connection broke. That may be the beginning of
// such a 408: if the request has arrived behind it, unread, the connection is reset.
type lastWord uint8

const (
	otherWord     lastWord = iota
	maybeFarewell          // it doesn't reach as far as the status
	farewell               // it does
)

func (k *backend) lastWord() lastWord {
	const version, status = "HTTP/1.", " 408 "
	if k.call != nil || len(k.in) == 0 || k.headDone || k.interims > 0 {
		return otherWord
	}
	b := k.in[:min(len(version), len(k.in))]
	if string(b) != version[:len(b)] {
		return otherWord
	}
	b = k.in[min(len(version)+1, len(k.in)):] // behind the minor version
	b = b[:min(len(status), len(b))]
	switch {
	case string(b) != status[:len(b)]:
		return otherWord
	case len(b) < len(status):
		return maybeFarewell
	}
	return farewell
}

// retriesCode sends a call to another endpoint whose response is nothing but a status
// that the route retries, at once or after the time that the server says (gRPC proposal
// A6, "pushback"). end says that nothing follows the head. It reports whether it did.
func (l *attempts) retriesCode(c *client, h *http2.Header, end bool) bool {
	x := &c.x
	on := x.route.Config.Retry.Codes
	if !x.call || len(on) == 0 {
		return false
	}
	code, ok := translate.CodeIn(h, end)
	if !ok || !slices.Contains(on, code) || !x.mayFollow() {
		return false
	}
	wait, ok := translate.Pushback(h)
	if !ok || x.deadline != 0 && l.now+int64(wait) >= x.deadline || !l.allowance(x).Spend(l.now) {
		return false
	}
	l.over(c, translate.StatusOf(code), request.OK)
	if wait == 0 {
		l.next(c)
	} else {
		l.exchanges.pause(c, wait, "retry")
	}
	return true
}
