//go:build linux

package simulator

import (
	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/simulated"
	"dyno.example/nano/wire/simulated/peers"
)

// peer is a client's end of a connection.
type peer struct {
	peers.Peer
	w       *world
	c       *Client
	looking bool
	deaf    bool // it doesn't read for the time being
}

func (p *peer) begin(w *world, c *Client, s *simulated.Socket, random *simulated.Random, turn func()) {
	p.w, p.c = w, c
	p.Peer = peers.Peer{System: w.sys, Socket: s, Random: random, Think: c.Think, Piece: c.Piece, Buffer: w.buffer, Lends: &w.buffers, Frames: p.Frames}
	p.Begin(turn)
}

// looks has it have a turn in a while, to see how far a handler is.
func (p *peer) looks() {
	if p.looking {
		return
	}
	p.looking = true
	p.w.sys.After(1e6, func() {
		p.looking = false
		p.Stir()
	})
}

// end is done with the connection.
func (p *peer) end(reset bool) {
	if !p.Over {
		p.w.open--
		p.End(reset)
	}
}

// stalled is when a client has done nothing for longer than any limit: then the server has ended the
// connection, unless another protocol is spoken there, for which there is no limit of time.
func (p *peer) stalled(by string, other bool, leave func()) {
	if other {
		leave()
		return
	}
	for !p.Over {
		n, errno := p.Socket.Read(p.w.buffer)
		if errno == unix.EAGAIN {
			p.w.violate("waits-for-ever", "for %s", by)
		}
		if errno != 0 || n == 0 {
			leave()
		}
	}
}
