//go:build linux

package proxy

import "net"

// What follows is for whoever has a [Server] from [New], whose loops nobody runs.

// Step has a loop do what there is for it to do: one batch of events, messages and deadlines.
// It reports whether the loop goes on.
func (v *Server) Step(loop int) bool {
	l := v.loops[loop]
	if l.Over() {
		return false
	}
	l.step()
	if l.stopped {
		v.finish(l)
	}
	return !l.stopped
}

// ListenAt listens on sockets that are there: one for each loop.
func (v *Server) ListenAt(at net.Addr, fds []int) *Listening {
	return v.serveOn(&Listening{At: at, server: v, fds: fds, own: len(fds)}, nil)
}

// Drain has the loops end when nothing is under way, as [Server.Shutdown] does first.
func (v *Server) Drain() { v.drain() }

// Cut has them close what is left, as [Server.Shutdown] does when its time is over.
func (v *Server) Cut() { v.cut() }
