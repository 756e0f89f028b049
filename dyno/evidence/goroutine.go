package evidence

// parkedFor are the reasons for which a goroutine doesn't run, as Go's runtime words them, cut
// to what an event has room for, with what its request waits for. Of the others nothing is known
// but that it waits, or the threads tell it better: "IO wait" is some socket's.
var parkedFor = map[string]struct {
	stage Stage
	alone bool // nobody else works for the request meanwhile
	full  string
}{
	Runnable:           {Scheduler, false, Runnable},
	"sync.Mutex.Lock":  {Lock, true, "sync.Mutex.Lock"},
	"sync.RWMutex.RLo": {Lock, true, "sync.RWMutex.RLock"},
	"sync.RWMutex.Loc": {Lock, true, "sync.RWMutex.Lock"},
	"semacquire":       {Lock, true, "semacquire"},
	"sync.Cond.Wait":   {Lock, false, "sync.Cond.Wait"},
	"sync.WaitGroup.W": {Blocked, false, "sync.WaitGroup.Wait"},
	"chan receive":     {Blocked, false, "chan receive"},
	"chan send":        {Blocked, false, "chan send"},
	"select":           {Blocked, false, "select"},
	"sleep":            {Sleep, true, "sleep"},
	"GC assist wait":   {Collect, true, "GC assist wait"},
	"GC assist markin": {Collect, true, "GC assist marking"},
	"wait for GC cycl": {Collect, true, "wait for GC cycle"},
}

// Runnable is the text of a Parked of a goroutine that could run.
const Runnable = "runnable"

// ParkedText is the text of a Parked for a reason in the words of Go's runtime; known is false
// for reasons of which no event is wanted.
func ParkedText(reason string) (text [16]byte, known bool) {
	copy(text[:], reason)
	_, known = parkedFor[reason[:min(len(reason), len(text))]]
	return text, known
}

// Goroutine is the goroutine that read, by its address, if the server is a Go program.
func Goroutine(received *Event) uint64 {
	return uint64(word(received, 0)) | uint64(word(received, 1))<<32
}

// waitsAlone makes of an interval in which a request's thread has nothing to do what its
// goroutine waited for, if that was seen and is nothing that another could work on; it reports
// whether it was.
func (j *joiner) waitsAlone(v *Interval, from, to int64) bool {
	e := j.parkedIn(from, to)
	if e == nil || !parkedFor[e.comm()].alone {
		return false
	}
	waitFor(v, e)
	return true
}

// waits makes of an interval in which nobody works for a request what its goroutine waited
// for, if that was seen.
func (j *joiner) waits(v *Interval, from, to int64) {
	switch v.Stage {
	case Lock, Poll, Sleep, Scheduler:
		if e := j.parkedIn(from, to); e != nil {
			waitFor(v, e)
		}
	}
}

func waitFor(v *Interval, e *Event) {
	why := parkedFor[e.comm()]
	v.Stage, v.Reason, v.By, v.Others = why.stage, why.full, nil, nil
}

// parkedIn is the last time that the request's goroutine was seen not to run between two
// instants, or just before or after; nil if it wasn't.
func (j *joiner) parkedIn(from, to int64) (last *Event) {
	if j.goroutine == 0 {
		return nil
	}
	for _, e := range j.parked {
		if e.Time-int64(e.B) >= to {
			break
		}
		if e.Subject == j.goroutine && e.Process == j.process && e.Time+int64(e.B) > from {
			if last != nil && last.Time >= from && e.Time >= to { // seen in it: what comes later is another wait's
				break
			}
			last = e
		}
	}
	return last
}

// idle reports whether a thread of a Go program slept as its goroutine had nothing to do: in a wait for
// events or, as the runtime had it rest, on a futex. An event loop that does so has put aside the requests
// that it has read: they wait for an event of theirs, such as a timer, and not for the loop.
func (p *span) idle() bool {
	if p.doing != asleep || p.out == nil {
		return false
	}
	stage, reason := waitOf(p.out)
	return stage == Poll || stage == Lock && reason == "futex"
}

// collectorHolds reports whether a request wouldn't wait as an interval says if the threads of
// its server weren't collecting garbage: it waits for one of them.
func (j *joiner) collectorHolds(v *Interval) bool {
	if len(j.held) == 0 {
		return false
	}
	switch v.Stage {
	case Scheduler:
		return v.Reason != string(Disk)
	case LoopQueue:
		return v.Others == nil && v.Reason == ""
	case CPUWait:
		return v.By != nil && j.processOf(v.By.PID) == j.process
	}
	return false
}
