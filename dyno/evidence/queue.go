package evidence

import (
	"cmp"
	"slices"
)

// ownTurn is how long a thread may run, from its waking for some bytes to its reading them,
// without that counting as something else that it did first, in ns.
const ownTurn = int64(100e3)

// mostOthers is how many connections an interval names that were served instead.
const mostOthers = 8

// queue makes the intervals in which bytes were at the server and unread.
func (j *joiner) queue() {
	if j.read == nil && j.first != nil {
		j.gap(ReadNotSeen)
		return
	}
	to := j.end
	if j.read != nil {
		to = j.read.Time
	} else if j.sample.Failed == false && j.client == nil {
		j.gap(ReadNotSeen)
		return
	}
	if j.reader == 0 {
		j.until(to, Interval{Stage: Unread, Reason: "nobody is known to read"})
		return
	}
	if j.read == nil && j.migrates && to == j.end { // whoever would have is anyone
		j.until(to, Interval{Stage: Unread, Reason: "nobody read"})
		return
	}
	line := timelineOf(j.threads[j.reader], j.at, to)
	for i := range line {
		v := j.queued(&line[i])
		if j.ready != nil && j.ready.A == 0 && (v.Stage == LoopQueue || v.Stage == Scheduler) {
			v.Stage = AcceptQueue
		}
		j.until(line[i].to, v)
	}
}

// queued says what a request waits for while its thread does something.
func (j *joiner) queued(p *span) Interval {
	v := Interval{Thread: j.reader}
	switch p.doing {
	case running:
		v.Others = j.served(p.from, p.to)
		if v.Others == nil && p.from > j.at-1 && p.to-p.from <= ownTurn {
			v.Stage = OnCPU
			return v
		}
		v.Stage = j.elsewhere()
	case runnable:
		j.waitsForCPU(&v, p)
	case asleep:
		j.notReading(&v, p)
	default:
		v.Stage = Unread
	}
	switch v.Stage {
	case Scheduler, LoopQueue:
		j.readerWaits(&v, p)
	}
	return v
}

// readerWaits makes of an interval in which bytes are unread what their goroutine waits for, if it
// was seen to wait for something else than them: a lock or the collector, or nobody is late, as
// nobody is to read.
func (j *joiner) readerWaits(v *Interval, p *span) {
	e := j.parkedIn(p.from, p.to)
	if e == nil || e.comm() == Runnable || j.loops[j.goroutine] {
		return
	}
	why := parkedFor[e.comm()]
	*v = Interval{Stage: Unread, Thread: v.Thread, Reason: why.full}
	if why.stage == Lock || why.stage == Collect {
		v.Stage = why.stage
	}
}

// elsewhere is what a request waits for that no thread has while threads do other things: a
// loop that belongs to its connection, or the next of those that take from all.
func (j *joiner) elsewhere() Stage {
	if j.migrates && !j.loops[j.goroutine] {
		return Scheduler
	}
	return LoopQueue
}

// notReading says what a request waits for whose thread sleeps and hasn't read it: for its
// waking if the thread has nothing to do, and else for what holds it up in another's service.
func (j *joiner) notReading(v *Interval, p *span) {
	if p.out == nil {
		v.Stage = Unread
		return
	}
	stage, reason := waitOf(p.out)
	other := j.serving(j.reader, p.from)
	switch {
	case stage == Stopped:
		v.Stage, v.Reason = stage, reason
	case stage == Poll, stage == Lock && other == 0:
		v.Stage, v.Reason = Scheduler, reason
	case other == 0 && !j.migrates: // it is at something that is no request's
		v.Stage, v.Reason = Unread, cmp.Or(reason, string(stage))
	default:
		v.Stage, v.Reason = j.elsewhere(), string(stage)
		if other != 0 {
			v.Others = []Served{{other, p.to - p.from}}
		}
	}
}

// serving is the other connection whose request a thread has taken before an instant and not
// responded to; 0 if there is none.
func (j *joiner) serving(thread int32, at int64) uint64 {
	events := j.threads[thread]
	n := firstAt(events, at+1)
	for i := n - 1; i >= 0; i-- {
		switch e := events[i]; {
		case e.Kind == Sent:
			return 0
		case e.Kind == Received && e.A > 0:
			if e.Subject == j.sample.Connection {
				return 0
			}
			return e.Subject
		}
	}
	return 0
}

// served is what the reader did on other connections between two instants; the longest.
func (j *joiner) served(from, to int64) []Served {
	took := make(map[uint64]int64)
	connection, since := j.serving(j.reader, from), from
	events := j.threads[j.reader]
	for _, e := range events[firstAt(events, from):] {
		if e.Time > to {
			break
		}
		if e.Kind != Received && e.Kind != Sent {
			continue
		}
		if connection != 0 {
			took[connection] += e.Time - since
		}
		connection, since = e.Subject, e.Time
	}
	if connection != 0 {
		took[connection] += to - since
	}
	delete(took, j.sample.Connection)
	var list []Served
	for c, t := range took {
		list = append(list, Served{c, t})
	}
	slices.SortFunc(list, func(a, b Served) int {
		return cmp.Or(cmp.Compare(b.Took, a.Took), cmp.Compare(a.Connection, b.Connection))
	})
	return list[:min(len(list), mostOthers)]
}

// waitsForCPU says who runs instead of a thread that could.
func (j *joiner) waitsForCPU(v *Interval, p *span) {
	v.Stage = CPUWait
	if p.outOfQuota() || j.quotaRanOut(p) {
		v.Stage = Throttled
		return
	}
	p.instead(v)
}

// outOfQuota reports whether a thread's group had used up its quota when the thread was put
// aside or woken.
func (p *span) outOfQuota() bool {
	return p.out != nil && p.out.A&OutOfQuota != 0 || p.wake != nil && p.wake.A&OutOfQuota != 0
}

// instead says who ran while a thread could have.
func (p *span) instead(v *Interval) {
	switch {
	case p.out != nil && p.out.A&Preempted != 0:
		v.By = &Task{PID: int32(p.out.B), Comm: p.out.comm()}
	case p.in != nil:
		v.By = &Task{PID: int32(p.in.B), Comm: p.in.comm()}
	}
	if v.By != nil && v.By.PID == 0 {
		v.By, v.Reason = nil, "idle" // nobody: the CPU had to be woken, or the hypervisor had it
	}
}

// quotaRanOut reports whether another thread of the server was put aside for its quota
// while this one could run.
func (j *joiner) quotaRanOut(p *span) bool {
	i := firstAt(j.halts, p.from)
	return i < len(j.halts) && j.halts[i].Time <= p.to
}
