// The subject go/shop-gin: the shop of go/shop on Gin. It runs with GIN_MODE=release, which its
// manifest sets as deployments do.
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

	"shopkit"

	_ "dynoprobe"
)

func main() {
	host := flag.String("host", "127.0.0.1", "address to listen on")
	port := flag.Int("port", 8080, "port to listen on")
	flag.Parse()
	if err := run(net.JoinHostPort(*host, strconv.Itoa(*port))); err != nil {
		log.Fatal(err)
	}
}

// run serves until SIGTERM or SIGINT, then lets requests in flight finish before it closes
// what they stand on.
func run(addr string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	config, err := shopkit.ConfigOf(os.Getenv)
	if err != nil {
		return err
	}
	shop, err := shopkit.New(ctx, config)
	if err != nil {
		return err
	}
	defer shop.Close()
	return serve(ctx, &http.Server{
		Addr: addr, Handler: routes(shop),
		// net/http waits for ever unless told otherwise.
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
	})
}

func serve(ctx context.Context, server *http.Server) error {
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	return server.Shutdown(grace)
}
