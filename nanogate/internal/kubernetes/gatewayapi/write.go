package gatewayapi

import (
	"reflect"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	gw "sigs.k8s.io/gateway-api/apis/v1"

	"dyno.example/nanogate/internal/kubernetes"
)

// change is a status to be written.
type change struct {
	resource kubernetes.Resource
	name     Name
	object   runtime.Object
}

// changes are the statuses that are others than what there is. Those that say the same
// aren't written: gateways beside each other say the same.
func (f *Follower) changes(made *Result, now time.Time) (all []change) {
	for _, name := range sorted(made.Classes) {
		o := f.objects.Classes[name].DeepCopy()
		if o == nil { // it has gone meanwhile
			continue
		}
		conditions := since(o.Status.Conditions, made.Classes[name].Conditions, now)
		if !reflect.DeepEqual(conditions, o.Status.Conditions) {
			o.Status.Conditions = conditions
			all = append(all, change{resource: classes, name: name, object: o})
		}
	}
	for _, name := range sorted(made.Gateways) {
		o := f.objects.Gateways[name].DeepCopy()
		if o == nil {
			continue
		}
		before, next := o.Status, made.Gateways[name]
		said := slices.Clone(next.Conditions)
		for i := range said {
			if f.problem != nil && said[i].Type == "Programmed" {
				said[i] = condition("Programmed", false, "Invalid", f.problem.Error(), o.Generation)
			}
		}
		o.Status.Conditions = since(before.Conditions, said, now)
		o.Status.Addresses = next.Addresses
		o.Status.Listeners = nil
		for _, l := range next.Listeners {
			var old []metav1.Condition
			if at := slices.IndexFunc(before.Listeners, func(b gw.ListenerStatus) bool { return b.Name == l.Name }); at >= 0 {
				old = before.Listeners[at].Conditions
			}
			l.Conditions = since(old, l.Conditions, now)
			o.Status.Listeners = append(o.Status.Listeners, l)
		}
		if !reflect.DeepEqual(before, o.Status) {
			all = append(all, change{resource: gateways, name: name, object: o})
		}
	}
	for _, name := range sorted(f.objects.HTTPRoutes) {
		o := f.objects.HTTPRoutes[name]
		if next, other := f.parents(name.Namespace, o.Status.Parents, made.HTTP[name], now); other {
			o = o.DeepCopy()
			o.Status.Parents = next
			all = append(all, change{resource: httpRoutes, name: name, object: o})
		}
	}
	for _, name := range sorted(f.objects.GRPCRoutes) {
		o := f.objects.GRPCRoutes[name]
		if next, other := f.parents(name.Namespace, o.Status.Parents, made.GRPC[name], now); other {
			o = o.DeepCopy()
			o.Status.Parents = next
			all = append(all, change{resource: grpcRoutes, name: name, object: o})
		}
	}
	return all
}

// parents is what is to be said of the parents of a route in a namespace, and whether it
// is said already.
func (f *Follower) parents(namespace string, before, own []gw.RouteParentStatus, now time.Time) (next []gw.RouteParentStatus, other bool) {
	next = parents(before, own, f.settings.Controller, func(p *gw.ParentReference) bool {
		name := Name{Namespace: namespace, Name: string(p.Name)}
		if p.Namespace != nil {
			name.Namespace = string(*p.Namespace)
		}
		return slices.Contains(f.settings.Gateways, name)
	}, now)
	if len(next) == 0 && len(before) == 0 || reflect.DeepEqual(before, next) {
		return nil, false
	}
	if next == nil {
		next = []gw.RouteParentStatus{}
	}
	return next, true
}
