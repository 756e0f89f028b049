package gatewayapi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	gw "sigs.k8s.io/gateway-api/apis/v1"

	"dyno.example/nanogate/internal/config"
)

// unresolved notes a reference that can't be resolved; the first one is told.
func (o *outcome) unresolved(no *refused) {
	if o.refs == nil {
		o.refs = no
	}
}

// backends makes where a rule's requests go. The share of those backends that can't be
// resolved gets 500, all if there is no other.
func (t *translation) backends(r *anyRoute, from *rule, made *config.Route, o *outcome) {
	valid, invalid := 0, 0
	for i := range from.backends {
		b := &from.backends[i]
		weight := 1
		if b.Weight != nil {
			weight = int(*b.Weight)
		}
		name, no := t.backend(r, &b.BackendObjectReference)
		if no != nil {
			o.unresolved(no)
			invalid += weight
			continue
		}
		send(made, name, weight)
		valid += weight
	}
	if valid == 0 {
		changed := made.Response
		respond(made, 500)
		made.Response = changed
		return
	}
	if invalid > 0 {
		made.Fault = &config.Fault{Abort: 500, AbortShare: float64(invalid) / float64(valid+invalid)}
	}
}

// send adds to the share of a route's requests that an upstream gets.
func send(r *config.Route, upstream string, weight int) {
	const most = 1_000_000
	at := slices.IndexFunc(r.To, func(t config.Target) bool { return t.Upstream == upstream })
	if at < 0 {
		at = len(r.To)
		r.To = append(r.To, config.Target{At: r.At, Upstream: upstream})
	}
	r.To[at].Weight = min(r.To[at].Weight+weight, most)
}

// backend finds the upstream of a reference to a Service.
func (t *translation) backend(r *anyRoute, ref *gw.BackendObjectReference) (upstream string, no *refused) {
	if ref.Group != nil && *ref.Group != "" || ref.Kind != nil && *ref.Kind != "Service" {
		kind := "Service"
		if ref.Kind != nil {
			kind = string(*ref.Kind)
		}
		return "", &refused{"InvalidKind", fmt.Sprintf("backends of the kind %s aren't supported", kind)}
	}
	name := Name{Namespace: r.name.Namespace, Name: string(ref.Name)}
	if ref.Namespace != nil {
		name.Namespace = string(*ref.Namespace)
	}
	if name.Namespace != r.name.Namespace && !t.granted(reference{r.kind, r.name.Namespace, "Service", name}) {
		return "", &refused{"RefNotPermitted", fmt.Sprintf("no ReferenceGrant in %s allows routes of %s to refer to the Service %s", name.Namespace, r.name.Namespace, name.Name)}
	}
	service, there := t.Services[name]
	named, open := service[deref(ref.Port)]
	switch {
	case !there:
		return "", &refused{"BackendNotFound", fmt.Sprintf("there is no Service %s", name)}
	case ref.Port == nil:
		return "", &refused{"BackendNotFound", fmt.Sprintf("which port of the Service %s?", name)}
	case !open:
		return "", &refused{"BackendNotFound", fmt.Sprintf("the Service %s has no TCP port %d", name, *ref.Port)}
	}
	port := strconv.Itoa(int(*ref.Port))
	upstream = "kubernetes." + name.Namespace + "." + name.Name + "." + port
	if strings.Trim(named, "0123456789") != "" { // by its name it is found without another look at the Service
		port = named
	}
	protocol := config.TalkAsTold
	if r.kind == "GRPCRoute" {
		upstream += ".h2c"
		protocol = config.TalkH2C
	}
	if t.upstreams[upstream] == nil {
		at := config.At{Path: "Service " + name.String(), Field: "spec.ports"}
		u := config.NewUpstream(at, upstream)
		u.Kubernetes = &config.Kubernetes{At: at, Cluster: t.Cluster, Namespace: name.Namespace, Service: name.Name, Port: port, Protocol: protocol}
		if problems := u.Problems(); len(problems) > 0 {
			return "", &refused{"BackendNotFound", problems[0].Message.String()}
		}
		t.upstreams[upstream] = u
	}
	return upstream, nil
}

// reference is one into another namespace.
type reference struct {
	kind, namespace string // of who refers, of the Gateway API
	toKind          string // of the core API
	to              Name
}

// granted reports whether a ReferenceGrant allows a reference.
func (t *translation) granted(r reference) bool {
	for _, g := range t.Grants {
		if g.Namespace != r.to.Namespace {
			continue
		}
		from, to := false, false
		for _, f := range g.Spec.From {
			from = from || f.Group == gw.GroupName && string(f.Kind) == r.kind && string(f.Namespace) == r.namespace
		}
		for _, o := range g.Spec.To {
			to = to || o.Group == "" && string(o.Kind) == r.toKind && (o.Name == nil || *o.Name == "" || string(*o.Name) == r.to.Name)
		}
		if from && to {
			return true
		}
	}
	return false
}
