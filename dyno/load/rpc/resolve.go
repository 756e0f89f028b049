package rpc

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"dyno.example/dyno/load/request"
)

// Resolve finds the methods of those requests that are calls and don't have it yet.
// Files are read once; server, if its reflection is needed, says where it is, and nil
// leaves those requests as they are.
func Resolve(ctx context.Context, requests []request.Request, server func() (*Server, error)) error {
	read := make(map[string]*Services) // by where from
	for i := range requests {
		g := requests[i].GRPC
		if g == nil || g.Described() || g.Schema.Reflects() && server == nil {
			continue
		}
		key := fmt.Sprintf("%q", g.Schema)
		services := read[key]
		if services == nil {
			var err error
			if g.Schema.Reflects() {
				services, err = reflectAll(ctx, requests, server)
			} else {
				services, err = Read(ctx, &g.Schema)
			}
			if err != nil {
				return err
			}
			read[key] = services
		}
		method, err := services.Method(g.Method)
		if err != nil {
			return err
		}
		g.Describe(method)
	}
	return nil
}

// reflectAll fetches all services that need the server's reflection.
func reflectAll(ctx context.Context, requests []request.Request, server func() (*Server, error)) (*Services, error) {
	var names []string
	md := metadataOf(&request.Request{})
	for i := range requests {
		r := &requests[i]
		if r.GRPC == nil || !r.GRPC.Schema.Reflects() {
			continue
		}
		if service, _, _ := strings.Cut(r.GRPC.Method, "/"); !slices.Contains(names, service) {
			names = append(names, service)
		}
		if len(md) == 0 {
			md = constantMetadata(r)
		}
	}
	s, err := server()
	if err != nil {
		return nil, err
	}
	return s.Reflect(ctx, md, names...)
}

// constantMetadata is the metadata of a request that isn't a template: servers that
// authenticate calls may require it for reflection too.
func constantMetadata(r *request.Request) map[string][]string {
	constant := request.Request{}
	for _, h := range r.Headers {
		if !strings.Contains(h.Value, "{{") {
			constant.Headers = append(constant.Headers, h)
		}
	}
	if token, ok := strings.CutPrefix(r.Auth, "bearer "); ok && !strings.Contains(token, "{{") {
		constant.Headers = append(constant.Headers, request.Header{Name: "authorization", Value: "Bearer " + token})
	}
	return metadataOf(&constant)
}
