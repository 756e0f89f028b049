package gatewayapi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	gw "sigs.k8s.io/gateway-api/apis/v1"
)

// listener is one of a Gateway's.
type listener struct {
	*gw.Listener
	gateway  Name
	kinds    []string // of routes that it takes
	wrong    *refused // why it isn't served; nil: it is
	refs     *refused // what of it can't be resolved
	unready  string   // why nobody can be served at it, though routes belong to it; "": they can
	attached int32
}

// refused is a condition that is false: its reason as the API has it, and in words.
type refused struct{ reason, message string }

// kindsOf are the kinds of routes that are carried out.
var kindsOf = []string{"HTTPRoute", "GRPCRoute"}

// portsHeld reports whether each port of a listener is one that is listened on. Where it
// isn't, as behind a Service that has other ports than its pods, what came to which listener
// isn't known.
func (t *translation) portsHeld() bool {
	for _, name := range t.Settings.Gateways {
		if g := t.Objects.Gateways[name]; g != nil {
			for i := range g.Spec.Listeners {
				if l := &g.Spec.Listeners[i]; (l.Protocol == gw.HTTPProtocolType || l.Protocol == gw.HTTPSProtocolType) && !slices.Contains(t.Ports, l.Port) {
					return false
				}
			}
		}
	}
	return true
}

// listen looks at the listeners of a Gateway. Which addresses are listened on is the
// file's business: listeners differ by protocol and hostname, and by port if those are
// listened on.
func (t *translation) listen(g *gw.Gateway) (all []*listener) {
	for i := range g.Spec.Listeners {
		l := &listener{Listener: &g.Spec.Listeners[i], gateway: Name{Namespace: g.Namespace, Name: g.Name}}
		l.allowKinds()
		switch l.Protocol {
		case gw.HTTPProtocolType:
			if !t.Plain {
				l.wrong = &refused{"PortUnavailable", "the gateway's file listens on no address without TLS"}
			}
		case gw.HTTPSProtocolType:
			l.secure(t)
		default:
			l.wrong = &refused{"UnsupportedProtocol", fmt.Sprintf("nanogate serves HTTP and HTTPS, not %s", l.Protocol)}
			l.kinds, l.refs = nil, nil // no kind of route goes with it
		}
		if no := unfit(g); no != nil && l.wrong == nil {
			l.wrong = &refused{"Invalid", no.message}
		}
		for _, other := range all {
			if l.wrong == nil && other.wrong == nil && other.Protocol == l.Protocol && other.hostname() == l.hostname() && (!t.apart || other.Port == l.Port) {
				l.wrong = &refused{"PortUnavailable", fmt.Sprintf("listener %s has the same protocol and hostname: which port a request came to makes a difference only if the gateway's file listens on all of the listeners' ports", other.Name)}
			}
		}
		if l.wrong == nil && l.TLS != nil && len(l.TLS.CertificateRefs) > 0 {
			l.certify(t)
		}
		all = append(all, l)
	}
	return all
}

// unfit says why a Gateway can't be served, whatever its listeners are; nil: it can. There
// are no parameters of nanogate's, and without them a Gateway isn't what its owner means
// (GatewayInfrastructure's documentation).
func unfit(g *gw.Gateway) *refused {
	if i := g.Spec.Infrastructure; i != nil && i.ParametersRef != nil {
		return &refused{"InvalidParameters", fmt.Sprintf("parameters of the kind %s of %s aren't supported", i.ParametersRef.Kind, i.ParametersRef.Group)}
	}
	for i := range g.Spec.Addresses {
		if kind := g.Spec.Addresses[i].Type; kind != nil && *kind != gw.IPAddressType && *kind != gw.HostnameAddressType {
			return &refused{"UnsupportedAddress", fmt.Sprintf("an address of the type %s isn't supported", *kind)}
		}
	}
	return nil
}

// secure looks at a listener with TLS. One that names no certificates has the file's.
func (l *listener) secure(t *translation) {
	switch tls := l.TLS; {
	case !t.Secure:
		l.wrong = &refused{"PortUnavailable", "the gateway's file listens on no address with TLS"}
	case tls == nil:
	case tls.Mode != nil && *tls.Mode != gw.TLSModeTerminate:
		l.wrong = &refused{"UnsupportedValue", fmt.Sprintf("TLS of the mode %s isn't supported", *tls.Mode)}
	}
}

// allowKinds finds which kinds of routes a listener takes.
func (l *listener) allowKinds() {
	if l.AllowedRoutes == nil || len(l.AllowedRoutes.Kinds) == 0 {
		l.kinds = kindsOf
		return
	}
	for _, k := range l.AllowedRoutes.Kinds {
		if (k.Group == nil || *k.Group == gw.GroupName) && slices.Contains(kindsOf, string(k.Kind)) {
			l.kinds = append(l.kinds, string(k.Kind))
		} else {
			l.refs = &refused{"InvalidRouteKinds", fmt.Sprintf("routes of the kind %s aren't supported", k.Kind)}
		}
	}
}

func (l *listener) hostname() string {
	if l.Hostname == nil {
		return ""
	}
	return strings.ToLower(string(*l.Hostname))
}

// entrance tells, together with its hostname, which listeners a request came to.
type entrance struct {
	scheme string
	port   int32 // 0: any
}

// entrance is that of the requests that come to a listener.
func (t *translation) entrance(l *listener) entrance {
	e := entrance{scheme: "http"}
	if l.Protocol == gw.HTTPSProtocolType {
		e.scheme = "https"
	}
	if t.apart {
		e.port = l.Port
	}
	return e
}

// entrances are those of all listeners that are served.
func (t *translation) entrances() (all []entrance) {
	for _, name := range sorted(t.listeners) {
		for _, l := range t.listeners[name] {
			if e := t.entrance(l); l.wrong == nil && !slices.Contains(all, e) {
				all = append(all, e)
			}
		}
	}
	slices.SortFunc(all, func(a, b entrance) int { return cmp.Or(cmp.Compare(a.scheme, b.scheme), cmp.Compare(a.port, b.port)) })
	return all
}

// takes says why a route isn't allowed at a listener; nil: it is.
func (l *listener) takes(t *translation, r *anyRoute) *refused {
	if !slices.Contains(l.kinds, r.kind) {
		return &refused{"NotAllowedByListeners", "the listener takes no routes of the kind " + r.kind}
	}
	from, selector := gw.NamespacesFromSame, (*metav1.LabelSelector)(nil)
	if a := l.AllowedRoutes; a != nil && a.Namespaces != nil {
		selector = a.Namespaces.Selector
		if a.Namespaces.From != nil {
			from = *a.Namespaces.From
		}
	}
	allowed := false
	switch from {
	case gw.NamespacesFromAll:
		allowed = true
	case gw.NamespacesFromSame:
		allowed = r.name.Namespace == l.gateway.Namespace
	case gw.NamespacesFromSelector:
		if s, err := metav1.LabelSelectorAsSelector(selector); err == nil {
			allowed = s.Matches(labels.Set(t.Namespaces[Name{Name: r.name.Namespace}]))
		}
	}
	if !allowed {
		return &refused{"NotAllowedByListeners", "the listener takes no routes of the namespace " + r.name.Namespace}
	}
	return nil
}

// hosts are those of a listener that a route is for; none with ok: all.
func (l *listener) hosts(r *anyRoute) (all []string, ok bool) {
	own := l.hostname()
	if len(r.hostnames) == 0 {
		if own == "" {
			return nil, true
		}
		return []string{own}, true
	}
	for _, h := range r.hostnames {
		if both := intersection(own, strings.ToLower(string(h))); both != "" {
			all = append(all, both)
		}
	}
	return all, len(all) > 0
}

// intersection is the hostname that requests for both are for; "": there is none. a may
// be "", which is all.
func intersection(a, b string) string {
	switch {
	case a == "" || a == b:
		return b
	case below(b, a):
		return b
	case below(a, b):
		return a
	}
	return ""
}

// below reports whether a hostname is one that a wildcard stands for.
func below(name, wildcard string) bool {
	suffix, ok := strings.CutPrefix(wildcard, "*")
	return ok && name != wildcard && strings.HasSuffix(strings.TrimPrefix(name, "*"), suffix) && len(name) > len(suffix)
}
