package engine

import "sync/atomic"

// mailbox takes what other goroutines have for a loop. Posting never waits.
type mailbox struct {
	first atomic.Pointer[message] // the newest
}

// message is opened by the loop it was posted to.
type message struct {
	next *message
	open func(*loop)
}

func (m *mailbox) post(n *message) {
	for {
		old := m.first.Load()
		n.next = old
		if m.first.CompareAndSwap(old, n) {
			return
		}
	}
}

// empty reports whether there is nothing to collect.
func (m *mailbox) empty() bool { return m.first.Load() == nil }

// collect returns all messages, the oldest first.
func (m *mailbox) collect() *message {
	var oldest *message
	for n := m.first.Swap(nil); n != nil; {
		next := n.next
		n.next = oldest
		oldest, n = n, next
	}
	return oldest
}

// post gives the loop something to do and wakes it if it waits. Any goroutine
// may call it.
func (l *loop) post(n *message) {
	l.mail.post(n)
	if l.waiting.Load() {
		l.poller.Wake()
	}
}

// hand is post for messages that hold a socket. If the loop has ended, they are
// opened here, to close it.
func (l *loop) hand(n *message) {
	if l.post(n); l.over.Load() {
		l.openMail()
	}
}

// call posts a function.
func (l *loop) call(f func(*loop)) { l.post(&message{open: f}) }

func (l *loop) openMail() {
	for n := l.mail.collect(); n != nil; {
		next := n.next // open may post n again
		n.open(l)
		n = next
	}
}
