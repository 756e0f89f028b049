package mirror

// Captures wait in one queue of their mirror, whichever loop they come from. There is always
// a loop that looks whether the next one can be sent: whoever has added one, and whoever has
// made room at the shadow, calls [Mirror.Next] until it gives none.

// push has a capture wait for its turn. ok is false if it can't, and why says the reason.
func (m *Mirror) push(c *Capture) (why Reason, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return Closed, false
	case m.waiting >= m.Config.Queue:
		return Queue, false
	}
	if m.last == nil {
		m.first = c
	} else {
		m.last.next = c
	}
	m.last = c
	m.waiting++
	return 0, true
}

// Next takes the capture that has waited longest. It is the calling loop's, to be sent to the
// shadow; nil: none waits, or the shadow has been sent as many as it may at once.
func (m *Mirror) Next() *Capture {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.under >= m.Config.Concurrency {
		return nil
	}
	c := m.pop()
	if c != nil {
		c.asked = true
		m.under++
	}
	return c
}

// pop takes the first one out of the queue, nil if there is none. m.mu is held.
func (m *Mirror) pop() *Capture {
	c := m.first
	if c == nil {
		return nil
	}
	if m.first = c.next; m.first == nil {
		m.last = nil
	}
	c.next = nil
	m.waiting--
	return c
}

// shadowDone makes room for another request at the shadow.
func (m *Mirror) shadowDone() {
	m.mu.Lock()
	m.under--
	m.mu.Unlock()
}

// Close drops what waits, and what loops still capture. Requests that were sent to the
// shadow go on, until the response or the timeout.
func (m *Mirror) Close() {
	for c := m.left(); c != nil; c = m.left() {
		c.Drop(Closed)
		m.recycle(c)
	}
}

// left closes the queue and takes one of those that are left in it, nil if there is none.
func (m *Mirror) left() *Capture {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return m.pop()
}
