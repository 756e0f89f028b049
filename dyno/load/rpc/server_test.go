package rpc

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/grpc/status"

	"dyno.example/dyno/load/request"
)

// serve serves with what a test registers.
func serve(t *testing.T, register func(*grpc.Server), options ...grpc.ServerOption) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := grpc.NewServer(options...)
	register(srv)
	go srv.Serve(listener)
	t.Cleanup(srv.Stop)
	return &Server{Address: listener.Addr().String()}
}

// testService says what it is asked to say.
type testService struct {
	testgrpc.UnimplementedTestServiceServer
}

func (testService) UnaryCall(ctx context.Context, in *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
	if s := in.ResponseStatus; s != nil {
		return nil, status.Error(codes.Code(s.Code), s.Message)
	}
	return &testgrpc.SimpleResponse{}, nil
}

func (testService) FullDuplexCall(stream testgrpc.TestService_FullDuplexCallServer) error {
	if _, err := stream.Recv(); err != nil {
		return err
	}
	if err := stream.Send(&testgrpc.StreamingOutputCallResponse{}); err != nil {
		return err
	}
	<-stream.Context().Done() // it never ends by itself
	return nil
}

func TestReflect(t *testing.T) {
	service := func(s *grpc.Server) { testgrpc.RegisterTestServiceServer(s, testService{}) }
	refuses := func(code codes.Code) grpc.ServerOption {
		return grpc.StreamInterceptor(func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, h grpc.StreamHandler) error {
			if md, _ := metadata.FromIncomingContext(stream.Context()); len(md.Get("token")) == 0 {
				return status.Error(code, "who are you?")
			}
			return h(srv, stream)
		})
	}
	for _, c := range []struct {
		name   string
		server *Server
		md     metadata.MD
		method string
		wants  string
	}{
		{"both versions", serve(t, func(s *grpc.Server) { service(s); reflection.Register(s) }), nil, "grpc.testing.TestService/UnaryCall", ""},
		{"v1", serve(t, func(s *grpc.Server) {
			service(s)
			grpc_reflection_v1.RegisterServerReflectionServer(s, reflection.NewServerV1(reflection.ServerOptions{Services: s}))
		}), nil, "grpc.testing.TestService/UnaryCall", ""},
		{"v1alpha", serve(t, func(s *grpc.Server) {
			service(s)
			grpc_reflection_v1alpha.RegisterServerReflectionServer(s, reflection.NewServer(reflection.ServerOptions{Services: s}))
		}), nil, "grpc.testing.TestService/FullDuplexCall", ""},
		{"off", serve(t, service), nil, "grpc.testing.TestService/UnaryCall", "reflection is off there; give its .proto file with --proto FILE"},
		{"unknown service", serve(t, func(s *grpc.Server) { service(s); reflection.Register(s) }), nil, "grpc.testing.TestServce/UnaryCall", "did you mean grpc.testing.TestService?"},
		{"refused", serve(t, func(s *grpc.Server) { service(s); reflection.Register(s) }, refuses(codes.Unauthenticated)), nil, "grpc.testing.TestService/UnaryCall", "who are you?"},
		{"with metadata", serve(t, func(s *grpc.Server) { service(s); reflection.Register(s) }, refuses(codes.Unauthenticated)), metadata.Pairs("token", "x"), "grpc.testing.TestService/UnaryCall", ""},
		{"nobody there", &Server{Address: "127.0.0.1:1"}, nil, "grpc.testing.TestService/UnaryCall", "connection refused"},
	} {
		name, _, _ := strings.Cut(c.method, "/")
		services, err := c.server.Reflect(t.Context(), c.md, name)
		if err == nil {
			_, err = services.Method(c.method)
		}
		if c.wants == "" && err != nil || c.wants != "" && (err == nil || !strings.Contains(err.Error(), c.wants)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.wants)
		}
	}
	var none *request.UnreachableError
	if _, err := (&Server{Address: "127.0.0.1:1"}).Reflect(t.Context(), nil, "a.B"); !errors.As(err, &none) {
		t.Errorf("%v is not that the server can't be reached", err)
	}
}

func TestHealth(t *testing.T) {
	told := health.NewServer()
	told.SetServingStatus("up", grpc_health_v1.HealthCheckResponse_SERVING)
	told.SetServingStatus("down", grpc_health_v1.HealthCheckResponse_NOT_SERVING)
	with := serve(t, func(s *grpc.Server) { grpc_health_v1.RegisterHealthServer(s, told) })
	without := serve(t, func(s *grpc.Server) {})
	for _, c := range []struct {
		server  *Server
		service string
		wants   string
		none    bool
	}{
		{with, "", "", false}, {with, "up", "", false},
		{with, "down", "the health of down is NOT_SERVING", false},
		{with, "other", "of other its health is not told", true},
		{without, "", "its health is not told", true},
		{&Server{Address: "127.0.0.1:1"}, "", "connection refused", false},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		err := c.server.Health(ctx, c.service)
		cancel()
		if c.wants == "" && err != nil || c.wants != "" && (err == nil || !strings.Contains(err.Error(), c.wants)) || errors.Is(err, ErrNoHealth) != c.none {
			t.Errorf("%q: %v, want %q", c.service, err, c.wants)
		}
	}
}

func TestVerify(t *testing.T) {
	server := serve(t, func(s *grpc.Server) {
		testgrpc.RegisterTestServiceServer(s, testService{})
		reflection.Register(s)
	})
	for _, c := range []struct {
		method, message string
		expect          []string
		wants           string
	}{
		{"UnaryCall", `{}`, nil, ""},
		{"UnaryCall", `{"responseStatus": {"code": 5, "message": "nobody"}}`, nil, "responded with NOT_FOUND: nobody, and OK is expected"},
		{"UnaryCall", `{"responseStatus": {"code": 5}}`, []string{"grpc NOT_FOUND"}, ""},
		{"UnaryCall", `{}`, []string{"grpc NOT_FOUND"}, "responded with OK, and NOT_FOUND is expected"},
		{"FullDuplexCall", `{}`, nil, ""},
		{"EmptyCall", `{}`, nil, "responded with UNIMPLEMENTED"},
	} {
		r := request.NewGRPC(&request.GRPC{Method: "grpc.testing.TestService/" + c.method}, c.message)
		r.Expect = c.expect
		requests := []request.Request{r}
		if err := Resolve(t.Context(), requests, func() (*Server, error) { return server, nil }); err != nil {
			t.Fatal(err)
		}
		examples, err := request.Examples(requests, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = server.Verify(t.Context(), &examples[0])
		if c.wants == "" && err != nil || c.wants != "" && (err == nil || !strings.Contains(err.Error(), c.wants)) {
			t.Errorf("%s %s: %v, want %q", c.method, c.message, err, c.wants)
		}
	}
}
