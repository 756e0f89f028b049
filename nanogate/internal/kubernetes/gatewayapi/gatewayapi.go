// Package gatewayapi makes routes and upstreams of what stands in Kubernetes as resources
// of the Gateway API (gateway.networking.k8s.io), and says in their status what became of
// them: what isn't carried out has a condition that says so.
//
// [Translate] is a pure function of all objects at one moment; [Follower] reads them, has
// what it makes of them served, and writes statuses back.
package gatewayapi

import (
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gw "sigs.k8s.io/gateway-api/apis/v1"
	grants "sigs.k8s.io/gateway-api/apis/v1beta1"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/secure"
)

// Name is where an object stands.
type Name = types.NamespacedName

// Objects is what there is, at one moment.
type Objects struct {
	Classes    map[Name]*gw.GatewayClass
	Gateways   map[Name]*gw.Gateway
	HTTPRoutes map[Name]*gw.HTTPRoute
	GRPCRoutes map[Name]*gw.GRPCRoute
	Grants     map[Name]*grants.ReferenceGrant
	Services   map[Name]Service
	Namespaces map[Name]map[string]string // labels
	Secrets    map[Name]*Secret           // of those that are wanted, see [Result]; nil: it isn't read yet
}

func newObjects() *Objects {
	return &Objects{
		Classes: map[Name]*gw.GatewayClass{}, Gateways: map[Name]*gw.Gateway{}, HTTPRoutes: map[Name]*gw.HTTPRoute{}, GRPCRoutes: map[Name]*gw.GRPCRoute{},
		Grants: map[Name]*grants.ReferenceGrant{}, Services: map[Name]Service{}, Namespaces: map[Name]map[string]string{}, Secrets: map[Name]*Secret{},
	}
}

// Service is what of a Service is used: the names of its TCP ports.
type Service map[int32]string

// Settings are what the gateway's own configuration says.
type Settings struct {
	Controller  string
	Gateways    []Name // whose routes are served
	Addresses   []string
	Ports       []int32  // that are listened on
	Plain       bool     // an address is listened on without TLS
	Secure      bool     // one is with it
	FromSecrets bool     // and certificates of Secrets are shown there
	Identity    []string // fields that say who somebody is, as the file has it
	Cluster     config.KubernetesCluster
}

// Result is what was made of objects.
type Result struct {
	Addition config.Addition                 // routes and upstreams
	Classes  map[Name]*gw.GatewayClassStatus // of those for this controller
	Gateways map[Name]*gw.GatewayStatus      // of those that are served
	HTTP     map[Name][]gw.RouteParentStatus // of the routes that belong to one of them
	GRPC     map[Name][]gw.RouteParentStatus
	Missing  []string // Gateways that can't be served, and why

	Certificates []secure.Bound // of the listeners
	Wanted       []Name         // Secrets that have to be read for them
	Pending      bool           // one of these isn't read yet
}

// translation is one in the making.
type translation struct {
	*Objects
	Settings
	result    *Result
	listeners map[Name][]*listener
	wanted    map[Name]bool // Secrets
	apart     bool          // listeners are told from each other by their ports too
	upstreams map[string]*config.Upstream
}

// Translate makes routes and upstreams, and what is to be said of all objects.
func Translate(o *Objects, s Settings) *Result {
	t := &translation{Objects: o, Settings: s, listeners: map[Name][]*listener{}, wanted: map[Name]bool{}, upstreams: map[string]*config.Upstream{}, result: &Result{
		Classes: map[Name]*gw.GatewayClassStatus{}, Gateways: map[Name]*gw.GatewayStatus{},
		HTTP: map[Name][]gw.RouteParentStatus{}, GRPC: map[Name][]gw.RouteParentStatus{},
	}}
	for name, class := range o.Classes {
		if string(class.Spec.ControllerName) == s.Controller {
			t.result.Classes[name] = &gw.GatewayClassStatus{Conditions: []metav1.Condition{
				condition("Accepted", true, "Accepted", "nanogate serves Gateways of this class", class.Generation),
			}}
		}
	}
	t.apart = t.portsHeld()
	for _, name := range s.Gateways {
		g := o.Gateways[name]
		switch {
		case g == nil:
			t.result.Missing = append(t.result.Missing, fmt.Sprintf("there is no Gateway %s", name))
		case t.result.Classes[Name{Name: string(g.Spec.GatewayClassName)}] == nil:
			t.result.Missing = append(t.result.Missing, fmt.Sprintf("Gateway %s is of the class %s, which isn't there or names another controller than %s", name, g.Spec.GatewayClassName, s.Controller))
		default:
			t.listeners[name] = t.listen(g)
			if no := unfit(g); no != nil {
				t.result.Missing = append(t.result.Missing, fmt.Sprintf("Gateway %s: %s", name, no.message))
			}
		}
	}
	for _, r := range t.routes() {
		t.route(r)
	}
	t.isolate()
	for name, all := range t.listeners {
		t.result.Gateways[name] = t.gatewayStatus(o.Gateways[name], all)
	}
	for _, name := range slices.Sorted(maps.Keys(t.upstreams)) {
		t.result.Addition.Upstreams = append(t.result.Addition.Upstreams, t.upstreams[name])
	}
	return t.result
}

// routes are all routes, in the order in which the older wins: of the same age by name.
func (t *translation) routes() []*anyRoute {
	var all []*anyRoute
	for _, r := range t.HTTPRoutes {
		all = append(all, fromHTTP(r))
	}
	for _, r := range t.GRPCRoutes {
		all = append(all, fromGRPC(r))
	}
	slices.SortFunc(all, func(a, b *anyRoute) int { return a.compare(b) })
	return all
}

// sorted are the values of a map in the order of their keys' texts.
func sorted[V any](m map[Name]V) []Name {
	return slices.SortedFunc(maps.Keys(m), func(a, b Name) int {
		if a.String() < b.String() {
			return -1
		}
		return 1
	})
}
