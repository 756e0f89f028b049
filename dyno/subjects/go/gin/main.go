// The subject go/gin. It runs with GIN_MODE=release, which its manifest sets as
// deployments do; debug mode prints every route and parses templates per request.
package main

import (
	"context"
	"flag"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	_ "dynoprobe"
)

func main() {
	host := flag.String("host", "127.0.0.1", "address to listen on")
	port := flag.Int("port", 8080, "port to listen on")
	flag.Parse()
	middlewares, err := middlewaresOf(os.Getenv)
	if err != nil {
		log.Fatal(err)
	}
	if err := serve(net.JoinHostPort(*host, strconv.Itoa(*port)), routes(middlewares)); err != nil {
		log.Fatal(err)
	}
}

// serve handles requests until SIGTERM or SIGINT, then lets those in flight
// finish.
func serve(addr string, handler http.Handler) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()

	server := &http.Server{
		Addr:    addr,
		Handler: handler,
		// net/http waits for ever unless told otherwise; a service that faces
		// the network is given at least these two.
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return server.Shutdown(grace)
}
