package engine

import (
	"dyno.example/dyno/load/internal/agenda"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// begin assigns a request that is due at an instant to place id, whose connection is
// opened for it if need be.
func (l *eventLoop) begin(id int32, due int64) {
	p := l.place(id)
	p.intended, p.pending = due, true
	l.begun++
	l.drawer.begins(due)
	if l.mux != nil {
		l.mux.begin(id)
		return
	}
	switch l.conns[id].state {
	case ready:
		l.send(id)
	case down:
		l.connector.open(id)
	}
}

// release gives a place that has nothing to do its next request, or parks
// it.
func (l *eventLoop) release(id int32) {
	switch {
	case l.Profile.Mode == profile.Open && l.backlog.len() > 0:
		l.place(id).waited = true
		l.begin(id, l.backlog.pop())
	case !l.sending || l.Quota > 0 && l.begun >= l.Quota:
		l.park(id)
	case l.thinkers.think.Mean > 0:
		l.thinkers.rest(id)
	case l.Profile.Mode == profile.Closed:
		l.sendNext(id, l.now)
	default:
		l.park(id)
	}
}

// sendNext makes a request of the closed loop due on a connection.
func (l *eventLoop) sendNext(id int32, due int64) {
	if l.now >= l.rec.end && l.now < l.end {
		l.turnWindows() // what is due now is the next one's
	}
	l.rec.arrived(due, l.now)
	l.begin(id, due)
}

// thinkers are the users of a closed loop that think between their requests.
type thinkers struct {
	*eventLoop

	think profile.Thinker
	users agenda.Agenda // those that think now
}

// start makes all workers of a closed loop begin: at once or, if they think
// between their requests, spread over the time they do.
func (l *thinkers) start() {
	n := l.idle.len()
	for i := range n {
		id := l.unpark()
		if l.think.Mean == 0 {
			l.release(id)
			continue
		}
		l.restUntil(id, l.now+int64(l.think.Mean*float64(i)/float64(n)))
	}
}

// rest lets the worker of a connection think. Where connections are shared, the
// connection is free meanwhile.
func (l *thinkers) rest(id int32) {
	l.restUntil(id, l.now+l.think.Next())
}

func (l *thinkers) restUntil(id int32, at int64) {
	l.users.Push(at, id)
	if l.Link.Reuse == request.Shared {
		l.park(id)
		return
	}
	l.place(id).thinking = true
}

// wakeUsers makes the requests due of users that have thought long enough.
func (l *thinkers) wakeUsers() {
	for l.users.Len() > 0 && l.users.First().At <= l.now {
		u := l.users.Pop()
		if !l.sending || l.Quota > 0 && l.begun >= l.Quota {
			continue
		}
		if l.Link.Reuse == request.Shared {
			u.ID = l.unpark()
		}
		l.place(u.ID).thinking = false
		l.sendNext(u.ID, u.At)
	}
}

func (l *eventLoop) park(id int32) {
	if p := l.place(id); !p.parked {
		p.parked = true
		l.idle.push(id)
	}
}

// unpark takes an idle connection. In the meantime it may have been lost.
func (l *eventLoop) unpark() int32 {
	var id int32
	if l.Link.Reuse == request.Shared {
		id = l.idle.popLast()
	} else {
		id = l.idle.pop()
	}
	l.place(id).parked = false
	return id
}
