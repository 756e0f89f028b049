//go:build linux

package proxy

import (
	"context"
	"slices"
	"sync"
	"time"

	"dyno.example/nanogate/internal/cache"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/route"
)

// suspensions is the requests that wait for a decision, a place or another request's response.
type suspensions struct {
	*loop

	called    called
	asleep    []*suspended // memory for requests that wait
	decisions uint64       // that requests have waited for
}

// suspended is a request that waits for a decision which is taken elsewhere, or for a
// place. The loop's buffers are other requests' meanwhile, so it has its head, and what
// the checks before have found out. What the client sends of its body isn't read: the
// kernel holds it, and the client waits.
type suspended struct {
	head      []byte // as it was sent
	findings  request.Findings
	found     route.Found
	otherwise *request.Reply // without a decision; nil: it passes
	until     int64          // when there must be one, ns
	cancel    context.CancelFunc

	gathers *request.Reply // whose work wants the request's body first; nil: none does

	queue  request.Queue // that it waits in; nil: for a decision
	ticket uint64        // of the queue, or the decision's own

	gathered int64 // bytes of a response that have come for gathers

	of   *backend // whose response it is that waits, with its head; nil: the request does
	tail tail     // of that
}

// decided goes on after the check that comes next: nil lets the request pass.
func (l *suspensions) decided(c *client, reply *request.Reply) {
	x := &c.x
	l.awaitEnd(x, &l.req)
	switch {
	case reply != nil && reply.Deferred != nil:
		l.suspend(c, reply)
	case reply != nil && reply.Queue != nil:
		l.queueUp(c, reply)
	case reply != nil:
		l.heads.refuse(c, reply)
	case x.upstream != nil: // it was one of that
		x.taken++
		l.exchanges.forward(c)
	default:
		x.passed++
		l.exchanges.check(c)
	}
}

// suspend has the decision taken by a worker. If they have too much to do there is none.
func (l *suspensions) suspend(c *client, reply *request.Reply) {
	x, later := &c.x, reply.Deferred
	otherwise := reply.Undecided()
	if later.Content != nil {
		switch {
		case c.grpc || x.upgrade || x.route.With.Has(filter.GRPCJSON): // it is no body that has an end soon
			later.End()
			l.decided(c, otherwise)
			return
		case !x.body.Done():
			l.bodies.gather(c, reply)
			return
		}
		later.Content(slices.Clone(x.sent.kept))
	}
	ticket, cancel, ok := l.work(c, later)
	if !ok {
		l.decided(c, otherwise)
		return
	}
	x.heldBy(0, "")
	s := l.sleep(x, l.req.Buf)
	s.ticket, s.otherwise, s.until, s.cancel = ticket, otherwise, l.now+int64(later.Within), cancel
	l.deadlines.soon(c, later.Within, checkOver)
	l.deadlines.await(c, stateCheck)
}

// work has a worker take a decision; ok is false if they have too much to do.
func (l *suspensions) work(c *client, later *request.Deferred) (ticket uint64, cancel context.CancelFunc, ok bool) {
	ctx, cancel := l.Sys.Within(later.Within)
	l.decisions++
	id, ticket := c.id, l.decisions
	by := later.By
	switch {
	case by != nil:
	case later.Asks:
		by = l.server.askers.Do
	default:
		by = l.server.workers.Do
	}
	if !by(func() {
		defer cancel()
		defer later.End()
		var decide func(*request.Request) *request.Reply
		if ctx.Err() == nil { // neither too late nor the client gone
			decide = later.Work(ctx)
		}
		l.call(func(l *loop) {
			if !l.suspensions.resume(id, ticket, decide) && decide != nil && later.Missed != nil {
				later.Missed()
			}
		})
	}) {
		cancel()
		later.End()
		return 0, nil, false
	}
	return ticket, cancel, true
}

// resume goes on with a request that is decided about, or that has waited for too long:
// then decide is nil. The client may be gone, or another in its place, or the request may
// have gone on without the decision and wait for something else: then it reports false.
func (l *suspensions) resume(id int32, ticket uint64, decide func(*request.Request) *request.Reply) (waited bool) {
	defer l.survive(clientEvent(id))
	c := l.clients.At(id)
	s := c.x.waits
	if c.fd < 0 || s == nil || s.queue != nil || s.ticket != ticket {
		return false
	}
	s.cancel()
	if s.of != nil {
		l.responders.unhold(c, decide)
		return true
	}
	reply := s.otherwise
	if decide != nil {
		reply = nil
	}
	l.wakeUp(c, reply, decide)
	return true
}

// sleep keeps what a request that waits will need: text is its head, or its response's.
func (l *suspensions) sleep(x *exchange, text []byte) *suspended {
	var s *suspended
	if n := len(l.asleep); n > 0 {
		s = l.asleep[n-1]
		l.asleep = l.asleep[:n-1]
	} else {
		s = &suspended{}
	}
	s.head, s.found = append(l.buffers.Take(), text...), l.found
	l.req.Save(&s.findings)
	x.waits = s
	return s
}

// forgo gives back what was kept.
func (l *suspensions) forgo(s *suspended) {
	l.buffers.Give(s.head)
	s.findings.Forget()
	*s = suspended{findings: s.findings}
	if len(l.asleep) < mostSpares {
		l.asleep = append(l.asleep, s)
	}
}

// wakeUp goes on with a request that has waited: with a reply, nil lets it pass, or with
// what decide says.
func (l *suspensions) wakeUp(c *client, reply *request.Reply, decide func(*request.Request) *request.Reply) {
	s := c.x.waits
	if problem := l.reopen(c, s); problem != nil {
		reply, decide = problem, nil
	}
	if decide != nil {
		reply = decide(&l.req)
	}
	if s.queue != nil && reply != nil { // it isn't for waiting again
		l.heads.refuse(c, reply)
	} else {
		l.decided(c, reply)
	}
	l.forgo(s)
	if c.fd >= 0 && (c.state == stateRequest || len(c.in) > 0 || c.readable) {
		l.downstream.proceed(c)
	}
}

// reopen makes a request that has waited the loop's again. If the rules for paths have
// changed meanwhile it may be refused.
func (l *suspensions) reopen(c *client, s *suspended) *request.Reply {
	x, r := &c.x, &l.req
	x.waits = nil
	x.goesOn()
	l.head.Reset()
	_, _ = l.head.Parse(s.head, &ownLimits) // which it was before
	r.Begin(&l.head, s.head)
	r.Peer, r.Now, r.HTTP2 = c.peer, l.now, c.of != nil
	l.heads.identify(c.conn(), r)
	l.named.Read(l.head.Fields, s.head)
	problem := l.exchanges.canonical(r)
	r.Resume(s.findings)
	r.Importance = importanceOf(r, &x.route.Config.Importance)
	l.found = s.found
	r.Params = l.found.Params[:l.found.N]
	return problem
}

// unsuspend gives up waiting: the client has gone.
func (l *suspensions) unsuspend(x *exchange) {
	s := x.waits
	if s == nil {
		return
	}
	x.waits = nil
	if s.queue != nil {
		s.queue.Leave(s.ticket, false)
	} else {
		s.cancel()
	}
	l.forgo(s)
}

// called is the loops' message about requests that wait for a place by a limit: a list of
// those that have it, or won't have it. The queue is the limit's, and all loops share it:
// places become free on any of them. Telling neither waits nor allocates, as the message is the
// loop's own.
type called struct {
	mu      sync.Mutex
	list    []turnOfQueue
	spare   []turnOfQueue // list's memory, in turn with it
	message message
}

// turnOfQueue is one of them: its turn has come, or won't.
type turnOfQueue struct {
	queue    request.Queue
	ticket   uint64
	client   int32
	admitted bool
}

// queueUp has a request wait for a place, or refuses it if the queue is full.
func (l *suspensions) queueUp(c *client, reply *request.Reply) {
	q := reply.Queue
	ticket, until, ok := q.Enter(l.loop, c.id, l.now)
	if !ok {
		l.heads.refuse(c, reply)
		return
	}
	c.x.heldBy(0, "")
	s := l.sleep(&c.x, l.req.Buf)
	s.otherwise, s.until, s.queue, s.ticket = reply, until, q, ticket
	l.deadlines.soon(c, time.Duration(until-l.now), checkOver)
	l.deadlines.await(c, stateCheck)
}

// Called implements [request.Waiter].
func (l *loop) Called(q request.Queue, ticket uint64, client int32, admitted bool) {
	l.suspensions.called.mu.Lock()
	first := len(l.suspensions.called.list) == 0
	l.suspensions.called.list = append(l.suspensions.called.list, turnOfQueue{q, ticket, client, admitted})
	l.suspensions.called.mu.Unlock()
	if first {
		l.Hand(&l.suspensions.called.message)
	}
}

// takeCalls goes on with requests that have waited.
func (l *suspensions) takeCalls() {
	l.called.mu.Lock()
	list := l.called.list
	l.called.list, l.called.spare = l.called.spare[:0], nil
	l.called.mu.Unlock()
	for i := range list {
		l.takeTurn(&list[i])
	}
	clear(list)
	l.called.mu.Lock()
	l.called.spare = list[:0]
	l.called.mu.Unlock()
}

func (l *suspensions) takeTurn(n *turnOfQueue) {
	defer l.survive(clientEvent(n.client))
	c := l.clients.At(n.client)
	switch s := c.x.waits; {
	case c.fd < 0 || s == nil || s.queue != n.queue || s.ticket != n.ticket: // none waits for it any more
		if n.admitted {
			n.queue.Return(l.now)
		}
	case n.admitted:
		l.wakeUp(c, nil, nil)
	default:
		l.refuseWaiting(c)
	}
}

// waitOver ends the wait of a request that has waited for as long as it may. If it has
// left the queue before, the loop is about to hear why.
func (l *suspensions) waitOver(c *client) {
	if s := c.x.waits; s.queue.Leave(s.ticket, true) {
		l.refuseWaiting(c)
	}
}

// refuseWaiting refuses a request that has waited in vain.
func (l *suspensions) refuseWaiting(c *client) {
	l.wakeUp(c, c.x.waits.otherwise, nil)
}

// Requests of the same kind that come while one of them is at the upstream wait for its
// response, each with its own deadline. When that is stored they get it; when there is none
// for all, because it is private or failed, each goes on by itself, as it does when it
// has waited for as long as the route lets it: one that is slow doesn't hold up the others
// for longer. When the client that asked has gone, one of them asks next.

// waitFor lets a request wait for a flight. ended says that this is over already.
func (l *suspensions) waitFor(c *client, f *cache.Flight) (waits, ended bool) {
	x := &c.x
	rules := x.route.Cache
	k := &x.kept.cached
	if k.patience == 0 {
		k.patience = l.now + int64(rules.Wait)
	}
	if l.now >= k.patience {
		return false, false
	}
	l.exchanges.limitTime(c)
	id, serial := c.id, c.serial
	w, ended := f.Wait(rules.Waiters, func(how cache.FlightResult) {
		l.call(func(l *loop) { l.suspensions.flightLanded(id, serial, how) })
	})
	if w == nil {
		return false, ended
	}
	x.heldBy(filter.Cache.Phase(), filter.Cache.String())
	s := l.sleep(x, l.req.Buf)
	s.until, s.cancel = k.patience, w.Leave
	l.deadlines.soon(c, time.Duration(k.patience-l.now), checkOver)
	l.deadlines.await(c, stateShared)
	return true, false
}

// flightLanded goes on with a request whose flight has ended. The client may be gone, or
// another in its place.
func (l *suspensions) flightLanded(id int32, serial uint32, how cache.FlightResult) {
	defer l.survive(clientEvent(id))
	c := l.clients.At(id)
	if c.fd < 0 || c.serial != serial || c.state != stateShared {
		return
	}
	switch how {
	case cache.Stored:
		c.x.kept.cached.patience = shared
	case cache.Private:
		c.x.kept.cached.patience = impatient
	}
	l.askAgain(c)
}

// waitedEnough goes on with a request that has waited for as long as it may.
func (l *suspensions) waitedEnough(c *client) {
	c.x.waits.cancel()
	c.x.kept.cached.patience = impatient
	l.askAgain(c)
}

// askAgain looks once more for what is stored for a request that has waited, and asks the
// upstream if there is nothing.
func (l *suspensions) askAgain(c *client) {
	x := &c.x
	s := x.waits
	reply := l.reopen(c, s)
	switch {
	case reply != nil:
		l.heads.refuse(c, reply)
	case x.deadline != 0 && l.now >= x.deadline:
		x.outcome.Failed = request.TimedOut
		l.heads.refuse(c, replyLate)
	case !l.caching.respond(c):
		l.exchanges.forward(c)
	}
	l.forgo(s)
	if c.fd >= 0 && (len(c.in) > 0 || c.readable) {
		l.downstream.proceed(c)
	}
}
