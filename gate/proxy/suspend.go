//go:build linux

package proxy

import (
	"context"

	"dyno/gate/request"
	"dyno/gate/route"
)

// suspended is a request that waits for a decision which is taken elsewhere. The loop's
// buffers are other requests' meanwhile, so it has its head, and what the checks before
// have found out. What the client sends of its body isn't read: the kernel holds it,
// and the client waits.
type suspended struct {
	head      []byte // as it was sent
	findings  request.Findings
	found     route.Found
	otherwise *request.Answer // without a decision; nil: it passes
	until     int64           // when there must be one, ns
	cancel    context.CancelFunc
}

// decided goes on after the check that comes next: nil lets the request pass.
func (l *loop) decided(c *client, answer *request.Answer) {
	x := &c.x
	switch {
	case answer != nil && answer.Later != nil:
		l.suspend(c, answer)
		return
	case answer != nil:
		l.refuse(c, answer)
		return
	case x.guarded < len(x.route.Guards):
		x.guarded++
	default:
		x.admitted++
	}
	l.check(c)
}

// suspend has the decision taken by a worker. If they have too much to do there is none.
func (l *loop) suspend(c *client, answer *request.Answer) {
	x, later := &c.x, answer.Later
	otherwise := answer.Undecided()
	ctx, cancel := context.WithTimeout(context.Background(), later.Within)
	id, serial := c.id, c.serial
	if !l.server.workers.Do(func() {
		defer cancel()
		defer later.End()
		var decide func(*request.Request) *request.Answer
		if ctx.Err() == nil { // neither too late nor the client gone
			decide = later.Work(ctx)
		}
		l.call(func(l *loop) { l.resume(id, serial, decide) })
	}) {
		cancel()
		later.End()
		l.decided(c, otherwise)
		return
	}
	x.waits = &suspended{
		head: append(l.buffer(), l.req.Buf...), findings: l.req.Findings(), found: l.found,
		otherwise: otherwise, until: l.now + int64(later.Within), cancel: cancel,
	}
	l.soon(c, later.Within, checkOver)
	l.await(c, phaseCheck)
}

// resume goes on with a request that is decided about, or that has waited for too long:
// then decide is nil. The client may be gone, or another in its place.
func (l *loop) resume(id int32, serial uint32, decide func(*request.Request) *request.Answer) {
	c := l.clients.at(id)
	if c.fd < 0 || c.serial != serial || c.phase != phaseCheck {
		return
	}
	x, r := &c.x, &l.req
	s := x.waits
	x.waits = nil
	s.cancel()
	l.head.Reset()
	_, _ = l.head.Parse(s.head, nil) // which it was before
	r.Begin(&l.head, s.head)
	r.Peer, r.Now = c.peer, l.now
	l.identify(c.conn(), r)
	l.named.Read(l.head.Fields, s.head)
	answer := l.canonical(r)
	r.Resume(s.findings)
	r.Importance = importanceOf(r, &x.route.Config.Importance)
	l.found = s.found
	switch {
	case answer != nil: // the rules for paths have changed meanwhile
	case decide == nil:
		answer = s.otherwise
	default:
		answer = decide(r)
	}
	l.decided(c, answer)
	l.giveBack(s.head)
	if c.fd >= 0 && (c.phase == phaseRequest || len(c.in) > 0 || c.readable) {
		l.proceed(c)
	}
}

// unsuspend gives up waiting for a decision: the client has gone.
func (l *loop) unsuspend(x *exchange) {
	if s := x.waits; s != nil {
		x.waits = nil
		s.cancel()
		l.giveBack(s.head)
	}
}
