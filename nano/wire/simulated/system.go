//go:build linux

package simulated

import (
	"context"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/loop"
)

// System is a simulated operating system with one process, whose descriptors its loops
// use. Those that it talks to have ends of connections, [Socket]s, without descriptors.
type System struct {
	seed      uint64
	now       int64
	began     time.Time
	schedule  schedule
	random    *Random
	files     []any // by descriptor: *Socket, *Listener, *event, spare
	most      int   // descriptors
	open      int
	exhausted int64 // when there was last no room for one more; 0: never
	lowest    int   // below it none is free
	pollers   []*Poller
	listeners map[netip.AddrPort]*Listener
	servers   map[netip.AddrPort]*Server
	serial    uint64
	hash      uint64
	buffers   Buffers

	// Log is told what happens, if it is set.
	Log func(now int64, what string, socket, n, m uint64)
	// Latest is how long it takes at most until another goroutine begins what it is given, and
	// goes on when it has waited.
	Latest time.Duration
	// Late is how late a loop of [System.Goroutines] is at most, now and then: much has come at once then.
	Late time.Duration

	goroutines *goroutines // nil: loops are stepped
}

var _ loop.System = (*System)(nil)

// New makes a system on which everything follows from the seed. It has room for so many
// descriptors.
func New(seed uint64, descriptors int) *System {
	return &System{
		seed: seed, now: int64(time.Hour), began: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), random: Seeded(seed, 1), most: descriptors,
		listeners: map[netip.AddrPort]*Listener{}, servers: map[netip.AddrPort]*Server{}, hash: 14695981039346656037,
	}
}

// At has something done at a time, or now if that is over.
func (s *System) At(at int64, do func()) { s.schedule.add(max(at, s.now), do) }

// After has something done after a while.
func (s *System) After(d int64, do func()) { s.schedule.add(s.now+max(d, 0), do) }

// Next lets the next thing happen, and time pass until then. It reports false if there is
// nothing, or nothing until that time.
func (s *System) Next(until int64) bool {
	if len(s.schedule.heap) == 0 || s.schedule.heap[0].at > until {
		return false
	}
	m := s.schedule.next()
	s.now = m.at
	m.do()
	for _, p := range s.pollers { // messages to a loop that is between two steps
		if p.parked && !p.idle() {
			p.stir()
		}
	}
	if s.goroutines != nil {
		s.goroutines.hear()
	}
	return true
}

// Note adds something that has happened to the run's hash, and to its log.
func (s *System) Note(what string, socket, n, m uint64) {
	h := s.hash
	for _, v := range [...]uint64{uint64(s.now), socket, n, m, uint64(len(what))<<8 | uint64(what[0])} {
		h = (h ^ v) * 1099511628211
		h ^= h >> 29
	}
	s.hash = h
	if s.Log != nil {
		s.Log(s.now, what, socket, n, m)
	}
}

// Hash is a digest of all that has happened: that of another run is the same if all of that
// was.
func (s *System) Hash() uint64 { return s.hash }

// Descriptors is how many are open.
func (s *System) Descriptors() int { return s.open }

// Exhausted is when a descriptor was last asked for in vain; 0: never.
func (s *System) Exhausted() int64 { return s.exhausted }

// SetDescriptors changes how many may be open.
func (s *System) SetDescriptors(most int) { s.most = most }

// Now implements [loop.System].
func (s *System) Now() int64 { return s.now }

// Wall implements [loop.System].
func (s *System) Wall() time.Time { return s.began.Add(time.Duration(s.now)) }

// Go implements [loop.System].
func (s *System) Go(f func()) {
	if s.goroutines != nil {
		f = s.goroutines.starts(f)
	}
	s.After(s.latency(), f)
}

func (s *System) latency() int64 { return int64(s.random.Below(int(s.Latest) + 1)) }

// Sleep implements [loop.System]: whoever sleeps in a step does so between two instants.
func (s *System) Sleep(d time.Duration) {
	if s.goroutines != nil {
		s.goroutines.sleep(int64(d))
	}
}

// Await implements [loop.System]. In a step nothing can be waited for.
func (s *System) Await(ready <-chan struct{}, d time.Duration) (said bool) {
	if s.goroutines == nil {
		panic("simulated: a step waits")
	}
	return s.goroutines.await(ready, int64(d))
}

// Within implements [loop.System].
func (s *System) Within(d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	s.After(int64(d), func() { cancel(context.DeadlineExceeded) })
	return ctx, func() { cancel(context.Canceled) }
}

// event is a descriptor of [System.Event].
type event struct {
	watch  watch
	raised bool
}

func (e *event) mask() uint32 {
	if e.raised {
		return unix.EPOLLIN | unix.EPOLLOUT
	}
	return unix.EPOLLOUT
}

type spare struct{}

// Event implements [loop.System].
func (s *System) Event() (fd int, err error) { return s.describe(&event{}) }

// Raise implements [loop.System].
func (s *System) Raise(fd int) error {
	e, ok := s.files[fd].(*event)
	if !ok {
		return unix.EBADF
	}
	e.raised = true
	e.watch.wake(unix.EPOLLIN)
	return nil
}

// Spare implements [loop.System].
func (s *System) Spare() (fd int, err error) { return s.describe(spare{}) }

// describe gives a file the lowest descriptor that is free.
func (s *System) describe(file any) (fd int, err error) {
	if s.open >= s.most {
		s.exhausted = s.now
		return -1, unix.EMFILE
	}
	s.open++
	for fd = s.lowest; fd < len(s.files) && s.files[fd] != nil; fd++ {
	}
	if s.lowest = fd + 1; fd == len(s.files) {
		s.files = append(s.files, nil)
	}
	s.files[fd] = file
	return fd, nil
}

// socket is the connection of a descriptor. One that isn't a connection's is a mistake of the
// loop's, as on the kernel it would be somebody else's file.
func (s *System) socket(fd int) *Socket {
	if fd < 0 || fd >= len(s.files) {
		panic("simulated: a descriptor that isn't open is used")
	}
	k, ok := s.files[fd].(*Socket)
	if !ok {
		panic("simulated: a descriptor that is no connection's is used as one")
	}
	return k
}

// Close implements [loop.System].
func (s *System) Close(fd int) {
	if fd < 0 || fd >= len(s.files) || s.files[fd] == nil {
		panic("simulated: a descriptor that isn't open is closed")
	}
	file := s.files[fd]
	s.files[fd] = nil
	s.open--
	s.lowest = min(s.lowest, fd)
	switch f := file.(type) {
	case *Socket:
		if f.also > 0 {
			f.also--
			return
		}
		f.watch.forget()
		f.Close()
	case *Listener:
		f.watch.forget()
		f.close()
	case *event:
		f.watch.forget()
	}
}

// Read implements [loop.System].
func (s *System) Read(fd int, b []byte) (int, unix.Errno) { return s.socket(fd).Read(b) }

// Write implements [loop.System].
func (s *System) Write(fd int, b []byte) (int, unix.Errno) { return s.socket(fd).Write(b) }

// Write2 implements [loop.System].
func (s *System) Write2(fd int, a, b []byte) (int, unix.Errno) { return s.socket(fd).write(a, b) }

// Ended implements [loop.System].
func (s *System) Ended(fd int) (ended, says bool) { return s.socket(fd).ended() }

// Queued implements [loop.System].
func (s *System) Queued(fd int) int { return s.socket(fd).out.travelling() }

// CloseWrite implements [loop.System].
func (s *System) CloseWrite(fd int) { s.socket(fd).CloseWrite() }

// Abort implements [loop.System].
func (s *System) Abort(fd int) { s.socket(fd).abort() }

// Reset implements [loop.System].
func (s *System) Reset(fd int) { s.socket(fd).resets = true }

// ConnectError implements [loop.System].
func (s *System) ConnectError(fd int) error { return s.socket(fd).takeError() }
