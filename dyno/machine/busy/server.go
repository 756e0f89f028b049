package busy

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"slices"

	"dyno.example/internal/i18n"
)

// errNotSeen says that a server is on this machine, but its process can't be seen.
var errNotSeen = i18n.Errorf("busy.server-process-unseen", "the server's process can't be seen (it is another user's, or in a container)")

// Server finds the processes on this machine that take connections to a URL's host
// and port. It has none, and no error, if the host is another machine.
func Server(ctx context.Context, target string) ([]int, error) {
	u, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443"}[u.Scheme]
	}
	if port == "" {
		port = "80"
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return nil, i18n.Errorf("busy.looking-up", "looking up %s: %w", u.Hostname(), err)
	}
	n, err := net.DefaultResolver.LookupPort(ctx, "tcp", port)
	if err != nil {
		return nil, err
	}
	var here []netip.AddrPort
	for _, a := range addrs {
		if isHere(a.Unmap()) {
			here = append(here, netip.AddrPortFrom(a.Unmap(), uint16(n)))
		}
	}
	if here == nil {
		return nil, nil
	}
	pids, err := owners(here)
	if err == nil && pids == nil {
		err = errNotSeen
	}
	return pids, err
}

// isHere reports whether an address is one of this machine.
func isHere(addr netip.Addr) bool {
	if addr.IsLoopback() || addr.IsUnspecified() {
		return true
	}
	own, err := net.InterfaceAddrs()
	return err == nil && slices.ContainsFunc(own, func(a net.Addr) bool {
		prefix, err := netip.ParsePrefix(a.String())
		return err == nil && prefix.Addr().Unmap() == addr
	})
}
