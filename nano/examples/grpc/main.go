// Grpc serves helloworld.Greeter of google.golang.org/grpc/examples, with health checks
// and reflection, over cleartext HTTP/2:
//
//	go run ./nano/examples/grpc -addr 127.0.0.1:50051
//	grpcurl -plaintext -d '{"name":"you"}' 127.0.0.1:50051 helloworld.Greeter/SayHello
package main

import (
	"context"
	"flag"
	"log"
	"os/signal"
	"syscall"

	"google.golang.org/grpc/examples/helloworld/helloworld"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"

	"dyno.example/nano"
	"dyno.example/nano/grpc"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:50051", "address to listen on")
	flag.Parse()
	app := newApp()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	go func() {
		<-ctx.Done()
		_ = app.Shutdown(context.Background()) // Listen returns when it has ended
	}()
	if err := app.Listen(*addr); err != nil {
		log.Fatal(err)
	}
}

// newApp returns an app with all services.
func newApp() *nano.App {
	app := nano.New(nano.Config{H2C: true})
	server := grpc.NewServer(app, grpc.Options{})
	helloworld.RegisterGreeterServer(server, greeter{})
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	reflection.Register(server)
	return app
}

type greeter struct {
	helloworld.UnimplementedGreeterServer
}

func (greeter) SayHello(_ context.Context, r *helloworld.HelloRequest) (*helloworld.HelloReply, error) {
	return &helloworld.HelloReply{Message: "Hello " + r.GetName()}, nil
}
