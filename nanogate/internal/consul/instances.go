package consul

import (
	"cmp"
	"fmt"
	"net"
	"path"
	"slices"
	"strconv"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/upstream"
)

// service is an instance of a service in Consul's API (/v1/health/service/:service), as
// far as it is used.
type service struct {
	Node struct {
		Node       string
		Datacenter string
		Address    string
		Meta       map[string]string
		Locality   *locality
	}
	Service struct {
		ID         string
		Address    string
		Port       int
		SocketPath string
		Meta       map[string]string
		Weights    struct{ Passing, Warning *int }
		Locality   *locality
	}
	Checks []struct{ Status string }
}

type locality struct{ Region, Zone string }

// Bounds of what is used of a response.
const (
	mostInstances = 10_000
	mostWeight    = 1000
	mostWrong     = 20
)

// node is a node of Consul's by its name. The zero value is none.
type node struct{ datacenter, name string }

// instances are those that can be used, in an order of their own, and what is wrong with
// the others. Unix sockets are accepted from one node only, the gateway's.
func instances(all []service, c *config.Consul, own node) (made []upstream.Instance, wrong []string) {
	made = make([]upstream.Instance, 0, len(all))
	bad := 0
	for i := range all {
		s := &all[i]
		weight := s.weight(c.Warning)
		if weight == 0 {
			continue
		}
		address, err := s.address(c, own)
		if err != nil {
			if bad++; bad <= mostWrong {
				wrong = append(wrong, fmt.Sprintf("%s on %s: %v", s.Service.ID, s.Node.Node, err))
			}
			continue
		}
		made = append(made, upstream.Instance{Address: address, Weight: weight, Zone: s.zone(c.Zone)})
	}
	if bad > mostWrong {
		wrong = append(wrong, fmt.Sprintf("and %d more", bad-mostWrong))
	}
	slices.SortStableFunc(made, func(a, b upstream.Instance) int { return cmp.Compare(a.Address.String(), b.Address.String()) })
	// One address may be registered twice, under two IDs or by two nodes.
	made = slices.CompactFunc(made, func(a, b upstream.Instance) bool { return a.Address == b.Address })
	if len(made) > mostInstances {
		made, wrong = made[:mostInstances], append(wrong, fmt.Sprintf("there are %d instances: no more than %d are used", len(made), mostInstances))
	}
	return made, wrong
}

// weight is that of an instance by its health: 0 is not used. A check with a status
// that Consul doesn't define counts as critical.
func (s *service) weight(warned bool) int {
	weight := s.Service.Weights.Passing
	for _, check := range s.Checks {
		switch {
		case check.Status == "passing":
		case check.Status == "warning" && warned:
			weight = s.Service.Weights.Warning
		default:
			return 0
		}
	}
	if weight == nil {
		return 1 // as Consul has it
	}
	return min(max(0, *weight), mostWeight)
}

// address is where an instance listens: at an address of its own, or else its node's.
func (s *service) address(c *config.Consul, own node) (a config.Address, err error) {
	if s.Service.SocketPath != "" {
		a, err = s.socket(c, own)
	} else {
		a, err = config.ParseAddress(net.JoinHostPort(cmp.Or(s.Service.Address, s.Node.Address), strconv.Itoa(s.Service.Port)))
	}
	if err != nil {
		return a, err
	}
	a.TLS, a.HTTP2 = c.Protocol == "https", c.Protocol == "h2c"
	return a, nil
}

// socket is a unix socket that an instance listens on. Whoever can register the service
// thereby names a path on the gateway's machine, to any socket there: it is accepted only
// if the file allows it, and from the gateway's own node.
func (s *service) socket(c *config.Consul, own node) (a config.Address, err error) {
	if !c.Sockets {
		return a, fmt.Errorf("unix sockets such as %q aren't used, unless the file has consul: {sockets: true}", s.Service.SocketPath)
	}
	if own == (node{}) || own != (node{s.Node.Datacenter, s.Node.Node}) {
		return a, fmt.Errorf("the unix socket %q is one of another machine than the gateway's, whose node is %q of %q", s.Service.SocketPath, own.name, own.datacenter)
	}
	if !path.IsAbs(s.Service.SocketPath) {
		return a, fmt.Errorf("expected the path of a unix socket from the root on, got %q", s.Service.SocketPath)
	}
	return config.ParseAddress("unix:" + s.Service.SocketPath)
}

// zone is where an instance is: by its locality or its node's, or by metadata of that
// name.
func (s *service) zone(name string) string {
	for _, l := range []*locality{s.Service.Locality, s.Node.Locality} {
		if l != nil && l.Zone != "" {
			return l.Zone
		}
	}
	return cmp.Or(s.Service.Meta[name], s.Node.Meta[name])
}
