package contract

import "google.golang.org/grpc/codes"

// GRPC is what manifests call gRPC, next to the protocols that have an ALPN name.
const GRPC = "grpc"

// Call is one gRPC call that a subject must serve, and its response. Messages are JSON
// as [DecodeJSON] gives it.
type Call struct {
	Name   string
	Method string // "package.Service/Method"
	Send   []any
	Expect CallExpect
}

// CallExpect is the right response to a call.
type CallExpect struct {
	Status   codes.Code
	Says     string // what the status' message begins with
	Messages []any
}

func (c *Call) title() string { return c.Method + " (" + c.Name + ")" }
