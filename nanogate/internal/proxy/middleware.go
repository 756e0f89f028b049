//go:build linux

package proxy

import (
	"fmt"
	"net/netip"
	"runtime/debug"
	"slices"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/translate"
)

// responders has middleware look at responses.
type responders struct {
	*loop

	reply             request.Response
	edited, wasEdited []byte // heads that they have changed
}

// A route's middleware looks at the head of a response before anything of it is stored or
// goes on. What it changes is written as another head, which takes the place of the one that
// came: no other code knows of changes. One that decides later has the response wait: what
// follows its head isn't read meanwhile, or, on a stream, isn't given back to its window.

// passage is what is known of a request, for middleware that looks at its response.
type passage struct {
	findings request.Findings
	client   netip.Addr
	secure   bool
	asked    int    // how many have been asked
	content  []byte // the response's body, if it is whole
	whole    bool
}

// sending keeps what they will need.
func (l *responders) sending(c *client) bool {
	x, r := &c.x, &l.req
	x.join(filter.Responses)
	p := &l.keep(x).passage
	r.Save(&p.findings)
	p.client, p.secure = r.Client, r.Secure
	return false
}

// responding makes the loop's request the one whose response has come, as it was sent on.
func (l *responders) responding(c *client, text []byte) *request.Request {
	p, r := &c.x.kept.passage, l.heads.reread(&c.x)
	r.Peer, r.Client, r.Secure, r.Certificate, r.Now, r.HTTP2 = c.peer, p.client, p.secure, c.conn().certificate, l.now, c.of != nil
	r.Recall(&p.findings)
	l.reply.Begin(&l.resp, text)
	r.Response = &l.reply
	return r
}

// responded asks the route's middleware about the response whose head was parsed into
// l.resp; rest is what followed that over HTTP/1.1. It returns the head as it goes on. ok is
// false if it doesn't go on now: the response waits, or is dealt with.
func (l *responders) responded(c *client, k *backend, text, rest []byte, end tail) (as []byte, ok bool) {
	p := &c.x.kept.passage
	p.asked, p.whole = 0, false
	c.x.outcome.Responded = l.now
	return l.askResponders(c, k, text, rest, end, nil)
}

// askResponders asks those that haven't been asked yet. decide is what the next of them says;
// nil: it is asked.
func (l *responders) askResponders(c *client, k *backend, text, rest []byte, end tail, decide func(*request.Request) *request.Reply) (as []byte, ok bool) {
	x := &c.x
	p, all := &x.kept.passage, x.route.Responders
	for p.asked < len(all) {
		r := l.responding(c, text)
		if decide == nil {
			decide = all[len(all)-1-p.asked].Responded
		}
		reply := decide(r)
		decide = nil
		r.Save(&p.findings)
		r.Response = nil
		x.fields = l.reply.KeepPromises(x.fields)
		if reply != nil && reply.Deferred != nil {
			if l.hold(c, k, text, rest, end, reply) {
				return nil, false
			}
			reply = reply.Undecided()
		}
		if reply != nil {
			l.attempts.over(c, l.resp.Status, request.OK)
			l.heads.refuse(c, reply)
			return nil, false
		}
		p.asked++
		if body, ok := l.reply.Content(); ok && p.whole {
			p.content = body
		}
		if !l.reply.Changed() {
			continue
		}
		l.edited, l.wasEdited = l.reply.AppendHead(l.wasEdited[:0]), l.edited // text may lie in the other one
		text = l.edited
		if n, err := l.resp.Parse(text, x.method == head, &responseLimits); n != len(text) || err != nil {
			l.exchanges.failed(c, request.BadResponse)
			return nil, false
		}
	}
	return text, true
}

// hold has a response wait for a decision that a worker takes. It reports whether one does;
// else they have too much to do.
func (l *responders) hold(c *client, k *backend, text, rest []byte, end tail, reply *request.Reply) bool {
	x, later := &c.x, reply.Deferred
	if later.Content != nil {
		switch p := &x.kept.passage; {
		case x.call: // it is no body that has an end soon
			later.End()
			return false
		case p.whole:
			later.Content(slices.Clone(p.content))
		case end.here || x.silent || l.resp.Status == 204 || l.resp.Status == 304:
			later.Content(nil)
		default:
			l.gatherResponse(c, k, text, rest, reply)
			return true
		}
	}
	ticket, cancel, ok := l.suspensions.work(c, later)
	if !ok {
		return false
	}
	s := l.suspensions.sleep(x, text)
	s.ticket, s.otherwise, s.until, s.cancel = ticket, reply.Undecided(), l.now+int64(later.Within), cancel
	s.of, s.tail, k.held = k, end, true
	if k.call == nil {
		k.in = append(k.in[:0], rest...)
		if !l.bodies.sendInterim(c) {
			return true
		}
	}
	l.deadlines.soon(c, later.Within, checkOver)
	l.deadlines.await(c, stateCheck)
	return true
}

// unhold goes on with a response that is decided about, or that has waited for too long: then
// decide is nil.
func (l *responders) unhold(c *client, decide func(*request.Request) *request.Reply) {
	x := &c.x
	s, rest := x.waits, []byte(nil)
	k := s.of
	x.waits, k.held = nil, false
	if k.call == nil {
		rest, k.in = k.in, nil
	}
	if decide == nil {
		otherwise := s.otherwise
		decide = func(*request.Request) *request.Reply { return otherwise }
	}
	_, _ = l.resp.Parse(s.head, x.method == head, &responseLimits) // which it was before
	l.out = l.out[:0]
	switch text, ok := l.askResponders(c, k, s.head, rest, s.tail, decide); {
	case !ok:
	case x.kept.passage.whole:
		l.acceptedWhole(c, k, text)
	default:
		l.bodies.passHead(c, k, text, rest, s.tail, x.with.Before(filter.Responses))
	}
	l.suspensions.forgo(s)
	if c.fd < 0 || x.back != k {
		return
	}
	if k.call != nil && (len(k.in) > 0 || k.ended) {
		k.readable = true
	}
	if k.readable && !k.held {
		l.laterBackend(k)
	}
	if c.readable || len(c.in) > 0 {
		l.later(c)
	}
}

// gatherResponse reads a response's body for the work that a reply has deferred. rest is what
// followed the head over HTTP/1.1.
func (l *responders) gatherResponse(c *client, k *backend, text, rest []byte, reply *request.Reply) {
	x, h := &c.x, &l.resp
	s := l.suspensions.sleep(x, text)
	s.gathers, s.cancel, s.of = reply, reply.Deferred.End, k
	k.toEnd, k.keep, k.headDone = h.UntilClose, h.KeepAlive, true
	k.body.StartResponse(h)
	x.kept.passage.content = x.kept.passage.content[:0]
	if k.call == nil && !l.bodies.sendInterim(c) {
		return
	}
	l.deadlines.await(c, stateBody)
	if k.call == nil {
		l.bodies.content(k, rest)
	}
}

// downloading takes a piece of a response that comes in as a whole first.
func (l *responders) downloading(c *client, k *backend, piece []byte, done bool) ([]byte, bool) {
	if w := c.x.waits; w != nil && w.of == k && w.gathers != nil {
		l.gatherContent(c, k, piece, done)
		return nil, false
	}
	return piece, true
}

// gatherContent takes a piece of it; done says that it is the last.
func (l *responders) gatherContent(c *client, k *backend, piece []byte, done bool) {
	x := &c.x
	p, s := &x.kept.passage, x.waits
	reply := s.gathers
	if len(p.content)+len(piece) > reply.Deferred.Most {
		l.attempts.over(c, l.resp.Status, request.OK)
		l.heads.refuse(c, replyResponseTooLarge)
		return
	}
	p.content = append(p.content, piece...)
	s.gathered = int64(len(p.content))
	if !done {
		l.deadlines.await(c, stateBody)
		if k.readable {
			l.laterBackend(k)
		}
		return
	}
	later := reply.Deferred
	p.whole, k.held, s.gathers, s.otherwise = true, true, nil, reply.Undecided()
	later.Content(slices.Clone(p.content))
	ticket, cancel, ok := l.suspensions.work(c, later)
	if s.cancel = func() {}; !ok {
		l.unhold(c, nil)
		return
	}
	s.ticket, s.until, s.cancel = ticket, l.now+int64(later.Within), cancel
	l.deadlines.soon(c, later.Within, checkOver)
	l.deadlines.await(c, stateCheck)
}

// acceptedWhole passes on a response that is there as a whole. Its head says how long it is,
// however the upstream framed it.
func (l *responders) acceptedWhole(c *client, k *backend, text []byte) {
	x, content := &c.x, c.x.kept.passage.content
	before := x.with.Before(filter.Responses)
	text, ok := l.throughHead(c, k, text, content, tail{}, before)
	if !ok {
		return
	}
	l.edited, l.wasEdited = translate.Sized(l.wasEdited[:0], &l.resp, text, len(content)), l.edited
	text = l.edited
	if n, err := l.resp.Parse(text, x.method == head, &responseLimits); n != len(text) || err != nil {
		l.exchanges.failed(c, request.BadResponse)
		return
	}
	keep := k.keep
	l.out = l.out[:0]
	l.bodies.begins(c, k, text)
	k.toEnd, k.keep, k.body = false, keep, http1.Body{}
	if c.x.back == k { // else the client has it by now
		l.bodies.give(c, k, content, true, before)
	}
}

// endings are functions that hear of a request's end: when its client's exchange is over, and
// that which asks for a newer response than the client was given, if there is one.
type endings struct {
	all     []func(*request.Outcome)
	open    int              // exchanges that aren't over
	outcome *request.Outcome // of the client's, if the other one goes on
}

// awaitEnd takes over what middleware wants to be called when all is over.
func (l *loop) awaitEnd(x *exchange, r *request.Request) {
	ends := r.TakeEnds()
	if len(ends) == 0 {
		return
	}
	k := l.keep(x)
	if k.ends == nil {
		k.ends = &endings{open: 1}
	}
	k.ends.all = append(k.ends.all, ends...)
}

// tellEnds reports the end when the last of the exchanges is over. o is the outcome of the
// client's; nil: it is the other one that is over.
func (l *exchanges) tellEnds(e *endings, o *request.Outcome) {
	if e.open--; e.open > 0 {
		if o != nil {
			e.outcome = o.Clone()
		}
		return
	}
	if o == nil {
		o = e.outcome
	}
	for _, f := range e.all {
		l.tellEnd(f, o)
	}
}

// tellEnd calls one of them. A panic ends nothing but that.
func (l *exchanges) tellEnd(f func(*request.Outcome), o *request.Outcome) {
	defer func() {
		if why := recover(); why != nil {
			stack := debug.Stack()
			l.server.panics.Warn(l.server.log, l.now, "a middleware panicked at the end of a request", "panic", fmt.Sprint(why), "stack", string(stack[:min(len(stack), mostStack)]))
		}
	}()
	f(o)
}
