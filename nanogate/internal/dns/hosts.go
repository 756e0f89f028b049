package dns

import (
	"context"
	"slices"
	"sync"

	"dyno.example/nanogate/internal/upstream"
)

// split parts instances that have an address from those that have a host name.
func split(all []upstream.Instance) (addresses, names []upstream.Instance) {
	for _, in := range all {
		if in.Address.Name != "" {
			names = append(names, in)
		} else {
			addresses = append(addresses, in)
		}
	}
	return addresses, names
}

// Resolve replaces host names among instances by their known addresses. It does no
// lookup.
func (n *Names) Resolve(all []upstream.Instance) []upstream.Instance {
	addresses, names := split(all)
	if len(names) > 0 {
		n.Set(names)
	}
	return slices.Concat(addresses, n.Found())
}

// Hosts puts what the host names among instances of another source resolve to in their
// place.
type Hosts struct {
	ctx       context.Context
	names     *Names
	update    func([]upstream.Instance)
	resolving sync.WaitGroup

	mu        sync.Mutex
	started   bool
	addresses []upstream.Instance // those that came as such
}

// Hosts calls update with the instances, their names resolved, until ctx ends.
func (n *Names) Hosts(ctx context.Context, update func([]upstream.Instance)) *Hosts {
	return &Hosts{ctx: ctx, names: n, update: update}
}

// Tell sets the instances. Names that weren't there before follow when they are
// resolved; if there is nothing else, the previous instances stay until then.
func (h *Hosts) Tell(all []upstream.Instance) {
	h.mu.Lock()
	defer h.mu.Unlock()
	addresses, names := split(all)
	h.addresses = addresses
	if len(names) == 0 && !h.started {
		h.update(addresses)
		return
	}
	h.names.Set(names)
	if now := slices.Concat(addresses, h.names.Found()); len(now) > 0 || len(names) == 0 {
		h.update(now)
	}
	if !h.started && h.ctx.Err() == nil {
		h.started = true
		h.resolving.Go(func() { h.names.Watch(h.ctx, h.resolved) })
	}
}

// resolved updates with the addresses that the names have now.
func (h *Hosts) resolved([]upstream.Instance) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := slices.Concat(h.addresses, h.names.Found()); len(now) > 0 {
		h.update(now)
	}
}

// Wait returns when nothing is resolved any more, after ctx has ended.
func (h *Hosts) Wait() { h.resolving.Wait() }
