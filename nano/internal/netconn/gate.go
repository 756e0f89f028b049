package netconn

import (
	"net/netip"
	"sync"
)

// Gate counts connections. 0 or less: no limit.
type Gate struct {
	Most, MostOfOne int // connections in all, and of one address
	mu              sync.Mutex
	freed           sync.Cond
	open            int
	peers           map[netip.Addr]int
}

// Enter counts a connection. It waits while there are too many in all, and
// reports false if there are too many of the address.
func (g *Gate) Enter(a netip.Addr) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.freed.L = &g.mu
	for g.Most > 0 && g.open >= g.Most {
		g.freed.Wait()
	}
	if g.MostOfOne > 0 && a.IsValid() {
		if g.peers[a] >= g.MostOfOne {
			return false
		}
		if g.peers == nil {
			g.peers = make(map[netip.Addr]int)
		}
		g.peers[a]++
	}
	g.open++
	return true
}

// Unlimit admits the connections that wait, and all that come later.
func (g *Gate) Unlimit() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.freed.L = &g.mu
	g.Most = 0
	g.freed.Broadcast()
}

// Open is how many connections are let in and haven't left.
func (g *Gate) Open() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open
}

// Leave uncounts a connection that was let in.
func (g *Gate) Leave(a netip.Addr) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open--
	if g.MostOfOne > 0 && a.IsValid() {
		if g.peers[a]--; g.peers[a] == 0 {
			delete(g.peers, a)
		}
	}
	g.freed.Signal()
}
