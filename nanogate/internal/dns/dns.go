// Package dns finds the instances of an upstream by their host names.
package dns

import (
	"context"
	"maps"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/discovery"
	"dyno.example/nanogate/internal/upstream"
)

// Names are the host names among an upstream's instances. Each address of a name is an
// instance. A name that can't be resolved any more keeps the addresses that it had, for
// as long as the resolver is away or says that there is no such name: a wrong response
// of a resolver must not take a service down.
type Names struct {
	rules  config.DNS
	lookup Lookup
	wake   chan struct{} // there are other names

	mu    sync.Mutex
	named []upstream.Instance     // by name
	known map[string][]netip.Addr // by name
}

// Lookup resolves a host to its addresses.
type Lookup = discovery.Lookup

// resolver resolves by the system's resolver.
func resolver(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// soonest is the delay of the first retry for a name that can't be resolved; it doubles
// each time, up to the usual interval.
const soonest = time.Second

// mostLookups bounds how many names are resolved at once.
const mostLookups = 64

// New makes the source of an upstream's host names; nil if it has none. The system's
// resolver is used if lookup is nil.
func New(c *config.Upstream, lookup Lookup) *Names {
	var named []upstream.Instance
	for _, e := range c.Endpoints {
		if e.Address.Name != "" {
			named = append(named, upstream.Instance{Address: e.Address, Weight: e.Weight, Zone: e.Zone})
		}
	}
	if len(named) == 0 {
		return nil
	}
	n := For(c.DNS, lookup)
	n.named = named
	return n
}

// Inherit begins with the addresses that sources before have found of the same names.
func (n *Names) Inherit(before []upstream.Source) {
	for _, source := range before {
		r, ok := source.(interface{ Resolved() *Names })
		if !ok || r.Resolved() == n {
			continue
		}
		old := r.Resolved()
		old.mu.Lock()
		known := maps.Clone(old.known)
		old.mu.Unlock()
		n.mu.Lock()
		maps.Copy(n.known, known) // unused names are dropped when names are resolved
		n.mu.Unlock()
	}
}

// Resolved are these.
func (n *Names) Resolved() *Names { return n }

// Known implements [upstream.Preloaded].
func (n *Names) Known() []upstream.Instance { return n.Found() }

// For makes the source of names that [Names.Set] sets. The system's resolver is used if
// lookup is nil.
func For(rules config.DNS, lookup Lookup) *Names {
	if lookup == nil {
		lookup = resolver
	}
	return &Names{rules: rules, wake: make(chan struct{}, 1), known: map[string][]netip.Addr{}, lookup: lookup}
}

// SetLookup sets another resolver; to be called before it is watched.
func (n *Names) SetLookup(lookup Lookup) { n.lookup = lookup }

// Set has it resolve other names from now on.
func (n *Names) Set(named []upstream.Instance) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.named = named
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// Found returns the instances that are known of the names.
func (n *Names) Found() (all []upstream.Instance) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := range n.named {
		in := n.named[i]
		for _, addr := range n.known[in.Address.Name] {
			all = append(all, upstream.Instance{Address: config.Address{IP: netip.AddrPortFrom(addr, in.Address.Port), Host: in.Address.Name, TLS: in.Address.TLS, HTTP2: in.Address.HTTP2}, Weight: in.Weight, Zone: in.Zone})
		}
	}
	return all
}

// Watch resolves the names now and then until ctx ends.
func (n *Names) Watch(ctx context.Context, update func([]upstream.Instance)) {
	told := false
	pause := soonest
	for {
		changed, failed := n.resolve(ctx)
		if ctx.Err() != nil {
			return
		}
		if changed || !told {
			told = true
			update(n.Found())
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
		case <-n.wake:
			pause = soonest
		case <-time.After(wait):
		}
	}
}

// hosts are the names to resolve, each once.
func (n *Names) hosts() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var all []string
	for i := range n.named {
		all = append(all, n.named[i].Address.Name)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	maps.DeleteFunc(n.known, func(host string, _ []netip.Addr) bool {
		_, found := slices.BinarySearch(all, host)
		return !found
	})
	return all
}

// resolve resolves all names, each within a timeout. Results replace earlier ones.
func (n *Names) resolve(ctx context.Context) (changed, failed bool) {
	hosts := n.hosts()
	now := make([][]netip.Addr, len(hosts))
	free := make(chan struct{}, mostLookups)
	var asking sync.WaitGroup
	for i, host := range hosts {
		free <- struct{}{}
		asking.Go(func() {
			defer func() { <-free }()
			ctx, cancel := context.WithTimeout(ctx, n.rules.Timeout)
			defer cancel()
			addrs, err := n.lookup(ctx, host)
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
	n.mu.Lock()
	defer n.mu.Unlock()
	for i, host := range hosts {
		switch {
		case len(now[i]) == 0:
			failed = true
		case !slices.Equal(now[i], n.known[host]):
			n.known[host], changed = now[i], true
		}
	}
	return changed, failed
}
