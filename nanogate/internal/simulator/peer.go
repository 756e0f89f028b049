//go:build linux

package simulator

import (
	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/simulated"
	"dyno.example/nano/wire/simulated/peers"
)

// peer is an end of a connection that isn't the gateway's.
type peer struct {
	peers.Peer
	w    *world
	shut bool // nothing is written any more: it waits for the other end
}

func (p *peer) begin(w *world, s *simulated.Socket, random *simulated.Random, think int64, piece int, turn func()) {
	p.w = w
	p.Peer = peers.Peer{System: w.sys, Socket: s, Random: random, Think: think, Piece: piece, Buffer: w.buffer, Lends: &w.buffers, Frames: p.Frames}
	p.Begin(turn)
}

// finish ends what this end sends, and reads on until the other end has closed its side too,
// so that nothing is reset: as servers do that have said all.
func (p *peer) finish() {
	if p.shut || p.Over {
		return
	}
	p.shut = true
	p.Socket.CloseWrite()
	p.w.sys.After(2e9, func() { p.end("close") })
	p.Stir()
}

// drained reads what comes after that. It reports whether that is the state.
func (p *peer) drained() bool {
	if !p.shut {
		return false
	}
	b, errno := p.Read()
	switch {
	case len(b) > 0:
		if p.Socket.Wasted != nil {
			p.Socket.Wasted(b, false)
		}
	case errno != unix.EAGAIN:
		p.end("close")
	}
	return true
}

// end is done with the connection: close, reset, or nothing if it is over already.
func (p *peer) end(how string) { p.End(how == "reset") }
