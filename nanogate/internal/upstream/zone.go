package upstream

// Zones: requests stay in the gateway's own zone as far as it can take them. While all
// of its endpoints there are usable they get everything; when some are not, the others
// take up to so much more than their part, and the rest goes to other zones: that is
// Envoy's locality weighting with its overprovisioning.

// overprovision is how much more than their part the endpoints of a zone can take.
const overprovision = 1.4

// divide splits a set into near and far endpoints. It does nothing if that makes no
// difference.
func (u *Upstream) divide(s *Set) {
	if u.Config.Zone == "" || s.Panic {
		return
	}
	near, far := &Set{}, &Set{}
	all, usable := 0, 0
	for _, e := range s.All {
		if e.Zone == u.Config.Zone {
			all += int(e.Weight.Load())
		}
	}
	for _, e := range s.Usable {
		if e.Zone != u.Config.Zone {
			far.Usable = append(far.Usable, e)
			continue
		}
		near.Usable = append(near.Usable, e)
		usable += int(e.Weight.Load())
	}
	if len(near.Usable) == 0 || len(far.Usable) == 0 {
		return
	}
	near.weigh()
	far.weigh()
	s.near, s.far = near, far
	s.nearby = uint64(min(1, overprovision*float64(usable)/float64(all)) * (1 << 32))
}

// of returns the part of the set that a request is sent to.
func (s *Set) of(l *Local, tried *Endpoint) *Set {
	switch {
	case s.near == nil:
		return s
	case tried != nil && len(s.near.Usable) == 1 && s.near.Usable[0] == tried:
		return s.far // there is no other one nearby
	case l.Random()>>32 < s.nearby:
		return s.near
	}
	return s.far
}
