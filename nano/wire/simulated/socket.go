//go:build linux

package simulated

import (
	"bytes"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Line is how a connection is between its ends.
type Line struct {
	Capacity int   // bytes that may be under way or unread in each direction
	Latest   int64 // ns that they take at most; 0: none, as over loopback
	Pieces   bool  // what is written at once may come in pieces
}

// pipe is one direction of a connection: bytes that were written, of which the first have been
// read, the next have arrived, and the others travel.
type pipe struct {
	bytes   []byte // lent by the system while there are any
	read    int    // bytes of it
	arrived int
	most    int
	fin     bool // nothing is written any more
	ended   bool // and that has arrived
	moving  bool // an arrival is scheduled
}

func (p *pipe) room() int       { return p.most - (len(p.bytes) - p.read) }
func (p *pipe) travelling() int { return len(p.bytes) - p.arrived }
func (p *pipe) unread() int     { return p.arrived - p.read }

// writable is when epoll says so: when a third is free (tcp(7), sk_stream_is_writeable).
func (p *pipe) writable() bool { return 3*p.room() >= p.most }

// drop drops what travels.
func (p *pipe) drop() { p.bytes, p.moving = p.bytes[:p.arrived], false }

// waste drops what travels to the other end, which doesn't read it any more.
func (k *Socket) waste() {
	if to := k.other; !to.closed && k.out.travelling() > 0 { // else it has been told
		to.wasted(k.out.bytes[k.out.arrived:], false)
	}
	k.out.drop()
}

func (k *Socket) cut() {
	if k.Cut != nil {
		k.Cut()
	}
}

// wasted tells of what is never read here, behind what still will be.
func (k *Socket) wasted(b []byte, late bool) {
	switch {
	case k.Wasted == nil || len(b) == 0:
	case !k.closed && (k.in.unread() > 0 || len(k.behind) > 0):
		k.behind = append(k.behind, waste{bytes.Clone(b), late})
	default:
		k.Wasted(b, late)
	}
}

// waste is what is never read.
type waste struct {
	bytes []byte
	late  bool
}

// wastedBehind tells of what is never read behind all that was.
func (k *Socket) wastedBehind() {
	all := k.behind
	k.behind = nil
	for _, w := range all {
		k.Wasted(w.bytes, w.late)
	}
}

func (p *pipe) take(b []byte, from *Buffers) int {
	n := copy(b, p.bytes[p.read:p.arrived])
	if p.read += n; p.read == len(p.bytes) {
		from.Give(p.bytes)
		p.bytes, p.read, p.arrived = nil, 0, 0
	} else if p.read > 4096 && p.read > len(p.bytes)/2 {
		p.bytes = p.bytes[:copy(p.bytes, p.bytes[p.read:])]
		p.arrived, p.read = p.arrived-p.read, 0
	}
	return n
}

// Socket is an end of a connection.
type Socket struct {
	// Stirred is called when it may be ready for something that it wasn't for, if it is set.
	Stirred func()
	// Wasted is told of what was sent to this end and is never read, if it is set: this end
	// was closed before it came, or a reset took it away. late says that it was sent when the
	// sender could know that nothing more was said here. Without bytes there was no room for any.
	Wasted func(b []byte, late bool)
	// Cut is called when a reset has taken away some of what this end has sent, if it is set.
	Cut func()

	sys    *System
	serial uint64
	line   Line
	random *Random
	other  *Socket
	at     netip.AddrPort // its own address
	in     *pipe
	out    *pipe
	up     bool       // it is connected, or was
	dead   bool       // it was reset, or never came up
	apart  bool       // it has no connection any more: see abort
	err    unix.Errno // that is told once
	resets bool       // closing it resets the connection
	closed bool
	also   int  // descriptors that it has beside the first
	full   bool // a write found no room: it is told when there is
	short  bool // its last write wasn't taken whole
	watch  watch
	moves  func()
	acked  func()
	roomy  func() // it hears that there is room again
	heard  []hearing
	behind []waste // of which it is told when it has read what came before
}

// pair makes both ends of a connection that isn't up yet.
func (s *System) pair(line Line, from, to netip.AddrPort) (a, b *Socket) {
	s.serial += 2
	there, back := &pipe{most: max(line.Capacity, 1)}, &pipe{most: max(line.Capacity, 1)}
	a = &Socket{sys: s, serial: s.serial, line: line, at: from, in: back, out: there}
	b = &Socket{sys: s, serial: s.serial + 1, line: line, at: to, in: there, out: back}
	a.other, b.other = b, a
	a.random = Seeded(s.seed, 2, uint64(from.Port())<<32|uint64(to.Port()), uint64(from.Addr().As4()[3]))
	b.random = a.random
	a.moves, b.moves = a.arrive, b.arrive
	a.acked, b.acked = a.acknowledged, b.acknowledged
	return a, b
}

// Serial tells the connection's ends apart from all others: one is the next number.
func (k *Socket) Serial() uint64 { return k.serial }

// Local is the end's address, and Remote the other one's.
func (k *Socket) Local() netip.AddrPort  { return k.at }
func (k *Socket) Remote() netip.AddrPort { return k.other.at }

// Closed reports whether this end is.
func (k *Socket) Closed() bool { return k.closed }

// Blocked reports whether the other end has found no room for what it would send, and hasn't sent the
// rest since, although there may be room by now of which it hasn't heard.
func (k *Socket) Blocked() bool { return k.other.short }

// Pending is how many of the bytes that this end has sent the other one hasn't read.
func (k *Socket) Pending() int { return len(k.out.bytes) - k.out.read }

func (k *Socket) stir(events uint32) {
	k.watch.wake(events)
	if k.Stirred != nil {
		k.Stirred()
	}
}

// mask is what epoll says of it (tcp_poll).
func (k *Socket) mask() (m uint32) {
	if !k.up && !k.dead {
		return 0
	}
	if k.apart {
		m = unix.EPOLLOUT | unix.EPOLLHUP
		if k.err != 0 {
			m |= unix.EPOLLERR
		}
		return m
	}
	ended := k.in.ended || k.dead
	shut := k.out.fin || k.dead
	if k.in.unread() > 0 || ended {
		m |= unix.EPOLLIN
	}
	if ended {
		m |= unix.EPOLLRDHUP
	}
	switch {
	case shut || k.out.writable():
		m |= unix.EPOLLOUT
	default:
		k.full = true
	}
	if ended && shut {
		m |= unix.EPOLLHUP
	}
	if k.err != 0 {
		m |= unix.EPOLLERR
	}
	return m
}

// delay is how long the next thing takes to the other end.
func (k *Socket) delay() int64 {
	if k.line.Latest == 0 {
		return 0
	}
	return int64(k.random.Next() % uint64(k.line.Latest+1))
}

// Read is recv(2).
func (k *Socket) Read(b []byte) (n int, errno unix.Errno) {
	defer func() { k.sys.Note("read", k.serial, uint64(n), uint64(errno)) }()
	if len(k.behind) > 0 && k.in.unread() == 0 {
		k.wastedBehind()
	}
	switch {
	case k.apart && k.err != 0:
		return 0, k.takeError().(unix.Errno)
	case k.apart:
		return 0, unix.ENOTCONN
	case k.in.unread() > 0 && len(b) > 0:
	case k.in.ended: // before any error, as the end was told before it
		return 0, 0
	case k.err != 0:
		return 0, k.takeError().(unix.Errno)
	case k.dead:
		return 0, 0
	default:
		return 0, unix.EAGAIN
	}
	n = k.in.take(b, &k.sys.buffers)
	if from := k.other; from.full && k.in.writable() {
		from.full = false
		if d := k.delay(); d > 0 {
			if from.roomy == nil {
				from.roomy = func() { from.stir(unix.EPOLLOUT) }
			}
			k.sys.After(d, from.roomy)
		} else {
			from.stir(unix.EPOLLOUT)
		}
	}
	return n, 0
}

func (k *Socket) ended() (ended, says bool) {
	switch {
	case k.apart:
		k.err = 0
		return true, false
	case k.in.unread() > 0:
		return false, true
	case k.in.ended:
		return true, false
	case k.err != 0:
		k.err = 0
		return true, false
	}
	return k.dead, false
}

// takeError is SO_ERROR, which is told once.
func (k *Socket) takeError() error {
	if k.err == 0 {
		return nil
	}
	err := k.err
	k.err = 0
	return err
}

// Write is send(2).
func (k *Socket) Write(b []byte) (n int, errno unix.Errno) { return k.write(b, nil) }

func (k *Socket) write(a, b []byte) (n int, errno unix.Errno) {
	defer func() { k.sys.Note("write", k.serial, uint64(n), uint64(errno)) }()
	p := k.out
	if k.dead {
		k.other.wasted(a, true)
		k.other.wasted(b, true)
	}
	switch {
	case k.err != 0:
		return 0, k.takeError().(unix.Errno)
	case p.fin || k.dead:
		return 0, unix.EPIPE
	case !k.up:
		k.full = true
		return 0, unix.EAGAIN
	case len(a)+len(b) == 0:
		return 0, 0
	}
	room := p.room()
	if room <= 0 {
		k.full, k.short = true, true
		if to := k.other; to.closed && to.Wasted != nil {
			to.Wasted(nil, k.in.ended)
		}
		return 0, unix.EAGAIN
	}
	n = min(room, len(a)+len(b))
	if k.short = n < len(a)+len(b); k.short {
		k.full = true
	}
	if p.bytes == nil {
		p.bytes = k.sys.buffers.Take()
	}
	p.bytes = append(p.bytes, a[:min(n, len(a))]...)
	if n > len(a) {
		p.bytes = append(p.bytes, b[:n-len(a)]...)
	}
	if to := k.other; to.closed {
		to.wasted(p.bytes[len(p.bytes)-n:], k.in.ended)
	}
	k.move()
	return n, 0
}

// move has what travels arrive.
func (k *Socket) move() {
	if k.out.moving {
		return
	}
	k.out.moving = true
	if d := k.delay(); d > 0 {
		k.sys.After(d, k.moves)
	} else {
		k.arrive()
	}
}

// arrive is when some of what this end has sent arrives at the other one.
func (k *Socket) arrive() {
	p, to := k.out, k.other
	if !p.moving {
		return
	}
	p.moving = false
	if to.dead {
		k.waste()
		return
	}
	n := p.travelling()
	if n > 0 && to.closed { // nobody reads there any more
		k.waste()
		k.sys.After(k.delay(), k.reset)
		return
	}
	if n > 1 && k.line.Pieces && k.random.OneIn(3) {
		n = 1 + k.random.Below(n-1)
	}
	p.arrived += n
	rest := p.travelling() > 0
	k.sys.Note("arrive", to.serial, uint64(n), 0)
	ends := p.fin && !rest && !p.ended
	p.ended = p.ended || ends
	k.hears(n)
	if ends {
		k.sys.Note("end", to.serial, 0, 0)
		to.stir(0)
		k.sys.After(k.delay(), k.acked)
	} else if n > 0 {
		to.stir(unix.EPOLLIN)
	}
	if rest {
		p.moving = true
		k.sys.After(1+k.delay(), k.moves)
	}
}

// acknowledged is when this end hears that its end has arrived, of which epoll tells.
func (k *Socket) acknowledged() {
	if !k.dead {
		k.watch.wake(0)
	}
}

// reset is when a reset arrives at this end.
func (k *Socket) reset() {
	switch {
	case k.closed:
		k.dead = true
		return
	case k.dead || k.in.ended && k.out.ended: // there is nothing left that could be reset
		return
	case !k.up:
		k.err = unix.ECONNREFUSED
	case k.in.ended && !k.out.fin:
		k.err = unix.EPIPE
	default:
		k.err = unix.ECONNRESET
	}
	k.sys.Note("reset", k.serial, 0, 0)
	k.dead = true
	k.other.hearsAll()
	k.waste()
	if k.in.travelling() > 0 {
		k.other.cut()
	}
	k.stir(0)
}

// CloseWrite is shutdown(2) of what this end sends.
func (k *Socket) CloseWrite() {
	if !k.up {
		return
	}
	if !k.out.fin && !k.dead {
		k.sys.Note("shut", k.serial, 0, 0)
		k.out.fin = true
		k.move()
	}
	k.watch.wake(0)
}

// abort is connect(2) to no address: a reset for the other end, and no connection here any
// more. The descriptor stays.
func (k *Socket) abort() {
	if !k.up {
		return
	}
	if !k.apart {
		k.sys.Note("abort", k.serial, 0, 0)
		k.wasted(k.in.bytes[k.in.read:], false)
		if !k.dead && !(k.in.ended && k.out.fin) { // else there is nothing left to be reset
			k.resetOther()
			k.err = unix.ECONNRESET
		}
		k.apart, k.dead = true, true
		k.in.read = k.in.arrived
	}
	k.stir(0)
}

// resetOther has a reset arrive at the other end, which may overtake what travels there.
func (k *Socket) resetOther() {
	k.dead = true
	lost := k.random.Below(k.out.travelling() + 1)
	if k.out.bytes = k.out.bytes[:len(k.out.bytes)-lost]; lost > 0 {
		k.cut()
	}
	k.sys.After(k.delay(), func() {
		k.out.arrived = max(k.out.arrived, len(k.out.bytes))
		k.out.moving = false
		k.other.reset()
	})
}

// Close is close(2). What has come and wasn't read makes it a reset.
func (k *Socket) Close() {
	if k.closed {
		return
	}
	k.closed = true
	k.sys.Note("close", k.serial, 0, 0)
	k.Stirred = nil
	k.wasted(k.in.bytes[k.in.read:k.in.arrived], false)
	k.wastedBehind()
	k.wasted(k.in.bytes[k.in.arrived:], false)
	to := k.other
	to.hearsAll()
	switch {
	case k.dead:
	case !k.up:
		k.dead = true
	case k.resets || k.in.unread() > 0:
		k.resetOther()
	default:
		k.out.fin = true
		k.move()
	}
}

// Abort closes it by a reset.
func (k *Socket) Abort() {
	k.resets = true
	k.Close()
}
