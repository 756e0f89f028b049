// The subject go/nano-grpc: services of protoc-gen-go-grpc on nano.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"

	"dyno.example/nano"
	"dyno.example/nano/grpc"
	_ "dynoprobe"
	"echoservice"
	"echoservice/echov1"
)

func main() {
	host := flag.String("host", "127.0.0.1", "address to listen on")
	port := flag.Int("port", 8080, "port to listen on")
	flag.Parse()
	s, err := echoservice.SettingsOf(os.Getenv)
	if err == nil && s.Streams > 0 {
		err = errors.New("ECHO_STREAMS: nano allows 100 streams on a connection, which can't be changed")
	}
	if err != nil {
		log.Fatal(err)
	}
	if err := serve(net.JoinHostPort(*host, strconv.Itoa(*port)), newApp(s)); err != nil {
		log.Fatal(err)
	}
}

func newApp(s echoservice.Settings) *nano.App {
	app := nano.New(nano.Config{H2C: true})
	server := grpc.NewServer(app, grpc.Options{})
	echov1.RegisterEchoServer(server, &echoservice.Service{Wait: s.Wait})
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	reflection.Register(server)
	return app
}

// serve handles calls until SIGTERM or SIGINT, then lets those in flight finish.
func serve(addr string, app *nano.App) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()

	failed := make(chan error, 1)
	go func() { failed <- listen(app, addr) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := app.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) { // clients that keep their streams open
		return nil
	}
	return err
}

// listen serves with TLS where the environment names a certificate and its key,
// else without.
func listen(app *nano.App, addr string) error {
	cert, key := os.Getenv("DYNO_TLS_CERT"), os.Getenv("DYNO_TLS_KEY")
	if cert != "" && key != "" {
		return app.ListenTLS(addr, cert, key)
	}
	return app.Listen(addr)
}
