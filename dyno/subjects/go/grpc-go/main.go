// The subject go/grpc-go: gRPC's own implementation for Go, as its guide has it.
package main

import (
	"context"
	"flag"
	"log"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"

	_ "dynoprobe"
	"echoservice"
	"echoservice/echov1"
)

func main() {
	host := flag.String("host", "127.0.0.1", "address to listen on")
	port := flag.Int("port", 8080, "port to listen on")
	flag.Parse()
	s, err := echoservice.SettingsOf(os.Getenv)
	if err != nil {
		log.Fatal(err)
	}
	if err := serve(net.JoinHostPort(*host, strconv.Itoa(*port)), s); err != nil {
		log.Fatal(err)
	}
}

// serve handles calls until SIGTERM or SIGINT, then lets those in flight finish.
func serve(addr string, s echoservice.Settings) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()

	options, err := optionsOf(s)
	if err != nil {
		return err
	}
	server := grpc.NewServer(options...)
	echov1.RegisterEchoServer(server, &echoservice.Service{Wait: s.Wait})
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	reflection.Register(server)
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(ln) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	time.AfterFunc(2*time.Second, server.Stop) // clients that keep their streams open
	server.GracefulStop()
	return nil
}

// optionsOf gives TLS where the environment names a certificate and its key, and what
// studies vary.
func optionsOf(s echoservice.Settings) (options []grpc.ServerOption, err error) {
	if s.Streams > 0 {
		options = append(options, grpc.MaxConcurrentStreams(s.Streams))
	}
	cert, key := os.Getenv("DYNO_TLS_CERT"), os.Getenv("DYNO_TLS_KEY")
	if cert == "" || key == "" {
		return options, nil
	}
	secure, err := credentials.NewServerTLSFromFile(cert, key)
	return append(options, grpc.Creds(secure)), err
}
