package gatewayapi

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gw "sigs.k8s.io/gateway-api/apis/v1"
)

// condition makes one. Since when it is so, who writes it finds out.
func condition(kind string, is bool, reason, message string, generation int64) metav1.Condition {
	status := metav1.ConditionFalse
	if is {
		status = metav1.ConditionTrue
	}
	const most = 1024 // bytes of a message
	if len(message) > most {
		message = message[:most] + "…"
	}
	return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: generation}
}

// gatewayStatus is what is said of a Gateway and its listeners.
func (t *translation) gatewayStatus(g *gw.Gateway, all []*listener) *gw.GatewayStatus {
	s := &gw.GatewayStatus{}
	accepted, served := 0, 0
	for _, l := range all {
		s.Listeners = append(s.Listeners, l.status(g.Generation))
		if l.wrong == nil {
			accepted++
			if l.unready == "" {
				served++
			}
		}
	}
	const none = "none of its listeners can be served"
	switch no := unfit(g); {
	case no != nil:
		s.Conditions = append(s.Conditions, condition("Accepted", false, no.reason, no.message, g.Generation))
	case accepted == 0:
		s.Conditions = append(s.Conditions, condition("Accepted", false, "ListenersNotValid", none, g.Generation))
	case served < len(all):
		s.Conditions = append(s.Conditions, condition("Accepted", true, "ListenersNotValid", fmt.Sprintf("%d of %d listeners are served", served, len(all)), g.Generation))
	default:
		s.Conditions = append(s.Conditions, condition("Accepted", true, "Accepted", "all of its listeners are served", g.Generation))
	}
	if served == 0 {
		s.Conditions = append(s.Conditions, condition("Programmed", false, "Invalid", none, g.Generation))
	} else {
		s.Conditions = append(s.Conditions, condition("Programmed", true, "Programmed", "nanogate serves it", g.Generation))
	}
	for _, a := range t.Addresses {
		kind := gw.HostnameAddressType
		if _, err := netip.ParseAddr(a); err == nil {
			kind = gw.IPAddressType
		}
		s.Addresses = append(s.Addresses, gw.GatewayStatusAddress{Type: &kind, Value: a})
	}
	for i := range g.Spec.Addresses {
		if wrong := unusable(&g.Spec.Addresses[i], s.Addresses); wrong != "" {
			s.Conditions[1] = condition("Programmed", false, "AddressNotUsable", wrong, g.Generation)
		}
	}
	return s
}

// unusable says why a Gateway isn't reached at an address that it asks for; "": it is. One
// without a value is any of its type.
func unusable(want *gw.GatewaySpecAddress, all []gw.GatewayStatusAddress) string {
	kind := gw.IPAddressType
	if want.Type != nil {
		kind = *want.Type
	}
	if slices.ContainsFunc(all, func(a gw.GatewayStatusAddress) bool {
		return a.Value == want.Value || want.Value == "" && *a.Type == kind
	}) {
		return ""
	}
	if want.Value == "" {
		return fmt.Sprintf("none of the addresses in the gateway's file is of the type %s", kind)
	}
	return want.Value + " isn't one of the addresses in the gateway's file"
}

func (l *listener) status(generation int64) gw.ListenerStatus {
	s := gw.ListenerStatus{Name: l.Name, AttachedRoutes: l.attached, SupportedKinds: []gw.RouteGroupKind{}}
	for _, kind := range l.kinds {
		s.SupportedKinds = append(s.SupportedKinds, gw.RouteGroupKind{Group: new(gw.Group(gw.GroupName)), Kind: gw.Kind(kind)})
	}
	if l.wrong != nil {
		s.Conditions = append(s.Conditions, condition("Accepted", false, l.wrong.reason, l.wrong.message, generation),
			condition("Programmed", false, "Invalid", l.wrong.message, generation))
	} else if l.unready != "" {
		s.Conditions = append(s.Conditions, condition("Accepted", true, "Accepted", "routes can belong to the listener", generation),
			condition("Programmed", false, "Invalid", l.unready, generation))
	} else {
		s.Conditions = append(s.Conditions, condition("Accepted", true, "Accepted", "the listener is served", generation),
			condition("Programmed", true, "Programmed", "the listener is served", generation))
	}
	s.Conditions = append(s.Conditions, condition("Conflicted", false, "NoConflicts", "no other listener is the same", generation))
	if l.refs != nil {
		s.Conditions = append(s.Conditions, condition("ResolvedRefs", false, l.refs.reason, l.refs.message, generation))
	} else {
		s.Conditions = append(s.Conditions, condition("ResolvedRefs", true, "ResolvedRefs", "all references are resolved", generation))
	}
	return s
}

// since gives conditions their time: that of the same one before, if it was so then.
// Conditions of other types stay, as they may be another one's.
func since(before, after []metav1.Condition, now time.Time) []metav1.Condition {
	made := slices.Clone(after)
	for i := range made {
		made[i].LastTransitionTime = metav1.NewTime(now.Truncate(time.Second))
	}
	for _, old := range before {
		at := slices.IndexFunc(made, func(c metav1.Condition) bool { return c.Type == old.Type })
		switch {
		case at < 0:
			made = append(made, old)
		case made[at].Status == old.Status:
			made[at].LastTransitionTime = old.LastTransitionTime
		}
	}
	slices.SortFunc(made, func(a, b metav1.Condition) int {
		if a.Type < b.Type {
			return -1
		}
		return 1
	})
	return made
}

// parents puts what is said of a route's parents into its status, beside what others say:
// other controllers, and of this one those that serve other Gateways. ours tells the
// parents that are served here.
func parents(before, own []gw.RouteParentStatus, controller string, ours func(*gw.ParentReference) bool, now time.Time) (all []gw.RouteParentStatus) {
	for _, s := range own {
		var old []metav1.Condition
		for _, b := range before {
			if string(b.ControllerName) == controller && sameParent(&b.ParentRef, &s.ParentRef) {
				old = slices.DeleteFunc(slices.Clone(b.Conditions), func(c metav1.Condition) bool {
					return !slices.ContainsFunc(s.Conditions, func(o metav1.Condition) bool { return o.Type == c.Type })
				})
			}
		}
		s.Conditions = since(old, s.Conditions, now)
		all = append(all, s)
	}
	for _, b := range before {
		if string(b.ControllerName) != controller || !ours(&b.ParentRef) {
			all = append(all, b)
		}
	}
	return all
}

func sameParent(a, b *gw.ParentReference) bool {
	return a.Name == b.Name && same(a.Namespace, b.Namespace) && same(a.SectionName, b.SectionName) && same(a.Port, b.Port)
}

func same[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}
