package config

import (
	"slices"
	"strings"
	"time"
)

// GRPCJSON has a route's requests, which are HTTP with JSON, made calls over gRPC.
type GRPCJSON struct {
	At           At
	Descriptors  string // file of what describes the services; or
	Reflection   bool   // the upstream is asked
	ReflectionAt At
	Services     []string      // of those, "package.Service"; none: all that have rules
	Refresh      time.Duration // how often the upstream is asked

	PreserveNames bool       // fields have the names of the .proto file, not those in lowerCamelCase
	EnumNumbers   bool       // values of enums are numbers
	IgnoreUnknown bool       // members and parameters that no field has are left out, not refused
	Defaults      bool       // fields that aren't set are written too
	Stream        StreamForm // of responses of several messages
	Most          int        // bytes of a message, as JSON and as gRPC has it
	OpenAPI       string     // path of the document that describes it; "": none
	AllCalls      bool       // calls over gRPC itself pass whatever their method, not only those that have rules
}

// StreamForm is how a response of several messages is written.
type StreamForm uint8

const (
	StreamAccept StreamForm = iota // as the client's Accept says, a message a line without one
	StreamNDJSON                   // a message a line
	StreamSSE                      // as server-sent events
)

var streamForms = []string{"accept", "ndjson", "sse"}

func readGRPCJSON(p place) *GRPCJSON {
	g := &GRPCJSON{At: p.At(), Refresh: time.Minute, Most: 1 << 20}
	found := readFields(p, g, []known[GRPCJSON]{
		// File that describes the services, as `protoc --descriptor_set_out` writes it. Exactly one
		// of this and `reflection` is needed.
		{"descriptors", func(g *GRPCJSON, p place) { g.Descriptors = p.path() }},
		// The upstream is asked for its services. Default: `false`
		{"reflection", func(g *GRPCJSON, p place) { g.Reflection, g.ReflectionAt = p.Boolean(), p.At() }},
		// Services such as `users.v1.Users`. Default: all that have rules
		{"services", func(g *GRPCJSON, p place) { g.Services = readServices(p) }},
		// How often the upstream is asked, with `reflection`.
		{"refresh", func(g *GRPCJSON, p place) { g.Refresh = p.Duration(time.Second, 24*time.Hour) }},
		// JSON has the names of the .proto file, not those in lowerCamelCase. Default: `false`
		{"preserve-names", func(g *GRPCJSON, p place) { g.PreserveNames = p.Boolean() }},
		// How values of enums are written. Default: `names`
		{"enums", func(g *GRPCJSON, p place) { g.EnumNumbers = p.word("names", "numbers") == "numbers" }},
		// Whether members and parameters that no field has are refused. Default: `refuse`
		{"unknown-fields", func(g *GRPCJSON, p place) { g.IgnoreUnknown = p.word("refuse", "ignore") == "ignore" }},
		// Fields that aren't set are written too. Default: `false`
		{"defaults", func(g *GRPCJSON, p place) { g.Defaults = p.Boolean() }},
		// How a response of several messages is written: as the client's Accept says, a message a
		// line, or server-sent events. Default: `accept`
		{"stream", func(g *GRPCJSON, p place) {
			g.Stream = StreamForm(max(0, indexOf(streamForms, p.word(streamForms...))))
		}},
		// Bytes of a message, as JSON and as gRPC has it.
		{"message", func(g *GRPCJSON, p place) { g.Most = int(p.size(1, 64<<20)) }},
		// Which calls over gRPC itself pass: those with rules, or all. Default: `exposed`
		{"calls", func(g *GRPCJSON, p place) { g.AllCalls = p.word("exposed", "all") == "all" }},
		// Path of the OpenAPI document that describes the routes. Default: none
		{"openapi", func(g *GRPCJSON, p place) { g.OpenAPI = readHealthPath(p) }},
	})
	if p.IsMapping() && (g.Descriptors != "") == g.Reflection {
		p.Problem("such as descriptors: ./api.pb, written by protoc --include_imports --descriptor_set_out=api.pb, or reflection: true", "grpc-json needs to know the services from exactly one of descriptors and reflection")
	}
	if at, ok := found["refresh"]; ok && !g.Reflection {
		at.Problem("remove it: a file is looked at every two seconds", "refresh goes with reflection")
	}
	return g
}

func readServices(p place) (names []string) {
	for _, item := range p.list() {
		name := item.text()
		switch {
		case name == "":
		case strings.ContainsAny(name, "/ ") || strings.HasPrefix(name, "."):
			item.Problem("such as users.v1.Users", "expected the full name of a service, got %s", form.Quote(name))
		case slices.Contains(names, name):
			item.Problem("remove one of them", "the service is named twice")
		default:
			names = append(names, name)
		}
	}
	if len(names) == 0 && p.IsList() {
		p.Problem("remove it, which means all services that have rules", "the list is empty")
	}
	return names
}

// checkGRPCJSON holds it against the rest of its route.
func (r *Route) checkGRPCJSON(found map[string]place) {
	if r.GRPCJSON == nil {
		return
	}
	if at, ok := found["rewrite"]; ok {
		at.Problem("remove it", "the path of a call over gRPC is its method's, which grpc-json finds")
	}
	if at, ok := found["cache"]; ok {
		at.Problem("remove it", "responses that grpc-json makes of calls are not stored")
	}
	if r.Deadline != nil && r.Deadline.Header != "grpc-timeout" {
		found["deadline"].Problem("remove it, or write deadline: grpc-timeout", "calls over gRPC are told by grpc-timeout how much time there is")
	}
}

// linkGRPCJSON sees to it that calls are sent to who speaks HTTP/2.
func linkGRPCJSON(in *input, routes []*Route, byName map[string]*Upstream) {
	for _, r := range routes {
		if r.GRPCJSON == nil {
			continue
		}
		for _, t := range r.targets() {
			u := t.Direct
			if u == nil {
				u = byName[t.Upstream]
			}
			if u == nil {
				continue // which is said elsewhere
			}
			for _, e := range u.Endpoints {
				if !e.Address.HTTP2 && !e.Address.TLS && u.TLS == nil {
					hint := "write h2c://" + e.Address.String()
					if e.Address.Unix != "" {
						hint = "have the server listen on a port, and write h2c://127.0.0.1:9000"
					}
					in.Problems = append(in.Problems, e.At.Problem(hint, "gRPC needs HTTP/2, and the route %s sends calls here over HTTP/1.1", form.Quote(r.Name)))
				}
			}
		}
	}
}
