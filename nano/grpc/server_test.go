package grpc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/reflection"
	reflectpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"dyno.example/nano"
)

func TestUnary(t *testing.T) {
	f := serve(t, Options{}, with(&service{unary: echo}))
	for _, size := range []int{0, 1, 1000, 20 << 10, 100 << 10, 1 << 20} { // collected, and read as it comes
		r, err := f.UnaryCall(ctxOf(t), &testgrpc.SimpleRequest{Payload: payload(size)})
		if err != nil || len(r.Payload.Body) != size {
			t.Errorf("%d bytes: %v, %v", size, len(r.GetPayload().GetBody()), err)
		}
	}
}

// TestMetadata: fields of the request reach the handler, and those it sets the client;
// header before the first message, trailer after the last one.
func TestMetadata(t *testing.T) {
	binary := string([]byte{0, 0xff, '\n'})
	var seen sync.Mutex
	var got metadata.MD
	var method string
	f := serve(t, Options{}, with(&service{unary: func(ctx context.Context, r *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
		seen.Lock()
		defer seen.Unlock()
		got, _ = metadata.FromIncomingContext(ctx)
		method, _ = grpc.Method(ctx)
		return &testgrpc.SimpleResponse{}, errors.Join(
			grpc.SetHeader(ctx, metadata.Pairs("x-one", "1")),
			grpc.SetHeader(ctx, metadata.Pairs("x-one", "2", "x-bin", binary)),
			grpc.SetTrailer(ctx, metadata.Pairs("y-one", "3", "y-bin", binary)),
		)
	}}))
	ctx := metadata.AppendToOutgoingContext(ctxOf(t), "a", "1", "a", "2", "b-bin", binary)
	var header, trailer metadata.MD
	if _, err := f.UnaryCall(ctx, &testgrpc.SimpleRequest{}, grpc.Header(&header), grpc.Trailer(&trailer)); err != nil {
		t.Fatal(err)
	}
	seen.Lock()
	defer seen.Unlock()
	for _, tt := range []struct {
		md   metadata.MD
		name string
		want string
	}{
		{got, "a", "[1 2]"}, {got, "b-bin", "[" + binary + "]"}, {got, ":authority", "[" + f.conn.CanonicalTarget()[len("passthrough:///"):] + "]"},
		{got, "content-type", "[application/grpc]"}, {got, "te", "[]"}, {got, "grpc-timeout", "[]"},
		{header, "x-one", "[1 2]"}, {header, "x-bin", "[" + binary + "]"}, {header, "y-one", "[]"},
		{trailer, "y-one", "[3]"}, {trailer, "y-bin", "[" + binary + "]"},
	} {
		if have := fmt.Sprint(tt.md.Get(tt.name)); have != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, have, tt.want)
		}
	}
	if method != "/grpc.testing.TestService/UnaryCall" {
		t.Errorf("grpc.Method: %q", method)
	}
}

// TestHeaderOnce: the header can't be set when it is sent, nor can what fields don't hold.
func TestHeaderOnce(t *testing.T) {
	var seen sync.Mutex
	var errs []error
	f := serve(t, Options{}, with(&service{unary: func(ctx context.Context, r *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
		seen.Lock()
		defer seen.Unlock()
		errs = []error{
			grpc.SetHeader(ctx, metadata.MD{"x": {"a\nb"}}),
			grpc.SetHeader(ctx, metadata.MD{"X y": {"a"}}),
			grpc.SendHeader(ctx, metadata.Pairs("x", "1")),
			grpc.SendHeader(ctx, metadata.Pairs("x", "1")),
			grpc.SetHeader(ctx, metadata.Pairs("x", "1")),
		}
		return echo(ctx, r)
	}}))
	var header metadata.MD
	if _, err := f.UnaryCall(ctxOf(t), &testgrpc.SimpleRequest{}, grpc.Header(&header)); err != nil {
		t.Fatal(err)
	}
	seen.Lock()
	defer seen.Unlock()
	for i, fails := range []bool{true, true, false, true, true} {
		if (errs[i] != nil) != fails {
			t.Errorf("%d: %v", i, errs[i])
		}
	}
	if len(header["x"]) != 1 {
		t.Errorf("header %v", header)
	}
}

// TestStatus: what handlers return is the client's status.
func TestStatus(t *testing.T) {
	detailed, err := status.New(codes.InvalidArgument, "no é\n100%").WithDetails(&errdetails.ErrorInfo{Reason: "a"})
	if err != nil {
		t.Fatal(err)
	}
	var seen sync.Mutex // of what the handler is told
	var fails error
	var before, trailer metadata.MD
	s := &service{unary: func(ctx context.Context, r *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
		seen.Lock()
		defer seen.Unlock()
		_ = grpc.SetHeader(ctx, before)
		_ = grpc.SetTrailer(ctx, metadata.Pairs("y", "1"))
		if fails == nil {
			panic("it must not end the server")
		}
		return nil, fails
	}}
	f := serve(t, Options{}, with(s))
	for _, tt := range []struct {
		err    error
		before metadata.MD
		want   *status.Status
	}{
		{status.Error(codes.NotFound, ""), nil, status.New(codes.NotFound, "")},
		{detailed.Err(), nil, detailed},
		{detailed.Err(), metadata.Pairs("x", "1"), detailed},
		{fmt.Errorf("wrapped: %w", status.Error(codes.Aborted, "a")), nil, status.New(codes.Aborted, "wrapped: rpc error: code = Aborted desc = a")},
		{errors.New("plain"), nil, status.New(codes.Unknown, "plain")},
		{context.DeadlineExceeded, nil, status.New(codes.DeadlineExceeded, "context deadline exceeded")},
		{nil, nil, status.New(codes.Internal, "the handler panicked")},
	} {
		seen.Lock()
		fails, before = tt.err, tt.before
		seen.Unlock()
		_, err := f.UnaryCall(ctxOf(t), &testgrpc.SimpleRequest{}, grpc.Trailer(&trailer))
		if got := status.Convert(err); !proto.Equal(got.Proto(), tt.want.Proto()) {
			t.Errorf("%v: %v, want %v", tt.err, got.Proto(), tt.want.Proto())
		}
		if tt.err != nil && fmt.Sprint(trailer["y"]) != "[1]" {
			t.Errorf("%v: trailer %v", tt.err, trailer)
		}
	}
}

// TestRetry: a call that fails before its response has begun may be tried again by its
// client, as the response is trailers only.
func TestRetry(t *testing.T) {
	var calls atomic.Int32
	f := serve(t, Options{}, with(&service{unary: func(ctx context.Context, r *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
		if calls.Add(1) < 3 {
			return nil, status.Error(codes.Unavailable, "later")
		}
		return echo(ctx, r)
	}}), grpc.WithDefaultServiceConfig(`{"methodConfig":[{"name":[{}],"retryPolicy":{
		"maxAttempts":4,"initialBackoff":"0.001s","maxBackoff":"0.001s","backoffMultiplier":1,"retryableStatusCodes":["UNAVAILABLE"]}}]}`))
	if _, err := f.UnaryCall(ctxOf(t), &testgrpc.SimpleRequest{}); err != nil || calls.Load() != 3 {
		t.Errorf("%d calls, %v", calls.Load(), err)
	}
}

func TestUnimplemented(t *testing.T) {
	f := serve(t, Options{}, with(&service{}))
	for method, want := range map[string]string{
		"/grpc.testing.TestService/EmptyCall": "method EmptyCall not implemented",
		"/grpc.testing.TestService/NoCall":    "unknown method NoCall for service grpc.testing.TestService",
		"/no.Service/Call":                    "unknown service no.Service",
	} {
		err := f.conn.Invoke(ctxOf(t), method, &testgrpc.Empty{}, &testgrpc.Empty{})
		if st := wantStatus(t, err, codes.Unimplemented); st.Message() != want {
			t.Errorf("%s: %q", method, st.Message())
		}
	}
}

func TestInterceptors(t *testing.T) {
	var seen sync.Mutex
	var order []string
	unary := func(name string) grpc.UnaryServerInterceptor {
		return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
			seen.Lock()
			order = append(order, name+" "+info.FullMethod)
			seen.Unlock()
			return handler(context.WithValue(ctx, name, true), req)
		}
	}
	stream := func(name string) grpc.StreamServerInterceptor {
		return func(impl any, s grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
			seen.Lock()
			order = append(order, fmt.Sprint(name, " ", info.FullMethod, " ", info.IsClientStream, " ", info.IsServerStream))
			seen.Unlock()
			return handler(impl, s)
		}
	}
	var values []any
	f := serve(t, Options{
		Unary:  []grpc.UnaryServerInterceptor{unary("a"), unary("b"), unary("c")},
		Stream: []grpc.StreamServerInterceptor{stream("a"), stream("b")},
	}, with(&service{
		unary: func(ctx context.Context, r *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
			seen.Lock()
			defer seen.Unlock()
			values = []any{ctx.Value("a"), ctx.Value("b"), ctx.Value("c"), ctx.Value("d")}
			return echo(ctx, r)
		},
		in: func(s testgrpc.TestService_StreamingInputCallServer) error {
			return s.SendAndClose(&testgrpc.StreamingInputCallResponse{})
		},
	}))
	if _, err := f.UnaryCall(ctxOf(t), &testgrpc.SimpleRequest{}); err != nil {
		t.Fatal(err)
	}
	s, err := f.StreamingInputCall(ctxOf(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.CloseAndRecv(); err != nil {
		t.Fatal(err)
	}
	seen.Lock()
	defer seen.Unlock()
	want := "a /grpc.testing.TestService/UnaryCall, b /grpc.testing.TestService/UnaryCall, c /grpc.testing.TestService/UnaryCall, " +
		"a /grpc.testing.TestService/StreamingInputCall true false, b /grpc.testing.TestService/StreamingInputCall true false"
	if got := strings.Join(order, ", "); got != want {
		t.Errorf("%s", got)
	}
	if fmt.Sprint(values) != "[true true true <nil>]" {
		t.Errorf("the context has %v", values)
	}
}

// TestPeer: who calls, over TLS and without.
func TestPeer(t *testing.T) {
	callers := make(chan *peer.Peer, 1)
	s := with(&service{unary: func(ctx context.Context, r *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
		from, _ := peer.FromContext(ctx)
		callers <- from
		return echo(ctx, r)
	}})
	f := serve(t, Options{}, s)
	if _, err := f.UnaryCall(ctxOf(t), &testgrpc.SimpleRequest{}); err != nil {
		t.Fatal(err)
	}
	from := <-callers
	if a, ok := from.Addr.(*net.TCPAddr); !ok || !a.IP.IsLoopback() || a.Port == 0 || from.AuthInfo != nil {
		t.Errorf("%v", from)
	}
	secure := serveTLS(t, Options{}, s)
	if _, err := secure.UnaryCall(ctxOf(t), &testgrpc.SimpleRequest{}); err != nil {
		t.Fatal(err)
	}
	from = <-callers
	if info, ok := from.AuthInfo.(credentials.TLSInfo); !ok || info.State.NegotiatedProtocol != "h2" {
		t.Errorf("over TLS: %v", from)
	}
}

// TestHealthAndReflection: grpc-go's own services run unchanged.
func TestHealthAndReflection(t *testing.T) {
	checks := health.NewServer()
	checks.SetServingStatus("a", healthpb.HealthCheckResponse_NOT_SERVING)
	f := serve(t, Options{}, func(s *Server) {
		testgrpc.RegisterTestServiceServer(s, &service{})
		healthpb.RegisterHealthServer(s, checks)
		reflection.Register(s)
	})
	client := healthpb.NewHealthClient(f.conn)
	r, err := client.Check(ctxOf(t), &healthpb.HealthCheckRequest{Service: "a"})
	if err != nil || r.Status != healthpb.HealthCheckResponse_NOT_SERVING {
		t.Errorf("%v, %v", r, err)
	}
	watch, err := client.Watch(ctxOf(t), &healthpb.HealthCheckRequest{Service: "a"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []healthpb.HealthCheckResponse_ServingStatus{healthpb.HealthCheckResponse_NOT_SERVING, healthpb.HealthCheckResponse_SERVING} {
		if r, err := watch.Recv(); err != nil || r.Status != want {
			t.Errorf("%v, %v, want %v", r, err, want)
		}
		checks.SetServingStatus("a", healthpb.HealthCheckResponse_SERVING)
	}
	stream, err := reflectpb.NewServerReflectionClient(f.conn).ServerReflectionInfo(ctxOf(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Send(&reflectpb.ServerReflectionRequest{MessageRequest: &reflectpb.ServerReflectionRequest_ListServices{}}); err != nil {
		t.Fatal(err)
	}
	list, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range list.GetListServicesResponse().GetService() {
		names = append(names, s.Name)
	}
	if got, want := strings.Join(names, " "), "grpc.health.v1.Health grpc.reflection.v1.ServerReflection grpc.reflection.v1alpha.ServerReflection grpc.testing.TestService"; got != want {
		t.Errorf("services %s", got)
	}
}

func TestRegisterPanics(t *testing.T) {
	desc := testgrpc.TestService_ServiceDesc
	for name, register := range map[string]func(*Server){
		"twice":       func(s *Server) { s.RegisterService(&desc, &service{}); s.RegisterService(&desc, &service{}) },
		"not a match": func(s *Server) { s.RegisterService(&desc, 1) },
	} {
		func() {
			defer func() {
				if p := recover(); p == nil || !strings.Contains(fmt.Sprint(p), "grpc.testing.TestService") {
					t.Errorf("%s: %v", name, p)
				}
			}()
			register(NewServer(nano.New(nano.Config{}), Options{}))
		}()
	}
}
