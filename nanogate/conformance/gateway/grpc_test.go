//go:build linux

package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// testService is gRPC's own test service, as far as it is needed.
type testService struct {
	testgrpc.UnimplementedTestServiceServer
	calls atomic.Int32
	ended chan error // how streams of [testService.StreamingOutputCall] ended
	hook  func(ctx context.Context) error
}

func (s *testService) EmptyCall(ctx context.Context, _ *testgrpc.Empty) (*testgrpc.Empty, error) {
	s.calls.Add(1)
	if s.hook != nil {
		if err := s.hook(ctx); err != nil {
			return nil, err
		}
	}
	return &testgrpc.Empty{}, nil
}

func (s *testService) UnaryCall(ctx context.Context, r *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
	s.calls.Add(1)
	if s.hook != nil {
		if err := s.hook(ctx); err != nil {
			return nil, err
		}
	}
	if e := r.GetResponseStatus(); e.GetCode() != 0 {
		return nil, status.Error(codes.Code(e.GetCode()), e.GetMessage())
	}
	in, _ := metadata.FromIncomingContext(ctx)
	out := metadata.MD{}
	for name, values := range in {
		if strings.HasPrefix(name, "x-") {
			out[name] = values
		}
	}
	grpc.SetHeader(ctx, out)
	grpc.SetTrailer(ctx, metadata.Pairs("x-trailing-bin", "\x00\xff"))
	return &testgrpc.SimpleResponse{Payload: &testgrpc.Payload{Body: bytes.Repeat([]byte{'r'}, int(r.GetResponseSize()))}}, nil
}

func (s *testService) StreamingOutputCall(r *testgrpc.StreamingOutputCallRequest, to testgrpc.TestService_StreamingOutputCallServer) error {
	var err error
	for _, p := range r.GetResponseParameters() {
		if err = to.Send(&testgrpc.StreamingOutputCallResponse{Payload: &testgrpc.Payload{Body: make([]byte, p.GetSize())}}); err != nil {
			break
		}
	}
	if r.GetPayload() != nil { // the client wants it to wait
		<-to.Context().Done()
		err = to.Context().Err()
	}
	if s.ended != nil {
		s.ended <- err
	}
	return err
}

func (s *testService) StreamingInputCall(from testgrpc.TestService_StreamingInputCallServer) error {
	size := 0
	for {
		r, err := from.Recv()
		if errors.Is(err, io.EOF) {
			return from.SendAndClose(&testgrpc.StreamingInputCallResponse{AggregatedPayloadSize: int32(size)})
		}
		if err != nil {
			return err
		}
		size += len(r.GetPayload().GetBody())
	}
}

func (s *testService) FullDuplexCall(both testgrpc.TestService_FullDuplexCallServer) error {
	for {
		r, err := both.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := both.Send(&testgrpc.StreamingOutputCallResponse{Payload: r.GetPayload()}); err != nil {
			return err
		}
	}
}

// grpcServer serves the test service.
func grpcServer(t testing.TB, options ...grpc.ServerOption) (address string, service *testService, server *grpc.Server) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	service, server = &testService{}, grpc.NewServer(options...)
	testgrpc.RegisterTestServiceServer(server, service)
	go server.Serve(ln)
	t.Cleanup(server.Stop)
	return ln.Addr().String(), service, server
}

// grpcClient is a client of what listens there.
func grpcClient(t testing.TB, address string, options ...grpc.DialOption) testgrpc.TestServiceClient {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+address, append(options, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDisableRetry())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return testgrpc.NewTestServiceClient(conn)
}

// soon is a context that a test doesn't outlive.
func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// carrying is a gateway before a test service, and a client of it.
func carrying(t testing.TB, route string, options ...grpc.ServerOption) (testgrpc.TestServiceClient, *testService) {
	t.Helper()
	upstream, service, _ := grpcServer(t, options...)
	_, at := start(t, "routes: [{to: u"+route+"}]\nupstreams: {u: [\"h2c://"+upstream+"\"]}\n")
	return grpcClient(t, at), service
}

func TestGRPCUnary(t *testing.T) {
	client, _ := carrying(t, "")
	for _, size := range []int{0, 1, 20_000, 300_000, 3_000_000} {
		var head, trailer metadata.MD
		ctx := metadata.AppendToOutgoingContext(soon(t), "x-request", "a", "x-bytes-bin", "\x00\xfe")
		r, err := client.UnaryCall(ctx, &testgrpc.SimpleRequest{ResponseSize: int32(size), Payload: &testgrpc.Payload{Body: make([]byte, size)}}, grpc.Header(&head), grpc.Trailer(&trailer))
		if err != nil || len(r.GetPayload().GetBody()) != size {
			t.Fatalf("%d: %d bytes, %v", size, len(r.GetPayload().GetBody()), err)
		}
		if got := head.Get("x-request"); len(got) != 1 || got[0] != "a" {
			t.Errorf("x-request: %q", got)
		}
		if got := head.Get("x-bytes-bin"); len(got) != 1 || got[0] != "\x00\xfe" {
			t.Errorf("x-bytes-bin: %q", got)
		}
		if got := trailer.Get("x-trailing-bin"); len(got) != 1 || got[0] != "\x00\xff" {
			t.Errorf("trailer: %q", got)
		}
	}
	_, err := client.UnaryCall(soon(t), &testgrpc.SimpleRequest{ResponseStatus: &testgrpc.EchoStatus{Code: 9, Message: "fünf"}})
	if s := status.Convert(err); s.Code() != codes.FailedPrecondition || s.Message() != "fünf" {
		t.Errorf("%v", err)
	}
	if _, err = client.UnimplementedCall(soon(t), &testgrpc.Empty{}); status.Code(err) != codes.Unimplemented {
		t.Errorf("%v", err)
	}
}

func TestGRPCStreams(t *testing.T) {
	client, service := carrying(t, "")
	service.ended = make(chan error, 1)
	out, err := client.StreamingOutputCall(soon(t), &testgrpc.StreamingOutputCallRequest{ResponseParameters: sizes(1, 50_000, 200_000, 0)})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 50_000, 200_000, 0} {
		r, err := out.Recv()
		if err != nil || len(r.GetPayload().GetBody()) != want {
			t.Fatalf("%d bytes, want %d: %v", len(r.GetPayload().GetBody()), want, err)
		}
	}
	if _, err := out.Recv(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	<-service.ended
	in, err := client.StreamingInputCall(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		in.Send(&testgrpc.StreamingInputCallRequest{Payload: &testgrpc.Payload{Body: make([]byte, 30_000)}})
	}
	if r, err := in.CloseAndRecv(); err != nil || r.GetAggregatedPayloadSize() != 50*30_000 {
		t.Errorf("%v, %v", r, err)
	}
	both, err := client.FullDuplexCall(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 { // each message has its response before either side has ended
		body := bytes.Repeat([]byte{byte(i)}, i*5000)
		both.Send(&testgrpc.StreamingOutputCallRequest{Payload: &testgrpc.Payload{Body: body}})
		r, err := both.Recv()
		if err != nil || !bytes.Equal(r.GetPayload().GetBody(), body) {
			t.Fatalf("message %d: %v", i, err)
		}
	}
	both.CloseSend()
	if _, err := both.Recv(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

func sizes(all ...int) (p []*testgrpc.ResponseParameters) {
	for _, n := range all {
		p = append(p, &testgrpc.ResponseParameters{Size: int32(n)})
	}
	return p
}

// A client that gives up ends the call at the server, too.
func TestGRPCCancel(t *testing.T) {
	client, service := carrying(t, "")
	service.ended = make(chan error, 1)
	ctx, cancel := context.WithCancel(soon(t))
	out, err := client.StreamingOutputCall(ctx, &testgrpc.StreamingOutputCallRequest{ResponseParameters: sizes(5), Payload: &testgrpc.Payload{}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Recv(); err != nil {
		t.Fatal(err)
	}
	cancel()
	select {
	case err := <-service.ended:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("the server wasn't told")
	}
}

// The shorter of the client's deadline and the route's holds, and the server is told.
func TestGRPCDeadline(t *testing.T) {
	client, service := carrying(t, ", timeout: 300ms")
	told := make(chan time.Duration, 1)
	service.hook = func(ctx context.Context) error {
		at, _ := ctx.Deadline()
		select {
		case told <- time.Until(at):
		default:
		}
		<-ctx.Done()
		return ctx.Err()
	}
	waitFor(t, "a call comes to the server while there is time", func() bool {
		_, err := client.EmptyCall(soon(t), &testgrpc.Empty{})
		if status.Code(err) != codes.DeadlineExceeded {
			t.Fatal(err)
		}
		select {
		case d := <-told:
			if d > 300*time.Millisecond {
				t.Errorf("the server had %v", d)
			}
			return d > 0
		default:
			return false
		}
	})
	service.hook = func(ctx context.Context) error {
		at, ok := ctx.Deadline()
		if !ok || time.Until(at) > 250*time.Millisecond {
			return status.Error(codes.Internal, "no deadline, or not the client's")
		}
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 250*time.Millisecond)
	defer cancel()
	if _, err := client.EmptyCall(ctx, &testgrpc.Empty{}); err != nil && status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("%v", err)
	}
}

// The gateway's own responses to clients of gRPC are statuses.
func TestGRPCRefused(t *testing.T) {
	upstream, _, _ := grpcServer(t)
	_, at := start(t, `routes:
  - {match: {path: /grpc.testing.TestService/EmptyCall}, to: h2c://`+nobody+`}
  - {match: {path: /grpc.testing.TestService/UnaryCall}, deny: [127.0.0.0/8], to: h2c://`+upstream+`}
  - {match: {path: /grpc.testing.TestService/CacheableUnaryCall}, limit: {rate: 1/h, burst: 1, key: route}, to: h2c://`+upstream+`}
`)
	client := grpcClient(t, at)
	_, err := client.EmptyCall(soon(t), &testgrpc.Empty{})
	if s := status.Convert(err); s.Code() != codes.Unavailable || s.Message() != "the upstream can't be reached" {
		t.Errorf("%v", err)
	}
	if _, err = client.UnaryCall(soon(t), &testgrpc.SimpleRequest{}); status.Code(err) != codes.PermissionDenied {
		t.Errorf("%v", err)
	}
	client.CacheableUnaryCall(soon(t), &testgrpc.SimpleRequest{})
	if _, err = client.CacheableUnaryCall(soon(t), &testgrpc.SimpleRequest{}); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("%v", err)
	}
	if _, err = client.UnimplementedCall(soon(t), &testgrpc.Empty{}); status.Code(err) != codes.Unimplemented {
		t.Errorf("no route: %v", err)
	}
}

// Calls of many clients at once go over few connections, and one that allows few streams
// has others beside it.
func TestGRPCManyClients(t *testing.T) {
	for _, most := range []uint32{0, 3} {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			var options []grpc.ServerOption
			if most > 0 {
				options = append(options, grpc.MaxConcurrentStreams(most))
			}
			upstream, _, _ := grpcServer(t, options...)
			counted := &counting{to: upstream}
			counted.listen(t)
			_, at := startLoops(t, 1, "routes: [{to: \"h2c://"+counted.address+"\"}]\n")
			var clients sync.WaitGroup
			for range 12 {
				client := grpcClient(t, at)
				clients.Go(func() {
					for i := range 30 {
						r, err := client.UnaryCall(soon(t), &testgrpc.SimpleRequest{ResponseSize: int32(i * 500)})
						if err != nil || len(r.GetPayload().GetBody()) != i*500 {
							t.Errorf("%v", err)
							return
						}
					}
				})
			}
			clients.Wait()
			if n := counted.accepted.Load(); most == 0 && n != 1 || most > 0 && n > 12 {
				t.Errorf("%d connections to the upstream", n)
			}
		})
	}
}

// counting passes bytes on, and counts connections.
type counting struct {
	to, address string
	accepted    atomic.Int32
}

func (f *counting) listen(t testing.TB) {
	f.address = scripted(t, func(c *peer) {
		f.accepted.Add(1)
		to, err := net.Dial("tcp", f.to)
		if err != nil {
			return
		}
		defer to.Close()
		go func() {
			io.Copy(to, c.Conn)
			to.Close()
		}()
		io.Copy(c.Conn, to)
	})
}
