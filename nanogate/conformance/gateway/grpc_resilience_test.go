//go:build linux

package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"

	"dyno.example/nanogate/internal/secure/securetest"
)

// failing makes a service respond with a status.
func failing(code codes.Code) func(context.Context) error {
	return func(context.Context) error { return status.Error(code, "no") }
}

// A call is sent to another endpoint when its response is nothing but a status that the
// route retries; others are passed on.
func TestGRPCRetries(t *testing.T) {
	bad, one, _ := grpcServer(t)
	good, two, _ := grpcServer(t)
	one.hook = failing(codes.Unavailable)
	_, at := startLoops(t, 1, `routes: [{to: u, retry: {attempts: 2, grpc: [unavailable, resource-exhausted], budget: 100%}}]
upstreams: {u: {endpoints: ["h2c://`+bad+`", "h2c://`+good+`"], balance: round-robin}}
`)
	client := grpcClient(t, at)
	for i := range 10 {
		r, err := client.UnaryCall(soon(t), &testgrpc.SimpleRequest{ResponseSize: 10, Payload: &testgrpc.Payload{Body: make([]byte, 3000*i)}})
		if err != nil || len(r.GetPayload().GetBody()) != 10 {
			t.Fatalf("%d: %v", i, err)
		}
	}
	if one.calls.Load() == 0 || two.calls.Load() != 10 {
		t.Errorf("%d and %d calls", one.calls.Load(), two.calls.Load())
	}
	one.hook = failing(codes.Aborted)
	two.hook = one.hook
	before := one.calls.Load() + two.calls.Load()
	if _, err := client.UnaryCall(soon(t), &testgrpc.SimpleRequest{}); status.Code(err) != codes.Aborted {
		t.Error(err)
	}
	if n := one.calls.Load() + two.calls.Load() - before; n != 1 {
		t.Errorf("a status that isn't to be retried was tried %d times", n)
	}
}

// Endpoints are asked by gRPC's health checking protocol, with and without TLS. One that
// doesn't know the service, or the protocol, isn't well. Without a service they are asked for the
// health of the server as a whole.
func TestGRPCHealth(t *testing.T) {
	ca := securetest.New(t)
	for _, of := range []struct{ scheme, service string }{{"h2c://", "tests"}, {"https://", "tests"}, {"h2c://", ""}} {
		scheme := of.scheme
		serve := func(options ...func(*grpc.Server)) (string, *testService) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			var secure []grpc.ServerOption
			if scheme == "https://" {
				pair := ca.Issue("site", time.Hour, "127.0.0.1").Pair(t)
				secure = append(secure, grpc.Creds(credentials.NewServerTLSFromCert(&pair)))
			}
			server, service := grpc.NewServer(secure...), &testService{}
			for _, o := range options {
				o(server)
			}
			testgrpc.RegisterTestServiceServer(server, service)
			go server.Serve(ln)
			t.Cleanup(server.Stop)
			return scheme + ln.Addr().String(), service
		}
		says := func(name string, status healthpb.HealthCheckResponse_ServingStatus) func(*grpc.Server) {
			return func(s *grpc.Server) {
				state := health.NewServer()
				state.SetServingStatus("", healthpb.HealthCheckResponse_NOT_SERVING)
				state.SetServingStatus(name, status)
				healthpb.RegisterHealthServer(s, state)
			}
		}
		well, service := serve(says(of.service, healthpb.HealthCheckResponse_SERVING))
		all, services := []string{well}, []*testService{}
		for _, options := range [][]func(*grpc.Server){{says(of.service, healthpb.HealthCheckResponse_NOT_SERVING)}, {says("other", healthpb.HealthCheckResponse_SERVING)}, nil} {
			url, sick := serve(options...)
			all, services = append(all, url), append(services, sick)
		}
		tls := ""
		if scheme == "https://" {
			tls = fmt.Sprintf("tls: {ca: %q}, ", ca.Path)
		}
		g, at := start(t, fmt.Sprintf("routes: [{to: u}]\nupstreams: {u: {endpoints: [%q, %q, %q, %q], %shealth: {grpc: %q, every: 50ms, timeout: 30s}}}\n", all[0], all[1], all[2], all[3], tls, of.service))
		for until := time.Now().Add(patience); len(g.Snapshot().Upstream("u").Set().Usable) != 1; time.Sleep(time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("%s: %d endpoints may be asked", scheme, len(g.Snapshot().Upstream("u").Set().Usable))
			}
		}
		client := grpcClient(t, at)
		for range 10 {
			if _, err := client.EmptyCall(soon(t), &testgrpc.Empty{}); err != nil {
				t.Fatal(err)
			}
		}
		if service.calls.Load() != 10 {
			t.Errorf("%s: %d calls", scheme, service.calls.Load())
		}
		for _, sick := range services {
			if sick.calls.Load() != 0 {
				t.Errorf("%s: one that isn't well had %d calls", scheme, sick.calls.Load())
			}
		}
	}
}

// Statuses that are the server's fault count against an endpoint, others don't.
func TestGRPCOutliers(t *testing.T) {
	for _, tt := range []struct {
		code   codes.Code
		usable int
	}{{codes.Unavailable, 1}, {codes.Internal, 1}, {codes.InvalidArgument, 2}, {codes.Unimplemented, 2}} {
		bad, service, _ := grpcServer(t)
		good, _, _ := grpcServer(t)
		service.hook = failing(tt.code)
		g, at := start(t, `routes: [{to: u}]
upstreams: {u: {endpoints: ["h2c://`+bad+`", "h2c://`+good+`"], balance: round-robin, outliers: {failures: 3, eject: 1m}}}
`)
		client := grpcClient(t, at)
		for range 20 {
			client.EmptyCall(soon(t), &testgrpc.Empty{})
		}
		set := func() int { return len(g.Snapshot().Upstream("u").Set().Usable) }
		for until := time.Now().Add(patience); set() != tt.usable && time.Now().Before(until); {
			time.Sleep(time.Millisecond)
		}
		if n := set(); n != tt.usable {
			t.Errorf("%v: %d endpoints may be asked", tt.code, n)
		}
	}
}

// A server that is shut down gracefully under traffic, with another beside it, fails no
// call; nor does a gateway's drain.
func TestGRPCRestart(t *testing.T) {
	first, _, one := grpcServer(t)
	second, _, _ := grpcServer(t)
	g, at := start(t, "routes: [{to: u, retry: {budget: 100%}}]\nupstreams: {u: [\"h2c://"+first+"\", \"h2c://"+second+"\"]}\n")
	client := grpcClient(t, at)
	var calls atomic.Int32
	var calling sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		calling.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				r, err := client.UnaryCall(soon(t), &testgrpc.SimpleRequest{ResponseSize: 2000, Payload: &testgrpc.Payload{Body: make([]byte, 2000)}})
				if err != nil || len(r.GetPayload().GetBody()) != 2000 {
					t.Error(err)
					return
				}
				calls.Add(1)
			}
		})
	}
	wait := func(more int32) {
		for until := calls.Load() + more; calls.Load() < until && !t.Failed(); {
			time.Sleep(time.Millisecond)
		}
	}
	wait(100)
	one.GracefulStop()
	wait(100)
	close(stop)
	calling.Wait()
	both, err := client.FullDuplexCall(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	say := func(n int) {
		t.Helper()
		both.Send(&testgrpc.StreamingOutputCallRequest{Payload: &testgrpc.Payload{Body: make([]byte, n)}})
		if r, err := both.Recv(); err != nil || len(r.GetPayload().GetBody()) != n {
			t.Fatal(err)
		}
	}
	say(10)
	ended := make(chan error, 1)
	go func() { ended <- g.Shutdown(soon(t)) }()
	for !g.Proxy().Draining() {
		time.Sleep(time.Millisecond)
	}
	for i := range 20 { // a stream that is open goes on
		say(i * 100)
	}
	both.CloseSend()
	if _, err := both.Recv(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// What gRPC sends over HTTP/1.1's rules is counted like any request: by what its status
// comes to.
func TestGRPCIsCounted(t *testing.T) {
	upstream, service, _ := grpcServer(t)
	g, at := startLoops(t, 1, "routes: [{name: r, to: \"h2c://"+upstream+"\"}]\n")
	client := grpcClient(t, at)
	client.EmptyCall(soon(t), &testgrpc.Empty{})
	service.hook = failing(codes.Unavailable)
	client.EmptyCall(soon(t), &testgrpc.Empty{})
	service.hook = failing(codes.InvalidArgument)
	client.EmptyCall(soon(t), &testgrpc.Empty{})
	f := g.Snapshot().Routes[0].Counters.Read()
	if got := fmt.Sprint(f.Status[2], f.Status[4], f.Status[5]); got != "1 1 1" {
		t.Errorf("2xx, 4xx, 5xx: %s", got)
	}
}
