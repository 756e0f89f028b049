package config

import "net/netip"

// Access is who may send requests by the address they come from. A denied address is
// refused; if any are allowed, all others are.
type Access struct{ Allow, Deny []netip.Prefix }

// Empty reports whether everybody may.
func (a *Access) Empty() bool { return len(a.Allow)+len(a.Deny) == 0 }

func readPrefixes(p place) (all []netip.Prefix) {
	items := p.list()
	if len(items) == 0 && p.IsList() {
		p.Problem("remove it, or name networks such as 10.0.0.0/8", "the list is empty, which could mean nobody or everybody")
	}
	for _, item := range items {
		all = append(all, item.prefix())
	}
	return all
}
