package guard

import (
	"net/netip"
	"sync"
)

// clientLimiter counts pending work beside the loops by client address, so that no client takes
// all the room.
type clientLimiter struct {
	most int // of one address

	mu      sync.Mutex
	waiting map[netip.Addr]int
}

func newClientLimiter(most int) clientLimiter {
	return clientLimiter{most: most, waiting: map[netip.Addr]int{}}
}

// enter reports whether there may be one more of a client's, and counts it.
func (c *clientLimiter) enter(client netip.Addr) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting[client] >= c.most {
		return false
	}
	c.waiting[client]++
	return true
}

func (c *clientLimiter) leave(client netip.Addr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting[client]--; c.waiting[client] <= 0 {
		delete(c.waiting, client)
	}
}

// addressBytes are those of an address, of whichever version.
const addressBytes = 16

// network is the client that an address counts as: in IPv6 a network of 64 bits.
func network(client netip.Addr) netip.Addr {
	client = client.Unmap().WithZone("")
	if client.Is6() {
		prefix, _ := client.Prefix(64) // an IPv6 address has one
		return prefix.Addr()
	}
	return client
}
