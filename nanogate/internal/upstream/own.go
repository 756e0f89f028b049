package upstream

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"

	"dyno.example/nanogate/internal/config"
)

// Own are the addresses that the gateway itself listens on, the admin address among them.
// Discovered instances with such an address get no requests: otherwise anyone who can
// write an entry of a registry or a DNS zone could make the gateway send requests to
// itself, with the rights of a local process. Addresses in the file are its author's
// decision. Safe for concurrent use; a nil Own has none.
type Own struct {
	mu    sync.Mutex
	ports []netip.AddrPort
	paths []string // of unix sockets; "@name" is an abstract one
}

// Set makes these the addresses, and reports whether they were others before.
func (o *Own) Set(all []net.Addr) (changed bool) {
	var ports []netip.AddrPort
	var paths []string
	for _, a := range all {
		switch a := a.(type) {
		case *net.TCPAddr:
			at := a.AddrPort()
			ports = append(ports, netip.AddrPortFrom(plain(at.Addr()), at.Port()))
		case *net.UnixAddr:
			paths = append(paths, a.Name)
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	changed = !slices.Equal(o.ports, ports) || !slices.Equal(o.paths, paths)
	o.ports, o.paths = ports, paths
	return changed
}

// Has reports whether a connection to an address reaches the gateway itself.
func (o *Own) Has(a config.Address) bool {
	if o == nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if a.Unix != "" {
		return slices.ContainsFunc(o.paths, func(own string) bool { return sameSocket(a.Unix, own) })
	}
	to := plain(a.IP.Addr())
	return slices.ContainsFunc(o.ports, func(own netip.AddrPort) bool { return own.Port() == a.IP.Port() && comesTo(to, own.Addr()) })
}

// plain is an address in the one form that it is compared in.
func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// comesTo reports whether a connection to an address reaches a socket that is bound to at
// on this machine.
func comesTo(to, at netip.Addr) bool {
	if to.IsUnspecified() { // the kernel takes the loopback address for it
		return at.IsUnspecified() || at.IsLoopback()
	}
	if at.IsUnspecified() {
		return isLocal(to)
	}
	return to == at
}

// isLocal reports whether an address is one of this machine's.
func isLocal(a netip.Addr) bool {
	if a.IsLoopback() {
		return true
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	return slices.ContainsFunc(all, func(one net.Addr) bool {
		n, ok := one.(*net.IPNet)
		if !ok {
			return false
		}
		own, ok := netip.AddrFromSlice(n.IP)
		return ok && plain(own) == a
	})
}

// sameSocket reports whether two paths lead to one unix socket, also by links or from
// another directory.
func sameSocket(a, b string) bool {
	if a == b {
		return true
	}
	if strings.HasPrefix(a, "@") || strings.HasPrefix(b, "@") {
		return false
	}
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// without returns the instances that aren't the gateway's own, and says which are.
func (o *Own) without(all []Instance) (others []Instance, wrong []string) {
	at := slices.IndexFunc(all, func(in Instance) bool { return o.Has(in.Address) })
	if at < 0 {
		return all, nil
	}
	others = slices.Clone(all[:at])
	for _, in := range all[at:] {
		if o.Has(in.Address) {
			wrong = append(wrong, fmt.Sprintf("%s is an address of the gateway itself, and isn't used", in.Address))
		} else {
			others = append(others, in)
		}
	}
	return others, wrong
}
