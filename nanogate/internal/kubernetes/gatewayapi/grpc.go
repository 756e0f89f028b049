package gatewayapi

import (
	gw "sigs.k8s.io/gateway-api/apis/v1"
)

// fromGRPC reads a GRPCRoute as the HTTPRoute that means the same: a method is a path.
func fromGRPC(r *gw.GRPCRoute) *anyRoute {
	made := &anyRoute{kind: "GRPCRoute", name: Name{Namespace: r.Namespace, Name: r.Name}, meta: &r.ObjectMeta, parents: r.Spec.ParentRefs, hostnames: r.Spec.Hostnames}
	for i := range r.Spec.Rules {
		from := &r.Spec.Rules[i]
		one := rule{}
		if from.SessionPersistence != nil {
			one.wrong = "sessionPersistence isn't supported"
		}
		for _, m := range from.Matches {
			match, wrong := fromMethod(m.Method)
			if wrong != "" {
				one.lost = wrong
				continue
			}
			for _, h := range m.Headers {
				header := gw.HTTPHeaderMatch{Name: gw.HTTPHeaderName(h.Name), Value: h.Value}
				if h.Type != nil {
					header.Type = new(gw.HeaderMatchType(*h.Type))
				}
				match.Headers = append(match.Headers, header)
			}
			one.matches = append(one.matches, match)
		}
		for _, f := range from.Filters {
			one.filters = append(one.filters, gw.HTTPRouteFilter{
				Type: gw.HTTPRouteFilterType(f.Type), RequestHeaderModifier: f.RequestHeaderModifier,
				ResponseHeaderModifier: f.ResponseHeaderModifier, RequestMirror: f.RequestMirror,
			})
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

// fromMethod is the match of the calls of a method.
func fromMethod(m *gw.GRPCMethodMatch) (made gw.HTTPRouteMatch, wrong string) {
	if m == nil {
		return made, ""
	}
	if m.Type != nil && *m.Type != gw.GRPCMethodMatchExact {
		return made, "a match of methods by " + string(*m.Type) + " isn't supported"
	}
	switch service, method := deref(m.Service), deref(m.Method); {
	case service == "" && method == "":
	case service == "":
		return made, "a method without its service isn't supported"
	case method == "":
		made.Path = &gw.HTTPPathMatch{Type: new(gw.PathMatchPathPrefix), Value: new("/" + service)}
	default:
		made.Path = &gw.HTTPPathMatch{Type: new(gw.PathMatchExact), Value: new("/" + service + "/" + method)}
	}
	return made, ""
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
