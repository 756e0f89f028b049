// Package dns finds the instances of an upstream by their host names.
package dns

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"dyno/gate/config"
	"dyno/gate/upstream"
)

// Names are the host names among an upstream's endpoints. Each address of a name is an
// instance. A name that can't be resolved any more keeps the addresses that it had, for
// as long as the resolver is away or says that there is no such name: a wrong answer of
// a resolver must not take a service down.
type Names struct {
	endpoints []config.Endpoint
	rules     config.DNS
	lookup    func(ctx context.Context, host string) ([]netip.Addr, error)
}

// soonest is how soon a name that can't be resolved is asked for again at first; then
// it is twice as long each time, up to the usual time.
const soonest = time.Second

// New makes the source of an upstream's host names; nil if it has none.
func New(c *config.Upstream) *Names {
	n := &Names{rules: c.DNS, lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
		return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	}}
	for _, e := range c.Endpoints {
		if e.Address.Name != "" {
			n.endpoints = append(n.endpoints, e)
		}
	}
	if len(n.endpoints) == 0 {
		return nil
	}
	return n
}

// Watch resolves the names now and then until ctx ends.
func (n *Names) Watch(ctx context.Context, update func([]upstream.Instance)) {
	found := make([][]netip.Addr, len(n.endpoints))
	known := false
	pause := soonest
	for {
		changed, failed := n.resolve(ctx, found)
		if ctx.Err() != nil {
			return
		}
		if changed || !known {
			known = true
			update(n.instances(found))
		}
		wait := n.rules.Every
		if failed {
			wait = min(pause, wait)
			pause *= 2
		} else {
			pause = soonest
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// resolve asks for all names at once, each for so long at most. What was found replaces
// what was there.
func (n *Names) resolve(ctx context.Context, found [][]netip.Addr) (changed, failed bool) {
	ctx, cancel := context.WithTimeout(ctx, n.rules.Timeout)
	defer cancel()
	now := make([][]netip.Addr, len(found))
	var asking sync.WaitGroup
	for i, e := range n.endpoints {
		asking.Go(func() {
			addrs, err := n.lookup(ctx, e.Address.Name)
			if err != nil {
				return
			}
			for j := range addrs {
				addrs[j] = addrs[j].Unmap()
			}
			slices.SortFunc(addrs, netip.Addr.Compare)
			now[i] = slices.Compact(addrs)
		})
	}
	asking.Wait()
	for i := range now {
		switch {
		case len(now[i]) == 0:
			failed = true
		case !slices.Equal(now[i], found[i]):
			found[i], changed = now[i], true
		}
	}
	return changed, failed
}

func (n *Names) instances(found [][]netip.Addr) (all []upstream.Instance) {
	for i, e := range n.endpoints {
		for _, addr := range found[i] {
			all = append(all, upstream.Instance{Address: config.Address{IP: netip.AddrPortFrom(addr, e.Address.Port)}, Weight: e.Weight, Zone: e.Zone})
		}
	}
	return all
}
