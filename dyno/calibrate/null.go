package calibrate

import (
	"slices"

	"google.golang.org/grpc/health/grpc_health_v1"

	"dyno.example/dyno/load"
	"dyno.example/dyno/load/request"
)

// nullRequest is what the null server is asked in place of a load's own requests, and
// whether that is a call over gRPC: it is if one of theirs is.
func nullRequest(spec *load.Spec) (r request.Request, calls bool) {
	if !slices.ContainsFunc(spec.Requests, func(r request.Request) bool { return r.GRPC != nil }) {
		return request.Request{Name: "null", Method: "GET", Path: "/"}, false
	}
	// Any unary method would do, and this one's types are at hand.
	call := &request.GRPC{Method: "grpc.health.v1.Health/Check"}
	call.Describe(grpc_health_v1.File_grpc_health_v1_health_proto.Services().ByName("Health").Methods().ByName("Check"))
	return request.NewGRPC(call, "{}"), true
}

// streamsMessages reports whether a request is a call with several messages, as far as
// is known before the server was asked.
func streamsMessages(r request.Request) bool {
	g := r.GRPC
	return g != nil && (g.Messages > 0 || g.Responses > 0 || g.Unit == request.UnitMessage || g.Described() && (g.Streams() || g.PerMessage()))
}
