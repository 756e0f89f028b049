package engine

// Edges has a recorder count what completes within the measured time apart from what
// drains after it, and calls read at both of its ends, on the loop's thread, while requests
// are under way: what completes between the two calls is what is counted in between.
// What is under way when it begins counts as sent. A measured time that begins with the load,
// and not after a warm-up, has requests under way at its end only.
func (r *Recorder) Edges(read func()) {
	r.edge = read
	if r.since == r.start {
		read()
	}
}

// beginEdge is called when the window before the measured time has ended.
func (r *Recorder) beginEdge(at int64) {
	if r.edge != nil && at == r.start {
		r.edge()
		r.Sent += uint64(max(r.inFlight, 0))
	}
}

// endEdge ends the last window at an instant, and opens another one for what drains.
func (r *Recorder) endEdge(at int64) {
	if r.edge != nil {
		r.edge()
		r.close(at)
		r.open(at)
	}
}

// untilEdge is the instant at which the measured time begins, if it is to come, and most
// otherwise.
func (r *Recorder) untilEdge(now, most int64) int64 {
	if r.edge != nil && now < r.start {
		return min(most, r.start)
	}
	return most
}
