// The subject go/shop-journey: the shop of go/shop as it was before, from a naive version on.
// SHOP_STEP says which; what a step has, the next ones have, too, and the last is go/shop.
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
	if err := run(net.JoinHostPort(*host, strconv.Itoa(*port))); err != nil {
		log.Fatal(err)
	}
}

func run(addr string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	v, err := open(ctx, os.Getenv)
	if err != nil {
		return err
	}
	defer v.close()
	return serve(ctx, &http.Server{Addr: addr, Handler: routes(v), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute})
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
