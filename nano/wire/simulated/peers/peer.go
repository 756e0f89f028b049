//go:build linux

package peers

import (
	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/simulated"
)

// Peer is an end of a connection. It has a turn when there may be something for it to do, after a
// while, and reads and writes a piece then. The fields above Out are set before Begin.
type Peer struct {
	System *simulated.System
	Socket *simulated.Socket
	Random *simulated.Random
	Think  int64  // ns that a turn comes after what it is for, at most
	Piece  int    // bytes read or written at a time, mostly no more than that; 0 is no limit
	Buffer []byte // what is read goes there; all peers of a world may share one
	Lends  *simulated.Buffers
	Frames *[]byte // what a connection over HTTP/2 has to say; nil: it is none

	Out    []byte // what is to be written still, of which Flush has written a part
	Over   bool   // it has no more turns
	Broken bool   // the socket takes no more
	Reset  bool   // for it was reset, which this end has heard then: no end that is read behind it is one

	sent   int // bytes of Out
	waking bool
	turn   func()
	woken  func()
}

// Begin has it have its turns, the first one soon.
func (p *Peer) Begin(turn func()) {
	p.turn, p.Out = turn, p.Lends.Take()
	p.woken = func() {
		if p.waking = false; !p.Over {
			p.turn()
		}
	}
	p.Socket.Stirred = p.Stir
	p.Stir()
}

// Stir has it have a turn.
func (p *Peer) Stir() {
	if p.waking || p.Over {
		return
	}
	p.waking = true
	p.System.After(p.delay(), p.woken)
}

func (p *Peer) delay() int64 {
	if p.Think == 0 {
		return 0
	}
	return int64(p.Random.Next() % uint64(p.Think+1))
}

// amount is how many bytes are read or written in a turn.
func (p *Peer) amount() int {
	if p.Piece == 0 {
		return 64 << 10
	}
	if p.Random.OneIn(8) {
		return 1 + p.Random.Below(20)
	}
	return 1 + p.Random.Below(p.Piece)
}

// Read reads a piece, which stays as it is until the next Read into the same buffer. It is empty
// with an errno of 0 at the end.
func (p *Peer) Read() (b []byte, errno unix.Errno) {
	n, errno := p.Socket.Read(p.Buffer[:min(p.amount(), len(p.Buffer))])
	if n > 0 {
		p.Stir() // there may be more
	}
	return p.Buffer[:n], errno
}

// Flush writes a piece of Out. It reports whether everything has been.
func (p *Peer) Flush() bool {
	for p.sent < len(p.Out) && !p.Broken {
		n, errno := p.Socket.Write(p.Out[p.sent:min(len(p.Out), p.sent+p.amount())])
		switch errno {
		case 0:
			p.sent += n
		case unix.EAGAIN:
			return false
		default:
			p.Broken, p.Reset = true, errno == unix.ECONNRESET
			p.Out, p.sent = p.Out[:0], 0
			return false
		}
		if p.Piece > 0 && p.sent < len(p.Out) {
			p.Stir()
			return false
		}
	}
	if p.sent == len(p.Out) {
		p.Out, p.sent = p.Out[:0], 0
	}
	return len(p.Out) == 0
}

// Unsaid forgets what isn't written yet.
func (p *Peer) Unsaid() { p.Out, p.sent = p.Out[:0], 0 }

// Frame has what is to be said over HTTP/2 be written next.
func (p *Peer) Frame() {
	if len(p.Out) == 0 {
		p.Out, *p.Frames = *p.Frames, p.Out[:0]
		return
	}
	p.Out = append(p.Out, *p.Frames...)
	*p.Frames = (*p.Frames)[:0]
}

// End closes the connection, or resets it, unless it is over already.
func (p *Peer) End(reset bool) {
	if p.Over {
		return
	}
	p.Over = true
	p.givesBack(&p.Out)
	if p.Frames != nil {
		p.givesBack(p.Frames)
	}
	if reset {
		p.Socket.Abort()
	} else {
		p.Socket.Close()
	}
}

// givesBack leaves a buffer to others. One in which there is something is what was to be said, by
// which others go still.
func (p *Peer) givesBack(b *[]byte) {
	if len(*b) == 0 {
		p.Lends.Give(*b)
		*b = nil
	}
}
