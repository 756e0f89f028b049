package grpc

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"dyno.example/nano"
)

// TestThroughNetHTTP: the same services where net/http serves the app, as it does
// elsewhere than on Linux.
func TestThroughNetHTTP(t *testing.T) {
	quiet := slog.New(slog.DiscardHandler)
	app := nano.New(nano.Config{Logger: quiet})
	testgrpc.RegisterTestServiceServer(NewServer(app, Options{Logger: quiet}), &service{
		unary: echo, duplex: duplexEcho,
		in: func(s testgrpc.TestService_StreamingInputCallServer) error {
			s.SetTrailer(metadata.Pairs("y", "1"))
			return status.Error(codes.NotFound, "none")
		},
	})
	below := httptest.NewUnstartedServer(app)
	below.EnableHTTP2 = true
	below.StartTLS()
	defer below.Close()
	trust := below.Client().Transport.(*http.Transport).TLSClientConfig
	conn, err := grpc.NewClient("passthrough:///"+below.Listener.Addr().String(), grpc.WithTransportCredentials(credentials.NewTLS(trust)))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	client := testgrpc.NewTestServiceClient(conn)
	for _, size := range []int{0, 1000, 200 << 10} {
		r, err := client.UnaryCall(ctxOf(t), &testgrpc.SimpleRequest{Payload: payload(size)})
		if err != nil || len(r.Payload.Body) != size {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	s, err := client.FullDuplexCall(ctxOf(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, 1000, 200 << 10} {
		if err := s.Send(request(size)); err != nil {
			t.Fatal(err)
		}
		if m, err := s.Recv(); err != nil || len(m.GetPayload().GetBody()) != size {
			t.Fatalf("%d bytes on a stream: %v", size, err)
		}
	}
	if err := s.CloseSend(); err != nil {
		t.Error(err)
	}
	in, err := client.StreamingInputCall(ctxOf(t))
	if err != nil {
		t.Fatal(err)
	}
	_, err = in.CloseAndRecv()
	if wantStatus(t, err, codes.NotFound); fmt.Sprint(in.Trailer()["y"]) != "[1]" {
		t.Errorf("trailer %v", in.Trailer())
	}
}
