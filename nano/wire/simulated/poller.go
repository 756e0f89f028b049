//go:build linux

package simulated

import (
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/loop"
	"dyno.example/nano/wire/reactor"
)

// interest is what pollers ask of connections; errors and hang-ups are told anyway.
const interest = unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLERR | unix.EPOLLHUP

// pollable is a file that can be ready.
type pollable interface{ mask() uint32 }

// watch is the registration of a file with a poller. Of one that woke it is in the poller's
// list until the poller is asked, when it is said what is so then: epoll(7), edge-triggered,
// or as long as it is so for listeners.
type watch struct {
	poller *Poller // nil: none
	file   pollable
	id     int32
	level  bool
	listed bool
}

// wake is called when something has become so; events are those that it may be, 0: any.
func (w *watch) wake(events uint32) {
	if w.poller == nil || w.listed || events != 0 && events&interest == 0 {
		return
	}
	w.listed = true
	w.poller.ready = append(w.poller.ready, w)
	w.poller.stir()
}

func (w *watch) forget() {
	if w.poller == nil {
		return
	}
	for i, other := range w.poller.ready {
		if other == w {
			w.poller.ready = append(w.poller.ready[:i], w.poller.ready[i+1:]...)
			break
		}
	}
	*w = watch{}
}

// Poller is that of a loop.
type Poller struct {
	// Stirred is called when a loop that is parked has something to do.
	Stirred func()

	sys    *System
	idle   func() bool
	ready  []*watch
	again  []*watch
	events []reactor.Event
	woken  bool
	parked bool
	until  int64 // when a parked loop goes on; 0: never
	alarm  int64 // when it is looked at next; 0: it isn't
	ring   func()

	random  *Random  // of its loop's lateness, if that is run by goroutines
	sleeper *sleeper // the one that waits
}

var _ loop.Poller = (*Poller)(nil)

// NewPoller implements [loop.System].
func (s *System) NewPoller(batch int, idle func() bool) (loop.Poller, error) {
	p := &Poller{sys: s, idle: idle, events: make([]reactor.Event, 0, batch)}
	p.ring = p.rings
	if s.goroutines != nil {
		p.random, p.sleeper = Seeded(s.seed, 3, uint64(len(s.pollers))), s.goroutines.sleeper()
		p.Stirred = p.goesOn
	}
	s.pollers = append(s.pollers, p)
	return p, nil
}

// Parked reports whether the loop waits for something to do.
func (p *Poller) Parked() bool { return p.parked }

func (p *Poller) stir() {
	if p.parked {
		p.parked = false
		if p.Stirred != nil {
			p.Stirred()
		}
	}
}

// rings looks whether the time has come that the loop was parked until.
func (p *Poller) rings() {
	p.alarm = 0
	switch {
	case !p.parked || p.until == 0:
	case p.until <= p.sys.now:
		p.stir()
	default:
		p.wind()
	}
}

// wind has the loop looked at when it is to go on.
func (p *Poller) wind() {
	if p.until != 0 && (p.alarm == 0 || p.until < p.alarm) {
		p.alarm = p.until
		p.sys.At(p.until, p.ring)
	}
}

func (p *Poller) add(fd int, id int32, level bool) error {
	var w *watch
	file, ok := p.sys.files[fd].(pollable)
	switch f := p.sys.files[fd].(type) {
	case *Socket:
		w = &f.watch
	case *Listener:
		w = &f.watch
	case *event:
		w = &f.watch
	}
	switch {
	case !ok:
		return unix.EBADF
	case w.poller != nil:
		return unix.EEXIST
	}
	*w = watch{poller: p, file: file, id: id, level: level}
	if file.mask()&interest != 0 {
		w.wake(0)
	}
	return nil
}

// Add implements [loop.Poller].
func (p *Poller) Add(fd int, id int32) error { return p.add(fd, id, false) }

// AddListener implements [loop.Poller].
func (p *Poller) AddListener(fd int, id int32) error { return p.add(fd, id, true) }

// Remove implements [loop.Poller].
func (p *Poller) Remove(fd int) error {
	switch f := p.sys.files[fd].(type) {
	case *Socket:
		f.watch.forget()
	case *Listener:
		f.watch.forget()
	default:
		return unix.ENOENT
	}
	return nil
}

// Wait implements [loop.Poller]. Time doesn't pass meanwhile if the loop is stepped: whoever does
// that lets it.
func (p *Poller) Wait(d time.Duration) ([]reactor.Event, error) {
	if p.sleeper == nil {
		return p.take()
	}
	p.goesOn() // other goroutines do something meanwhile
	p.sleeper.wait()
	if d <= 0 {
		return p.take()
	}
	return p.rest(p.sys.now + int64(d))
}

// take returns what is ready.
func (p *Poller) take() ([]reactor.Event, error) {
	p.parked, p.woken = false, false
	p.events = p.events[:0]
	p.again = p.again[:0]
	taken := 0
	for _, w := range p.ready {
		if len(p.events) == cap(p.events) {
			break
		}
		taken++
		w.listed = false
		mask := w.file.mask() & interest
		if w.level {
			mask &^= unix.EPOLLOUT
		}
		if mask == 0 {
			continue
		}
		p.events = append(p.events, reactor.Event{Events: mask, Fd: w.id})
		p.sys.Note("event", uint64(uint32(w.id)), uint64(mask), 0)
		if w.level {
			w.listed = true
			p.again = append(p.again, w)
		}
	}
	p.ready = append(p.ready[:copy(p.ready, p.ready[taken:])], p.again...)
	return p.events, nil
}

// Park implements [loop.Poller]. If there is nothing to do the loop is parked, which its next
// step ends.
func (p *Poller) Park(until time.Time) ([]reactor.Event, error) {
	at := int64(0)
	if !until.IsZero() {
		at = p.sys.now + max(int64(until.Sub(p.sys.Wall())), 1)
	}
	return p.rest(at)
}

// rest parks the loop until then, 0: for ever, if there is nothing to do.
func (p *Poller) rest(until int64) ([]reactor.Event, error) {
	woken := p.woken
	events, err := p.take()
	if len(events) > 0 || woken || !p.idle() {
		return events, err
	}
	if p.parked, p.until = true, until; until != 0 {
		p.wind()
	}
	if p.sleeper == nil {
		return nil, nil
	}
	p.sleeper.wait()
	return p.take()
}

// goesOn has the goroutine go on that waits, a bit later.
func (p *Poller) goesOn() {
	late := int64(p.random.Below(5000))
	if p.random.OneIn(8) {
		late += int64(p.random.Below(int(p.sys.Late) + 1))
	}
	p.sys.After(late, p.sleeper.resume)
}

// Wake implements [loop.Poller].
func (p *Poller) Wake() {
	p.woken = true
	p.stir()
}

// Close implements [loop.Poller].
func (p *Poller) Close() {
	for _, w := range p.ready {
		w.listed = false
	}
	p.ready, p.parked = nil, false
}

// Pollers are those of the process, in the order in which they were made.
func (s *System) Pollers() []*Poller { return s.pollers }
