package kernel

import (
	"cmp"
	"slices"
	"sort"
	"sync/atomic"
	"unsafe"

	"dyno.example/dyno/evidence"
)

const (
	eventSize = int(unsafe.Sizeof(evidence.Event{}))
	headSize  = 64
	// mostBack is how many events of a CPU are looked at for what a thread did before: some
	// 50 ms of them on a machine that is busy, seconds on one that isn't. Threads that did
	// nothing have all of them looked at, for each request, while the load goes on.
	mostBack = 1 << 12
	// mostSlice is how many events of a CPU are taken for a request.
	mostSlice = 1 << 16
)

// rings are the events of each CPU, as the kernel writes them.
type rings struct {
	events []byte
	heads  []byte
	cpus   int
	size   uint64 // events of a CPU
}

// head is how many events a CPU has written so far.
func (r *rings) head(cpu int) uint64 {
	return atomic.LoadUint64((*uint64)(unsafe.Pointer(&r.heads[cpu*headSize])))
}

// read copies event i of a CPU; false if it is being written or has been overwritten.
func (r *rings) read(cpu int, i uint64, into *evidence.Event) bool {
	at := (cpu*int(r.size) + int(i&(r.size-1))) * eventSize
	e := (*evidence.Event)(unsafe.Pointer(&r.events[at]))
	if atomic.LoadUint64(&e.Seq) != i+1 {
		return false
	}
	*into = *e
	return atomic.LoadUint64(&e.Seq) == i+1
}

// Events is how many were written in all.
func (p *Probes) Events() (n uint64) {
	for cpu := range p.rings.cpus {
		n += p.rings.head(cpu)
	}
	return n
}

// Slice appends the events between two instants to into, in order, and of those before, for
// each thread in it, what it did last. Events before since are left out: between them and what
// followed the probes may have been off. whole is false if some were overwritten already, or were
// too many.
func (p *Probes) Slice(since, from, to int64, into []evidence.Event) (events []evidence.Event, whole bool) {
	r := &p.rings
	from = max(from, since)
	starts := make([]uint64, r.cpus)
	whole = true
	for cpu := range r.cpus {
		head := r.head(cpu)
		oldest := uint64(0)
		if head > r.size {
			oldest = head - r.size
		}
		starts[cpu] = r.search(cpu, oldest, head, from)
		var e evidence.Event
		if starts[cpu] == oldest && oldest > 0 {
			whole = false
		}
		for i, n := starts[cpu], 0; i < head; i++ {
			if !r.read(cpu, i, &e) {
				continue
			}
			if e.Time > to {
				break
			}
			if n++; n > mostSlice {
				whole = false
				break
			}
			into = append(into, e)
		}
	}
	into = r.before(starts, since, into)
	slices.SortStableFunc(into, func(a, b evidence.Event) int { return cmp.Compare(a.Time, b.Time) })
	return into, whole
}

// search is the first event of a CPU from oldest on that isn't before an instant. Events are
// in order but for interrupts, whose events may be a little early.
func (r *rings) search(cpu int, oldest, head uint64, from int64) uint64 {
	var e evidence.Event
	n := sort.Search(int(head-oldest), func(i int) bool {
		for k := oldest + uint64(i); k < head; k++ { // unreadable ones are as the next that can be read
			if r.read(cpu, k, &e) {
				return e.Time >= from
			}
		}
		return true
	})
	return oldest + uint64(n)
}

// state is what was found of a thread, going back.
type state struct{ switched, served bool }

// before appends, for each thread of the events, the last that each CPU has of it before
// starts and not before since: whether it ran, and what it served.
func (r *rings) before(starts []uint64, since int64, into []evidence.Event) []evidence.Event {
	wanted := make(map[int32]bool)
	for i := range into {
		wanted[into[i].Thread] = true
	}
	delete(wanted, 0)
	var e evidence.Event
	for cpu, start := range starts {
		found := make(map[int32]state, len(wanted))
		missing := 2 * len(wanted)
		for i, n := start, 0; i > 0 && n < mostBack && missing > 0; n++ {
			i--
			if !r.read(cpu, i, &e) {
				if start-i > r.size {
					break
				}
				continue
			}
			if e.Time < since {
				break
			}
			if !wanted[e.Thread] {
				continue
			}
			s := found[e.Thread]
			switch {
			case e.Kind <= evidence.Waking && !s.switched:
				s.switched = true
			case (e.Kind == evidence.Received || e.Kind == evidence.Sent) && !s.served:
				s.served = true
			default:
				continue
			}
			missing--
			found[e.Thread] = s
			into = append(into, e)
		}
	}
	return into
}
