//go:build linux

package simulator

import (
	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/simulated"
)

// peer is an end of a connection that isn't the gateway's. It has a turn when there may be
// something for it to do, after a while, and reads and writes a piece then.
type peer struct {
	w      *world
	s      *simulated.Socket
	random *simulated.Random
	think  int64
	piece  int
	out    []byte
	frames *[]byte // what a connection over HTTP/2 has to say
	sent   int
	shut   bool // nothing is written any more: it waits for the other end
	waking bool
	over   bool
	broken bool // the socket takes no more
	reset  bool // for it was reset, which this end has heard then: no end that is read behind it is one
	turn   func()
	woken  func()
}

func (p *peer) begin(w *world, s *simulated.Socket, random *simulated.Random, think int64, piece int, turn func()) {
	p.w, p.s, p.random, p.think, p.piece, p.turn = w, s, random, think, piece, turn
	p.out = w.buffers.Take()
	p.woken = func() {
		if p.waking = false; !p.over {
			p.turn()
		}
	}
	s.Stirred = p.stir
	p.stir()
}

// stir has it have a turn.
func (p *peer) stir() {
	if p.waking || p.over {
		return
	}
	p.waking = true
	p.w.sys.After(p.delay(), p.woken)
}

func (p *peer) delay() int64 {
	if p.think == 0 {
		return 0
	}
	return int64(p.random.Next() % uint64(p.think+1))
}

// amount is how many bytes are read or written in a turn.
func (p *peer) amount() int {
	if p.piece == 0 {
		return 64 << 10
	}
	if p.random.OneIn(8) {
		return 1 + p.random.Below(20)
	}
	return 1 + p.random.Below(p.piece)
}

// read reads into the world's buffer. n is 0 with an errno of 0 at the end.
func (p *peer) read() (b []byte, errno unix.Errno) {
	n, errno := p.s.Read(p.w.buffer[:min(p.amount(), len(p.w.buffer))])
	if n > 0 {
		p.stir() // there may be more
	}
	return p.w.buffer[:n], errno
}

// flush writes a piece. It reports whether everything has been.
func (p *peer) flush() bool {
	for p.sent < len(p.out) && !p.broken {
		n, errno := p.s.Write(p.out[p.sent:min(len(p.out), p.sent+p.amount())])
		switch errno {
		case 0:
			p.sent += n
		case unix.EAGAIN:
			return false
		default:
			p.broken, p.reset = true, errno == unix.ECONNRESET
			p.out, p.sent = p.out[:0], 0
			return false
		}
		if p.piece > 0 && p.sent < len(p.out) {
			p.stir()
			return false
		}
	}
	if p.sent == len(p.out) {
		p.out, p.sent = p.out[:0], 0
	}
	return len(p.out) == 0
}

// finish ends what this end sends, and reads on until the other end has closed its side too,
// so that nothing is reset: as servers do that have said all.
func (p *peer) finish() {
	if p.shut || p.over {
		return
	}
	p.shut = true
	p.s.CloseWrite()
	p.w.sys.After(2e9, func() { p.end("close") })
	p.stir()
}

// drained reads what comes after that. It reports whether that is the state.
func (p *peer) drained() bool {
	if !p.shut {
		return false
	}
	b, errno := p.read()
	switch {
	case len(b) > 0:
		if p.s.Wasted != nil {
			p.s.Wasted(b, false)
		}
	case errno != unix.EAGAIN:
		p.end("close")
	}
	return true
}

// end is done with the connection: close, reset, or nothing if it is over already.
func (p *peer) end(how string) {
	if p.over {
		return
	}
	p.over = true
	p.givesBack(&p.out)
	if p.frames != nil {
		p.givesBack(p.frames)
	}
	if how == "reset" {
		p.s.Abort()
	} else {
		p.s.Close()
	}
}

// givesBack leaves a buffer to others. One in which there is something is what was to be said, by
// which others go still.
func (p *peer) givesBack(b *[]byte) {
	if len(*b) == 0 {
		p.w.buffers.Give(*b)
		*b = nil
	}
}

// frame has what is to be said over HTTP/2 be written next.
func (p *peer) frame() {
	if len(p.out) == 0 {
		p.out, *p.frames = *p.frames, p.out[:0]
		return
	}
	p.out = append(p.out, *p.frames...)
	*p.frames = (*p.frames)[:0]
}
