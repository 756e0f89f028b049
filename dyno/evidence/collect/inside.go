package collect

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/dyno/evidence"
	"dyno.example/dyno/evidence/goroutines"
)

const (
	lookEvery  = 5 * time.Millisecond
	looksKept  = 1 << 10
	looksShare = 50 // a look may take one in how many parts of the time
)

// inside looks at what goroutines wait for, and keeps what it saw for some seconds.
type inside struct {
	awake atomic.Bool

	mu        sync.Mutex
	processes []*goroutines.Process
	looks     [looksKept]look // a ring
	next      int
}

// look is what was seen at once.
type look struct {
	at     int64 // ns of CLOCK_MONOTONIC; 0: none
	events []evidence.Event
}

// lookInside has a process looked at if it is one of Go's; what speaks against it is noted.
func (k *Collector) lookInside(pid int) {
	p, err := goroutines.Open(pid)
	switch {
	case err == nil:
		k.inside.mu.Lock()
		k.inside.processes = append(k.inside.processes, p)
		k.inside.mu.Unlock()
		k.pool.goes = true
		k.code[int32(pid)] = p.Collector()
	case !errors.Is(err, goroutines.ErrNotGo):
		k.pool.goes = true
		k.header.Missing = append(k.header.Missing, evidence.Missing{What: "locks of goroutines, gc", Why: err.Error()})
	}
}

// wake has the processes looked at from now on, or not.
func (n *inside) wake(on bool) {
	if n.awake.Swap(on) == on || !on {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.processes {
		p.Rest()
	}
}

// run looks until stop is closed.
func (n *inside) run(stop <-chan struct{}) {
	yielding()
	t := time.NewTicker(lookEvery)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-t.C:
		}
		if !n.awake.Load() {
			continue
		}
		begin := time.Now()
		n.once()
		if rest := looksShare*time.Since(begin) - lookEvery; rest > 0 {
			select {
			case <-stop:
				return
			case <-time.After(rest):
			}
		}
	}
}

// once looks at each process. One that has ended is forgotten.
func (n *inside) once() {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := &n.looks[n.next%looksKept]
	l.at, l.events = 0, l.events[:0]
	n.processes = slices.DeleteFunc(n.processes, func(p *goroutines.Process) bool {
		var err error
		l.events, err = p.Look(l.events)
		return err != nil
	})
	if len(l.events) > 0 {
		l.at = l.events[0].Time
	}
	n.next++
}

// slice adds what was seen between two instants, or just before or after, to the events of a
// request: of goroutines those that read something then.
func (n *inside) slice(from, to int64, events []evidence.Event) []evidence.Event {
	readers := make(map[uint64]bool)
	for i := range events {
		if e := &events[i]; e.Kind == evidence.Received {
			readers[evidence.Goroutine(e)] = true
		}
	}
	delete(readers, 0)
	const around = 10 * int64(lookEvery)
	before := len(events)
	n.mu.Lock()
	for i := range n.looks {
		l := &n.looks[i]
		if l.at < from-around || l.at > to+around {
			continue
		}
		for _, e := range l.events {
			if e.Kind != evidence.Parked || readers[e.Subject] {
				events = append(events, e)
			}
		}
	}
	n.mu.Unlock()
	if len(events) > before {
		slices.SortStableFunc(events, func(a, b evidence.Event) int { return cmp.Compare(a.Time, b.Time) })
	}
	return events
}

// pool learns whether connections go from thread to thread.
type pool struct {
	known   bool
	readers map[uint64]int32 // thread that read a connection last

	goes  bool // it is one of Go's programs: its goroutines are known
	until int64
	last  map[uint64]uint64 // connection that a goroutine read last
	read  map[[2]uint64]bool
	loops map[uint64]bool // goroutines that went back to a connection after another
}

// connectionsKept is how many connections are remembered.
const connectionsKept = 1 << 12

// is reports whether they do, as far as the events so far tell.
func (p *pool) is(events []evidence.Event) bool {
	if p.goes {
		p.goroutines(events)
		return true
	}
	if p.known {
		return true
	}
	if p.readers == nil || len(p.readers) > connectionsKept {
		p.readers = make(map[uint64]int32)
	}
	for i := range events {
		e := &events[i]
		if e.Kind != evidence.Received || e.A == 0 {
			continue
		}
		if before, ok := p.readers[e.Subject]; ok && before != e.Thread {
			p.known, p.readers = true, nil
			return true
		}
		p.readers[e.Subject] = e.Thread
	}
	return false
}

// goroutines learns which of them serve several connections. One that serves a connection, ends
// and is used again for another goes back to none.
func (p *pool) goroutines(events []evidence.Event) {
	if p.last == nil || len(p.read) > connectionsKept {
		p.last, p.read = make(map[uint64]uint64), make(map[[2]uint64]bool)
	}
	if p.loops == nil {
		p.loops = make(map[uint64]bool)
	}
	for i := range events {
		e := &events[i]
		g := evidence.Goroutine(e)
		if e.Kind != evidence.Received || e.A == 0 || e.Time <= p.until || g == 0 {
			continue
		}
		p.until = e.Time // requests overlap: what was seen isn't looked at again
		if p.last[g] != e.Subject && p.read[[2]uint64{g, e.Subject}] {
			p.loops[g] = true
		}
		p.last[g], p.read[[2]uint64{g, e.Subject}] = e.Subject, true
	}
}
