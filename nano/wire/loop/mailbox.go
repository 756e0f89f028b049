package loop

import "sync/atomic"

// Mailbox holds messages from other goroutines for a loop of type L. Posting never waits.
type Mailbox[L any] struct {
	first atomic.Pointer[Message[L]] // the newest
}

// Message is something for a loop to do. It must not be posted again before it is opened.
type Message[L any] struct {
	Open func(L)
	next *Message[L]
}

// post adds a message.
func (m *Mailbox[L]) post(n *Message[L]) {
	for {
		old := m.first.Load()
		n.next = old
		if m.first.CompareAndSwap(old, n) {
			return
		}
	}
}

// empty reports whether there is nothing to collect.
func (m *Mailbox[L]) empty() bool { return m.first.Load() == nil }

// collect returns all messages, the oldest first.
func (m *Mailbox[L]) collect() *Message[L] {
	var oldest *Message[L]
	for n := m.first.Swap(nil); n != nil; {
		next := n.next
		n.next = oldest
		oldest, n = n, next
	}
	return oldest
}
