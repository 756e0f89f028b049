package readme

import (
	"context"
	"testing"

	"google.golang.org/grpc/examples/helloworld/helloworld"
	"google.golang.org/grpc/reflection"

	"dyno.example/nano"
	"dyno.example/nano/grpc"
	"dyno.example/nano/nanotest"
)

type greeter struct {
	helloworld.UnimplementedGreeterServer
}

func (greeter) SayHello(_ context.Context, r *helloworld.HelloRequest) (*helloworld.HelloReply, error) {
	return &helloworld.HelloReply{Message: "hello " + r.GetName()}, nil
}

// TestGRPC: nano/grpc's own tests call; here it is seen that the piece registers.
func TestGRPC(t *testing.T) {
	app := nano.New(nano.Config{H2C: true})
	server := grpc.NewServer(app, grpc.Options{})
	helloworld.RegisterGreeterServer(server, greeter{}) // greeter is written as for grpc-go
	reflection.Register(server)

	if got := nanotest.New(app).Post("/helloworld.Greeter/SayHello").Do().Status; got != 505 {
		t.Errorf("over HTTP/1.1: %d", got)
	}
	if names := server.Services(); len(names) != 3 {
		t.Errorf("%v", names)
	}
}
