package engine

import "time"

// Edges are the ends of a measured time, at which it is read what a server has used: on the
// loop's thread, while requests are under way.
//
// A kernel takes note of what a thread has used when it switches, wakes another one or has a
// tick of the timer: every 4 ms at 250 ticks a second, every 10 ms at 100, and far more often
// in a program that switches often. Until then the clock of its process stands still for all
// others. So what counts is not what is read at an end but the last step of the clock before it: that is
// exact, and how many requests were over is noted with it.
type Edges struct {
	Read  func() time.Duration // what was used since some beginning; it never falls
	Split int64                // between the two, where it is read as well; 0: it isn't
	End   int64                // of the measured time; its beginning is the recorder's
	Begin Edge
	Apart Edge // at Split, or when the loop was awake next; zero if that was not before the end
	Ended Edge

	next   int64 // when the clock is looked at next
	last   Edge  // its last step …
	steps  bool  // … which was seen; else it only is the first look
	looked bool
}

// Edge is an end of a measured time.
type Edge struct {
	Used time.Duration // at the last step of the clock …
	Over uint64        // … when so many requests of the load were over, in whichever way
	Read time.Duration // at the end itself, as far as the clock knew …
	Due  uint64        // … when so many were over
}

// How long before an end its clock is looked at, which is longer than a tick takes, and how often.
const (
	watchEdge = 12 * time.Millisecond
	lookEvery = 50 * time.Microsecond
)

// Edges has a recorder count what completes within the measured time apart from what
// drains after it, and read at both of its ends what was used. What is under way when it
// begins counts as sent. A measured time that begins with the load, and not after a
// warm-up, has requests under way at its end only.
func (r *Recorder) Edges(e *Edges) {
	if r.edges = e; r.since == r.start {
		e.begin(r.edge())
		return
	}
	e.await(r.start)
}

// begin notes the beginning.
func (e *Edges) begin(at Edge) {
	if e.Begin = at; e.Split > 0 {
		e.await(e.Split)
	} else {
		e.await(e.End)
	}
}

// await begins another end.
func (e *Edges) await(end int64) {
	e.next, e.steps, e.looked = end-int64(watchEdge), false, false
}

// look notes the last step of the clock.
func (r *Recorder) look(now int64) {
	e := r.edges
	if e == nil || now < e.next || r.draining {
		return
	}
	e.next = now + int64(lookEvery)
	used := e.Read()
	if e.looked && used == e.last.Used {
		return
	}
	e.steps, e.looked = e.looked, true
	e.last = Edge{Used: used, Over: r.over}
}

// split ends the first part of the measured time, if it is over.
func (r *Recorder) split(now int64) {
	e := r.edges
	if e == nil || e.Split == 0 || now < e.Split || now >= e.End || r.draining {
		return
	}
	e.Apart, e.Split = r.edge(), 0
	e.await(e.End)
}

// edge ends a watch: where no step was seen, the clock is right as it stands, or the loop
// looked too late to know better.
func (r *Recorder) edge() Edge {
	e := r.edges
	used := e.Read()
	if !e.steps || used != e.last.Used {
		e.last = Edge{Used: used, Over: r.over}
	}
	e.last.Read, e.last.Due = used, r.over
	return e.last
}

// beginEdge is called when a window has ended: that before the measured time, if it ended where that begins.
func (r *Recorder) beginEdge(at int64) {
	if r.edges != nil && at == r.start {
		r.edges.begin(r.edge())
		r.Sent += uint64(max(r.inFlight, 0))
	}
}

// endEdge ends the last window at an instant, and opens another one for what drains.
func (r *Recorder) endEdge(at int64) {
	if r.edges != nil {
		r.edges.Ended = r.edge()
		r.close(at)
		r.open(at)
	}
}

// untilEdge is the instant at which the measured time begins, if it is to come, and most
// otherwise. A loop doesn't wake to look at the clock: to one that is awake, responses are cheaper
// to send, and that would be another load.
func (r *Recorder) untilEdge(now, most int64) int64 {
	if r.edges != nil && now < r.start {
		return min(most, r.start)
	}
	return most
}
