package kubernetes

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	discovery "k8s.io/api/discovery/v1"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/upstream"
)

// slice is what is kept of an EndpointSlice.
type slice struct {
	ports     []port
	endpoints []endpoint
	wrong     string // why it can't be used; "": it can
}

// port is one that all endpoints of a slice have.
type port struct {
	name     string // "" if it is the only one
	number   uint16
	protocol string // of the application: what appProtocol says
}

// endpoint is an endpoint of a slice.
type endpoint struct {
	addr  netip.Addr
	pod   string // who it is: endpoints of one pod in two families are one; "" if that isn't known
	zone  string
	ready bool
	// draining says that it still serves, and is about to end.
	draining bool
}

// mostEndpoints bounds how many endpoints of a Service are kept.
const mostEndpoints = 10_000

// newSlice keeps of an EndpointSlice what is used. Conditions that aren't there are read
// as its API's documentation has it: ready, and serving if it is ready.
func newSlice(s *discovery.EndpointSlice) *slice {
	made := &slice{}
	if s.AddressType != discovery.AddressTypeIPv4 && s.AddressType != discovery.AddressTypeIPv6 {
		made.wrong = fmt.Sprintf("EndpointSlice %s: expected addresses of the type IPv4 or IPv6, got %q", s.Name, s.AddressType)
		return made
	}
	for i := range s.Ports {
		p := &s.Ports[i]
		if p.Port == nil || *p.Port < 1 || *p.Port > 65535 || p.Protocol != nil && *p.Protocol != "TCP" {
			continue
		}
		made.ports = append(made.ports, port{deref(p.Name), uint16(*p.Port), deref(p.AppProtocol)})
	}
	for i := range s.Endpoints {
		e := &s.Endpoints[i]
		c := &e.Conditions
		kept := endpoint{zone: deref(e.Zone), ready: c.Ready == nil || *c.Ready}
		kept.draining = !kept.ready && deref(c.Serving) && deref(c.Terminating)
		if !kept.ready && !kept.draining || len(e.Addresses) == 0 {
			continue // nobody is to be asked there
		}
		// All addresses of an endpoint are the same; the first is the one that is used.
		addr, err := netip.ParseAddr(e.Addresses[0])
		if err != nil || addr.Zone() != "" {
			made.wrong = fmt.Sprintf("EndpointSlice %s: expected an IP address, got %q", s.Name, e.Addresses[0])
			continue
		}
		kept.addr = addr.Unmap()
		if e.TargetRef != nil && e.TargetRef.Kind == "Pod" {
			kept.pod = e.TargetRef.Namespace + "/" + e.TargetRef.Name + "/" + string(e.TargetRef.UID)
		}
		made.endpoints = append(made.endpoints, kept)
	}
	return made
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// wanted is which instances are made of slices.
type wanted struct {
	port   string // its name; "" with only: the only one
	only   bool   // no port was named
	talk   config.KubernetesTalk
	family config.KubernetesFamily
}

// candidate is an endpoint with the port of its slice.
type candidate struct {
	endpoint
	port
}

// instances are the endpoints that can be asked, of all slices of a Service: those that
// are ready; if none is, those that still serve while they end (as kube-proxy does,
// KEP-1669). wrong says what of the slices can't be used.
func instances(all map[string]*slice, want wanted) (made []upstream.Instance, wrong []string) {
	found := map[string]candidate{}
	n := 0
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		if s.wrong != "" {
			wrong = append(wrong, s.wrong)
		}
		p, problem := s.pick(want)
		if problem != "" {
			if len(s.endpoints) > 0 {
				wrong = append(wrong, "EndpointSlice "+name+": "+problem)
			}
			continue
		}
		for _, e := range s.endpoints {
			if n++; n > mostEndpoints {
				return order(found, want), append(wrong, fmt.Sprintf("the Service has more than %d endpoints: the others aren't asked", mostEndpoints))
			}
			if want.family == config.OnlyIPv4 && !e.addr.Is4() || want.family == config.OnlyIPv6 && e.addr.Is4() {
				continue
			}
			key := cmp.Or(e.pod, e.addr.String())
			if before, ok := found[key]; !ok || want.better(&e, &before.endpoint) {
				found[key] = candidate{e, p}
			}
		}
	}
	return order(found, want), wrong
}

// better reports whether an endpoint is to be taken for one that was found before of the
// same pod or address: slices may overlap while endpoints move between them.
func (w *wanted) better(e, before *endpoint) bool {
	if e.ready != before.ready {
		return e.ready
	}
	return e.addr.Is4() != before.addr.Is4() && e.addr.Is4() == (w.family == config.PreferIPv4 || w.family == config.OnlyIPv4)
}

// order makes instances of what was found, in the order of their addresses.
func order(found map[string]candidate, want wanted) []upstream.Instance {
	ready := false
	for _, c := range found {
		ready = ready || c.ready
	}
	made := make([]upstream.Instance, 0, len(found))
	for _, c := range found {
		if c.ready != ready {
			continue
		}
		a := config.Address{IP: netip.AddrPortFrom(c.addr, c.number)}
		switch want.talk {
		case config.TalkHTTPS:
			a.TLS = true
		case config.TalkH2C:
			a.HTTP2 = true
		case config.TalkAsTold:
			a.HTTP2 = c.protocol == "kubernetes.io/h2c"
		}
		made = append(made, upstream.Instance{Address: a, Weight: 1, Zone: c.zone})
	}
	slices.SortFunc(made, func(a, b upstream.Instance) int { return a.Address.IP.Compare(b.Address.IP) })
	return slices.CompactFunc(made, func(a, b upstream.Instance) bool { return a.Address.IP == b.Address.IP })
}

// pick finds the port of a slice that is meant.
func (s *slice) pick(want wanted) (port, string) {
	if want.only && len(s.ports) == 1 {
		return s.ports[0], ""
	}
	names := make([]string, 0, len(s.ports))
	for _, p := range s.ports {
		if !want.only && p.name == want.port {
			return p, ""
		}
		names = append(names, fmt.Sprintf("%s (%d)", cmp.Or(p.name, "without a name"), p.number))
	}
	switch {
	case len(names) == 0:
		return port{}, "it has no TCP port"
	case want.only:
		return port{}, "it has the ports " + strings.Join(names, ", ") + ": say which with port"
	}
	return port{}, fmt.Sprintf("it has no port %q, but %s", want.port, strings.Join(names, ", "))
}
