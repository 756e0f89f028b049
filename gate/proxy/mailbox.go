//go:build linux

package proxy

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

// call gives the loop something to do and wakes it if it waits. Any goroutine may call
// it. If the loop has ended, it is done here, so that what it holds is closed.
func (l *loop) call(f func(*loop)) {
	l.post(&message{open: f})
}

// post does the same with a message, which isn't posted again before it is opened.
func (l *loop) post(m *message) {
	l.mail.post(m)
	if l.over.Load() {
		l.openMail()
		return
	}
	if l.waiting.Load() {
		l.poller.Wake()
	}
}

// openMail does what was posted, the oldest first.
func (l *loop) openMail() {
	var oldest *message
	for n := l.mail.first.Swap(nil); n != nil; {
		next := n.next
		n.next = oldest
		oldest, n = n, next
	}
	for n := oldest; n != nil; {
		next := n.next // once it is opened it may be posted again
		n.open(l)
		n = next
	}
}
