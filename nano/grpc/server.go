package grpc

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"

	"dyno.example/nano"
)

// Options are how calls are served. The zero value is safe.
type Options struct {
	// MaxRecv is the largest message that is taken, in bytes, also after decompression;
	// default 4 MiB. A larger one fails with RESOURCE_EXHAUSTED.
	MaxRecv int
	// MaxSend is the largest message that is sent, in bytes; default 2 GiB - 1.
	MaxSend int
	// Unary and Stream are interceptors of handlers, the first one outermost.
	Unary  []grpc.UnaryServerInterceptor
	Stream []grpc.StreamServerInterceptor
	// Codec reads and writes all messages, whatever format the client names. Without
	// it the client chooses among the codecs that are registered with
	// google.golang.org/grpc/encoding, of which Protocol Buffers' is always there.
	Codec encoding.CodecV2
	// Logger gets panics of handlers; the default is slog.Default().
	Logger *slog.Logger
}

// Routes is where methods are registered: a [nano.App] or a [nano.Group].
type Routes interface {
	Post(pattern string, h nano.Handler, o ...nano.Option) *nano.Route
}

// Server is what services are registered with: a [grpc.ServiceRegistrar]. It has to be
// done before the app serves.
type Server struct {
	routes   Routes
	options  Options
	services map[string]grpc.ServiceInfo
	unary    grpc.UnaryServerInterceptor  // of all of Options; nil: none
	stream   grpc.StreamServerInterceptor // the same
	codecs   codecs
	spare    sync.Pool // of *scratch
}

var _ grpc.ServiceRegistrar = (*Server)(nil)

// NewServer returns a server without services, whose methods become routes. A group
// with a prefix serves clients that put it before method names, which most can't.
func NewServer(routes Routes, o Options) *Server {
	o.MaxRecv = cmp.Or(o.MaxRecv, 4<<20)
	o.MaxSend = cmp.Or(o.MaxSend, math.MaxInt32)
	o.Logger = cmp.Or(o.Logger, slog.Default())
	s := &Server{
		routes: routes, options: o, services: map[string]grpc.ServiceInfo{},
		unary: chainUnary(o.Unary), stream: chainStream(o.Stream), codecs: newCodecs(o.Codec),
	}
	s.spare.New = func() any { return newScratch() }
	return s
}

// RegisterService implements [grpc.ServiceRegistrar]. It panics if impl isn't what the
// service needs, or if the service is registered already.
func (s *Server) RegisterService(desc *grpc.ServiceDesc, impl any) {
	if impl != nil {
		if want, has := reflect.TypeOf(desc.HandlerType).Elem(), reflect.TypeOf(impl); !has.Implements(want) {
			panic(fmt.Sprintf("grpc: %v does not implement %v, which service %s needs", has, want, desc.ServiceName))
		}
	}
	if _, twice := s.services[desc.ServiceName]; twice {
		panic("grpc: service " + desc.ServiceName + " is registered already")
	}
	info := grpc.ServiceInfo{Metadata: desc.Metadata}
	for i := range desc.Methods {
		d := &desc.Methods[i]
		info.Methods = append(info.Methods, grpc.MethodInfo{Name: d.MethodName})
		m := s.method(desc.ServiceName, d.MethodName, impl)
		m.unary = d.Handler
		s.register(m, m.serveUnary, nano.WholeBody())
	}
	for i := range desc.Streams {
		d := &desc.Streams[i]
		info.Methods = append(info.Methods, grpc.MethodInfo{Name: d.StreamName, IsClientStream: d.ClientStreams, IsServerStream: d.ServerStreams})
		m := s.method(desc.ServiceName, d.StreamName, impl)
		m.stream = d
		m.info = grpc.StreamServerInfo{FullMethod: m.name, IsClientStream: d.ClientStreams, IsServerStream: d.ServerStreams}
		if d.ClientStreams {
			s.register(m, m.serveStream, nano.Suspended)
		} else {
			s.register(m, m.serveStream, nano.WholeBody())
		}
	}
	unknown := s.method(desc.ServiceName, "{method}", impl)
	s.register(unknown, unknown.serveUnknown)
	s.services[desc.ServiceName] = info
}

// register makes a route of a method. Its messages have limits of their own.
func (s *Server) register(m *method, h nano.Handler, o ...nano.Option) {
	s.routes.Post(m.name, h, append(o, nano.WithLimits(nano.RouteLimits{Body: -1, ReadBody: -1, MinRate: -1}))...)
}

// GetServiceInfo returns the services and their methods, as reflection wants them.
func (s *Server) GetServiceInfo() map[string]grpc.ServiceInfo {
	all := make(map[string]grpc.ServiceInfo, len(s.services))
	for name, info := range s.services {
		info.Methods = slices.Clone(info.Methods)
		all[name] = info
	}
	return all
}

// Services returns the names of the services, sorted.
func (s *Server) Services() []string { return slices.Sorted(maps.Keys(s.services)) }

// NotFound is for [nano.Config].NotFound: calls of services that aren't registered fail
// with UNIMPLEMENTED, and requests that aren't gRPC go to next. Without it they get the
// app's 404, which clients take for the same status.
func (s *Server) NotFound(next nano.Handler) nano.Handler {
	return func(c nano.Ctx) error {
		if !strings.HasPrefix(c.Header("Content-Type").String(), "application/grpc") {
			return next(c)
		}
		m := s.method("", "", nil)
		m.name = c.Path().String()
		return m.serveUnknown(c)
	}
}
