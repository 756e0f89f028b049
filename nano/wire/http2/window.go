package http2

// sendWindow is the connection's window for what is sent (RFC 9113 6.9.1), with the
// streams that wait for it, or for their own.
type sendWindow struct {
	window  int64      // bytes that may be sent on all streams together
	waiting streamList // for a window
	waking  streamList // to get an event that there may be one
}

// park makes a stream wait for a window.
func (w *sendWindow) park(s *Stream, now int64) {
	if s.in == nil {
		s.blockedAt = now
		w.waiting.push(s)
	}
}

// wake lets all streams that wait for a window try again, in the order they came.
func (w *sendWindow) wake() {
	for s := w.waiting.first; s != nil; s = w.waiting.first {
		w.waiting.remove(s)
		w.waking.push(s)
	}
}
