package reflection

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"

	"dyno.example/internal/descriptors"
)

// A server is asked for one service, or all; one it doesn't have brings all along.
func TestFiles(t *testing.T) {
	serve := func(reflects bool) *grpc.ClientConn {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s := grpc.NewServer()
		grpc_health_v1.RegisterHealthServer(s, health.NewServer())
		if reflects {
			reflection.Register(s)
		}
		go s.Serve(ln)
		t.Cleanup(s.Stop)
		conn, err := grpc.NewClient("passthrough:///"+ln.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	conn := serve(true)
	for _, services := range [][]string{nil, {"grpc.health.v1.Health"}, {"no.Such"}} {
		set, err := Files(ctx, conn, services)
		if err != nil {
			t.Fatal(err)
		}
		files, err := descriptors.Link(set, "the server")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := files.FindDescriptorByName("grpc.health.v1.Health.Check"); err != nil {
			t.Errorf("%v: %v", services, err)
		}
	}
	if _, err := Files(ctx, serve(false), nil); !errors.Is(err, ErrOff) {
		t.Errorf("%v, want %v", err, ErrOff)
	}
}
