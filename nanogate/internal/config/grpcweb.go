package config

import (
	"slices"
	"strings"

	"dyno.example/nano/wire/grpc"
)

// admitGRPCWeb adds what calls over gRPC-Web need to what is allowed: their fields, if
// only some are, and that scripts may read the status of a response that is nothing else.
func (c *CORS) admitGRPCWeb() {
	c.Methods = withAll(c.Methods, "POST")
	if len(c.Headers) > 0 {
		c.Headers = withAll(c.Headers, "content-type", "x-grpc-web", "x-user-agent", grpc.FieldTimeout)
	}
	c.Expose = withAll(c.Expose, grpc.FieldStatus, grpc.FieldMessage, grpc.FieldDetails)
}

// withAll adds those names to a list that aren't in it.
func withAll(list []string, names ...string) []string {
	for _, name := range names {
		if !slices.ContainsFunc(list, func(one string) bool { return strings.EqualFold(one, name) }) {
			list = append(list, name)
		}
	}
	return list
}

// linkGRPCWeb sees to it that calls over gRPC-Web go to who may speak gRPC.
func linkGRPCWeb(in *input, routes []*Route, byName map[string]*Upstream) {
	for _, r := range routes {
		if !r.GRPCWeb {
			continue
		}
		for i := range r.To {
			u := r.To[i].Direct
			if u == nil {
				u = byName[r.To[i].Upstream]
			}
			if u == nil || u.TLS != nil {
				continue
			}
			for _, e := range u.Endpoints {
				if a := e.Address; !a.HTTP2 && !a.TLS {
					in.Problems = append(in.Problems, r.To[i].At.Problem("write h2c://"+a.String()+", or https://", "grpc-web needs endpoints that speak HTTP/2, and %s doesn't", form.Quote(a.String())))
				}
			}
		}
	}
}
