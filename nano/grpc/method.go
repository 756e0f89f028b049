package grpc

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"dyno.example/nano"
)

// method is one method of a service.
type method struct {
	server *Server
	name   string // "/package.Service/Method"
	impl   any
	unary  grpc.MethodHandler
	stream *grpc.StreamDesc // nil: it is unary
	info   grpc.StreamServerInfo
}

func (s *Server) method(service, name string, impl any) *method {
	return &method{server: s, name: "/" + service + "/" + name, impl: impl}
}

// serveUnary is the route's handler of a unary method.
func (m *method) serveUnary(c nano.Ctx) error {
	k := &call{server: m.server, method: m, c: c}
	if err := k.accept(); err != nil {
		return err
	}
	defer k.over()
	if k.wrong != nil {
		return k.finish(k.wrong)
	}
	reply, err := k.handle()
	if err == nil {
		err = k.reply(reply)
	}
	return k.finish(err)
}

// handle runs the unary handler.
func (k *call) handle() (reply any, err error) {
	defer k.caught(&err)
	return k.method.unary(k.method.impl, k, k.s.decode, k.server.unary)
}

// serveStream is the route's handler of a method with a stream of messages in either
// direction, or both.
func (m *method) serveStream(c nano.Ctx) error {
	s := &serverStream{call: call{server: m.server, method: m, c: c}}
	if err := s.accept(); err != nil {
		return err
	}
	defer s.over()
	if s.wrong != nil {
		return s.finish(s.wrong)
	}
	s.begin()
	defer s.stop()
	err := s.handle()
	s.stop()
	return s.finish(err)
}

// handle runs the stream's handler.
func (s *serverStream) handle() (err error) {
	defer s.caught(&err)
	m := s.method
	if in := s.server.stream; in != nil {
		return in(m.impl, s, &m.info, m.stream.Handler)
	}
	return m.stream.Handler(m.impl, s)
}

// caught makes a status of a handler's panic, which costs only its own call.
func (k *call) caught(err *error) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler { // it wants the stream reset
		panic(p)
	}
	k.server.options.Logger.Error("handler panicked", "method", k.method.name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	*err = status.Error(codes.Internal, "the handler panicked")
}

// serveUnknown responds to calls of methods that the service doesn't have.
func (m *method) serveUnknown(c nano.Ctx) error {
	k := &call{server: m.server, method: m, c: c}
	if err := k.accept(); err != nil {
		return err
	}
	defer k.over()
	service, name, _ := strings.Cut(strings.TrimPrefix(c.Path().String(), "/"), "/")
	if _, known := m.server.services[service]; !known {
		return k.finish(status.Errorf(codes.Unimplemented, "unknown service %s", service))
	}
	return k.finish(status.Errorf(codes.Unimplemented, "unknown method %s for service %s", name, service))
}

// chainUnary makes one interceptor of several; nil of none.
func chainUnary(all []grpc.UnaryServerInterceptor) grpc.UnaryServerInterceptor {
	if len(all) <= 1 {
		return first(all)
	}
	rest := chainUnary(all[1:])
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		return all[0](ctx, req, info, func(ctx context.Context, req any) (any, error) { return rest(ctx, req, info, handler) })
	}
}

// chainStream is the same for streams.
func chainStream(all []grpc.StreamServerInterceptor) grpc.StreamServerInterceptor {
	if len(all) <= 1 {
		return first(all)
	}
	rest := chainStream(all[1:])
	return func(impl any, s grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		return all[0](impl, s, info, func(impl any, s grpc.ServerStream) error { return rest(impl, s, info, handler) })
	}
}

func first[T any](all []T) (f T) {
	if len(all) > 0 {
		f = all[0]
	}
	return f
}
