// The subject go/connect-go: Connect's handlers on net/http, which speak gRPC, gRPC-Web
// and Connect on one port.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"

	_ "dynoprobe"
	"echoservice"
	"subject/echov1connect"
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

func routes(s echoservice.Settings) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(echov1connect.NewEchoHandler(service{s.Wait}))
	mux.Handle(grpchealth.NewHandler(grpchealth.NewStaticChecker(echov1connect.EchoName)))
	reflector := grpcreflect.NewStaticReflector(echov1connect.EchoName, grpchealth.HealthV1ServiceName)
	mux.Handle(grpcreflect.NewHandlerV1(reflector))
	mux.Handle(grpcreflect.NewHandlerV1Alpha(reflector))
	return mux
}

// serve handles calls until SIGTERM or SIGINT, then lets those in flight finish.
func serve(addr string, s echoservice.Settings) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()

	server := &http.Server{
		Addr: addr, Handler: routes(s), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		Protocols: new(http.Protocols), HTTP2: &http.HTTP2Config{MaxConcurrentStreams: int(s.Streams)},
	}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetHTTP2(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	failed := make(chan error, 1)
	go func() { failed <- listen(server) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := server.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) { // clients that keep their streams open
		return server.Close()
	}
	return err
}

// listen serves with TLS where the environment names a certificate and its key,
// else without.
func listen(server *http.Server) error {
	cert, key := os.Getenv("DYNO_TLS_CERT"), os.Getenv("DYNO_TLS_KEY")
	if cert != "" && key != "" {
		return server.ListenAndServeTLS(cert, key)
	}
	return server.ListenAndServe()
}
