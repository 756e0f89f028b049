// Command grpc-gateway takes HTTP with JSON and calls the service of users.proto over gRPC,
// as programs do that are made with github.com/grpc-ecosystem/grpc-gateway: generated code
// for the service's rules, its default marshaller, net/http before it and one connection
// of grpc-go, without TLS, behind it.
//
//	grpc-gateway ADDRESS UPSTREAM
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"grpcgateway/users"
)

//go:generate go run ./generate ../../users.proto users

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: grpc-gateway ADDRESS UPSTREAM")
		os.Exit(2)
	}
	if err := serve(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "grpc-gateway:", err)
		os.Exit(1)
	}
}

// serve runs until this program is asked to end.
func serve(address, upstream string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	conn, err := grpc.NewClient(upstream, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	mux := runtime.NewServeMux()
	if err := users.RegisterUsersHandler(ctx, mux, conn); err != nil {
		return err
	}
	s := &http.Server{Addr: address, Handler: mux}
	go func() {
		<-ctx.Done()
		s.Close()
	}()
	if err := s.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
