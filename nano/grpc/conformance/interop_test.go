package conformance

import (
	"context"
	"testing"
	"time"

	gogrpc "google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/interop"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"

	"dyno.example/nano/grpc"
)

// TestInterop: the cases of gRPC's interoperability suite that a server without accounts
// of a cloud can be asked (doc/interop-test-descriptions.md of github.com/grpc/grpc). The
// client ends the program if it isn't content.
func TestInterop(t *testing.T) {
	type call func(context.Context, testgrpc.TestServiceClient, ...gogrpc.CallOption)
	cases := []struct {
		name string
		do   call
	}{
		{"empty_unary", interop.DoEmptyUnaryCall},
		{"large_unary", interop.DoLargeUnaryCall},
		{"client_streaming", interop.DoClientStreaming},
		{"server_streaming", interop.DoServerStreaming},
		{"ping_pong", interop.DoPingPong},
		{"empty_stream", interop.DoEmptyStream},
		{"timeout_on_sleeping_server", interop.DoTimeoutOnSleepingServer},
		{"cancel_after_begin", interop.DoCancelAfterBegin},
		{"cancel_after_first_response", interop.DoCancelAfterFirstResponse},
		{"custom_metadata", interop.DoCustomMetadata},
		{"status_code_and_message", interop.DoStatusCodeAndMessage},
		{"special_status_message", interop.DoSpecialStatusMessage},
	}
	for name, secure := range map[string]bool{"cleartext": false, "tls": true} {
		t.Run(name, func(t *testing.T) {
			conn := dial(t, secure, func(s *grpc.Server) {
				testgrpc.RegisterTestServiceServer(s, interop.NewTestServer())
			})
			client := testgrpc.NewTestServiceClient(conn)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			for _, c := range cases {
				t.Run(c.name, func(*testing.T) { c.do(ctx, client) })
			}
			// client_compressed_* and server_compressed_* are no cases of this client; these
			// are the same calls with every message compressed, in both directions.
			for _, c := range cases[1:5] {
				t.Run(c.name+"_compressed", func(*testing.T) { c.do(ctx, client, gogrpc.UseCompressor("gzip")) })
			}
			t.Run("unimplemented_method", func(*testing.T) { interop.DoUnimplementedMethod(ctx, conn) })
			t.Run("unimplemented_service", func(*testing.T) {
				interop.DoUnimplementedService(ctx, testgrpc.NewUnimplementedServiceClient(conn))
			})
		})
	}
}
