package gatewayapi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gw "sigs.k8s.io/gateway-api/apis/v1"
)

// anyRoute is an HTTPRoute or a GRPCRoute, as far as they are the same.
type anyRoute struct {
	kind      string
	name      Name
	meta      *metav1.ObjectMeta
	parents   []gw.ParentReference
	hostnames []gw.Hostname
	rules     []rule
}

// rule is one of a route's.
type rule struct {
	matches  []gw.HTTPRouteMatch
	filters  []gw.HTTPRouteFilter
	backends []gw.BackendRef
	timeouts *gw.HTTPRouteTimeouts
	wrong    string // what can't be carried out; "": nothing so far
	lost     string // why some of its matches aren't among matches; "": all are
}

func fromHTTP(r *gw.HTTPRoute) *anyRoute {
	made := &anyRoute{kind: "HTTPRoute", name: Name{Namespace: r.Namespace, Name: r.Name}, meta: &r.ObjectMeta, parents: r.Spec.ParentRefs, hostnames: r.Spec.Hostnames}
	for i := range r.Spec.Rules {
		from := &r.Spec.Rules[i]
		one := rule{matches: from.Matches, filters: from.Filters, timeouts: from.Timeouts}
		switch {
		case from.Retry != nil:
			one.wrong = "retry isn't supported"
		case from.SessionPersistence != nil:
			one.wrong = "sessionPersistence isn't supported"
		}
		for _, b := range from.BackendRefs {
			if len(b.Filters) > 0 {
				one.wrong = "filters of one backend aren't supported"
			}
			one.backends = append(one.backends, b.BackendRef)
		}
		made.rules = append(made.rules, one)
	}
	return made
}

// compare orders routes so that the older comes first (GEP-713, conflicts): by age, then
// by namespace and name.
func (r *anyRoute) compare(other *anyRoute) int {
	return cmp.Or(
		r.meta.CreationTimestamp.Compare(other.meta.CreationTimestamp.Time),
		cmp.Compare(r.name.String(), other.name.String()),
		cmp.Compare(r.kind, other.kind),
	)
}

// attachment is where a route's requests come from: hosts of listeners, by entrance.
type attachment struct {
	hosts     map[entrance][]string // none: all
	ports     map[entrance]int32    // of the first listener there
	listeners []*listener           // each once
}

// route makes what a route says, and what is to be said of it for each of its parents
// that is served here.
func (t *translation) route(r *anyRoute) {
	var statuses []gw.RouteParentStatus
	at := attachment{hosts: map[entrance][]string{}, ports: map[entrance]int32{}}
	var accepted []int // of statuses
	for _, parent := range r.parents {
		name := Name{Namespace: r.name.Namespace, Name: string(parent.Name)}
		if parent.Namespace != nil {
			name.Namespace = string(*parent.Namespace)
		}
		listeners, served := t.listeners[name]
		if !served || parent.Group != nil && *parent.Group != gw.GroupName || parent.Kind != nil && *parent.Kind != "Gateway" {
			continue // another one's
		}
		wrong := t.attach(r, parent, listeners, &at)
		status := gw.RouteParentStatus{ParentRef: parent, ControllerName: gw.GatewayController(t.Controller)}
		if wrong != nil {
			status.Conditions = append(status.Conditions, condition("Accepted", false, wrong.reason, wrong.message, r.meta.Generation))
		} else {
			accepted = append(accepted, len(statuses))
		}
		statuses = append(statuses, status)
	}
	if len(statuses) == 0 {
		return
	}
	made := t.rules(r, at)
	if made.served() { // it is accepted where it is attached
		for _, l := range at.listeners {
			l.attached++
		}
	}
	for i := range statuses {
		s := &statuses[i]
		if slices.Contains(accepted, i) {
			s.Conditions = append(s.Conditions, made.accepted(r.meta.Generation)...)
		}
		s.Conditions = append(s.Conditions, made.resolved(r.meta.Generation))
	}
	if r.kind == "HTTPRoute" {
		t.result.HTTP[r.name] = statuses
	} else {
		t.result.GRPC[r.name] = statuses
	}
}

// attach finds the listeners that a parent reference means. It says why there is none;
// nil: there is one.
func (t *translation) attach(r *anyRoute, parent gw.ParentReference, all []*listener, at *attachment) *refused {
	wrong, near := &refused{"NoMatchingParent", "the Gateway has no such listener"}, 0
	attached := false
	fails := func(why *refused, at int) { // the listener that came nearest says why
		if at > near {
			wrong, near = why, at
		}
	}
	for _, l := range all {
		if parent.SectionName != nil && *parent.SectionName != l.Name || parent.Port != nil && *parent.Port != l.Port {
			continue
		}
		if l.wrong != nil {
			fails(&refused{"NotAllowedByListeners", fmt.Sprintf("listener %s isn't served: %s", l.Name, l.wrong.message)}, 1)
			continue
		}
		if no := l.takes(t, r); no != nil {
			fails(no, 2)
			continue
		}
		hosts, ok := l.hosts(r)
		if !ok {
			fails(&refused{"NoMatchingListenerHostname", "no hostname of the route is one of the listener's"}, 3)
			continue
		}
		attached = true
		if !slices.Contains(at.listeners, l) {
			at.listeners = append(at.listeners, l)
		}
		if own := t.own(l, hosts); len(hosts) == 0 || len(own) > 0 {
			at.add(l, t.entrance(l), own)
		}
	}
	if attached {
		return nil
	}
	return wrong
}

// add adds the hosts of a listener.
func (a *attachment) add(l *listener, e entrance, hosts []string) {
	before, known := a.hosts[e]
	if !known {
		a.ports[e] = l.Port
	}
	if known && len(before) == 0 || len(hosts) == 0 {
		a.hosts[e] = nil // all
		return
	}
	for _, h := range hosts {
		if !slices.Contains(before, h) {
			before = append(before, h)
		}
	}
	a.hosts[e] = before
}

// outcome is what became of a route's rules.
type outcome struct {
	rules   int
	wrong   []string // of rules that can't be carried out
	dropped int      // how many those are
	refs    *refused // the first reference that can't be resolved; nil: all can
}

// served reports whether any of the route's rules is carried out, or it has none.
func (o *outcome) served() bool { return o.dropped == 0 || o.dropped < o.rules }

// accepted says whether the route is, and which of its rules aren't carried out.
func (o *outcome) accepted(generation int64) []metav1.Condition {
	message := strings.Join(o.wrong, "; ")
	switch {
	case o.dropped == 0:
		return []metav1.Condition{condition("Accepted", true, "Accepted", "the route is served", generation)}
	case !o.served():
		return []metav1.Condition{condition("Accepted", false, "UnsupportedValue", message, generation)}
	}
	return []metav1.Condition{
		condition("Accepted", true, "Accepted", "the route is served in part", generation),
		condition("PartiallyInvalid", true, "UnsupportedValue", "Dropped Rule: "+message, generation),
	}
}

func (o *outcome) resolved(generation int64) metav1.Condition {
	if o.refs != nil {
		return condition("ResolvedRefs", false, o.refs.reason, o.refs.message, generation)
	}
	return condition("ResolvedRefs", true, "ResolvedRefs", "all references are resolved", generation)
}
