//go:build linux

package simulator

import (
	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/simulated"
)

// peer is a client's end of a connection. It has a turn when there may be something for it to
// do, after a while, and reads and writes a piece then.
type peer struct {
	w       *world
	c       *Client
	s       *simulated.Socket
	random  *simulated.Random
	out     []byte
	sent    int // bytes of it
	waking  bool
	over    bool
	looking bool
	reset   bool // it was, which was told once: the end that is read then is none
	deaf    bool // it doesn't read for the time being
	turn    func()
	woken   func()
}

func (p *peer) begin(w *world, c *Client, s *simulated.Socket, random *simulated.Random, turn func()) {
	p.w, p.c, p.s, p.random, p.turn = w, c, s, random, turn
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
	d := int64(0)
	if p.c.Think > 0 {
		d = int64(p.random.Below(int(p.c.Think) + 1))
	}
	p.w.sys.After(d, p.woken)
}

// looks has it have a turn in a while, to see how far a handler is.
func (p *peer) looks() {
	if p.looking {
		return
	}
	p.looking = true
	p.w.sys.After(1e6, func() {
		p.looking = false
		p.stir()
	})
}

// amount is how many bytes are read or written in a turn.
func (p *peer) amount() int {
	switch {
	case p.c.Piece == 0:
		return 64 << 10
	case p.random.OneIn(8):
		return 1 + p.random.Below(20)
	}
	return 1 + p.random.Below(p.c.Piece)
}

// read reads a piece. n is 0 with an errno of 0 at the end.
func (p *peer) read() (b []byte, errno unix.Errno) {
	n, errno := p.s.Read(p.w.buffer[:min(p.amount(), len(p.w.buffer))])
	if n > 0 {
		p.stir() // there may be more
	}
	return p.w.buffer[:n], errno
}

// flush writes a piece. It reports whether everything has been.
func (p *peer) flush() bool {
	for p.sent < len(p.out) {
		n, errno := p.s.Write(p.out[p.sent:min(len(p.out), p.sent+p.amount())])
		switch errno {
		case 0:
			p.sent += n
		case unix.EAGAIN:
			return false
		default:
			p.reset = p.reset || errno == unix.ECONNRESET
			p.out, p.sent = p.out[:0], 0
			return false
		}
		if p.c.Piece > 0 && p.sent < len(p.out) {
			p.stir()
			return false
		}
	}
	p.out, p.sent = p.out[:0], 0
	return true
}

// end is done with the connection.
func (p *peer) end(reset bool) {
	if p.over {
		return
	}
	p.over = true
	p.w.open--
	if reset {
		p.s.Abort()
	} else {
		p.s.Close()
	}
}

// stalled is when a client has done nothing for longer than any limit: then the server has ended the
// connection.
func (p *peer) stalled(by string, leave func()) {
	for !p.over {
		n, errno := p.s.Read(p.w.buffer)
		if errno == unix.EAGAIN {
			p.w.violate("waits-for-ever", "for %s", by)
		}
		if errno != 0 || n == 0 {
			leave()
		}
	}
}
