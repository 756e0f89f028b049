package request

import (
	"net/netip"
	"strconv"
	"strings"

	"dyno.example/internal/i18n"
)

// ParseReuse reads a kind of reuse, or a number of requests for each connection.
func ParseReuse(s string) (kind Reuse, perConnection int, err error) {
	if n, err := strconv.Atoi(s); err == nil {
		if n < 1 {
			return "", 0, i18n.Errorf("request.reuse-below-one", "reuse %d: a connection carries at least one request", n)
		}
		return PerWorker, n, nil
	}
	switch r := Reuse(s); r {
	case PerWorker, Shared, NoReuse:
		return r, 0, nil
	}
	return "", 0, i18n.Errorf("request.bad-reuse", "reuse %q is none of per-worker, shared, none and a number of requests", s)
}

// maxSources bounds what a range of addresses may stand for.
const maxSources = 65536

// ParseSources reads an address, a range of addresses or a prefix.
func ParseSources(s string) ([]netip.Addr, error) {
	var first, last netip.Addr
	var err error
	if from, to, isRange := strings.Cut(s, "-"); isRange {
		first, err = netip.ParseAddr(from)
		if err == nil {
			last, err = netip.ParseAddr(to)
		}
	} else if strings.Contains(s, "/") {
		var p netip.Prefix
		if p, err = netip.ParsePrefix(s); err == nil {
			return addrsOf(p)
		}
	} else {
		first, err = netip.ParseAddr(s)
		last = first
	}
	if err != nil {
		return nil, i18n.Errorf("request.bad-addresses", "%q is not an address, a range such as 10.0.0.1-10.0.0.8 or a prefix such as 10.0.0.0/29", s)
	}
	return between(first, last)
}

func between(first, last netip.Addr) (addrs []netip.Addr, err error) {
	if first.BitLen() != last.BitLen() || last.Less(first) {
		return nil, i18n.Errorf("request.bad-address-range", "%v-%v is not a range of addresses", first, last)
	}
	for a := first; ; a = a.Next() {
		if len(addrs) == maxSources {
			return nil, i18n.Errorf("request.address-range-too-large", "%v-%v are more than the %d addresses that are allowed", first, last, maxSources)
		}
		if addrs = append(addrs, a); a == last {
			return addrs, nil
		}
	}
}

// addrsOf returns the addresses of a prefix, without those of the network itself
// and of broadcast where IPv4 has them.
func addrsOf(p netip.Prefix) ([]netip.Addr, error) {
	p = p.Masked()
	host := p.Addr().BitLen() - p.Bits()
	if host > 16 {
		return nil, i18n.Errorf("request.address-prefix-too-large", "%v has more than the %d addresses that are allowed", p, maxSources)
	}
	first, n := p.Addr(), 1<<host
	if p.Addr().Is4() && host > 1 {
		first, n = first.Next(), n-2
	}
	addrs := make([]netip.Addr, 0, n)
	for a := first; len(addrs) < n; a = a.Next() {
		addrs = append(addrs, a)
	}
	return addrs, nil
}
