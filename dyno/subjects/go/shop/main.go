// The subject go/shop: a shop on nano, PostgreSQL, Redis and Kafka. It has what a service
// needs that is to be copied from, and nothing else; what it does is package shopkit.
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
	app := routes(shop)
	failed := make(chan error, 1)
	go func() { failed <- app.Listen(addr) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	return app.Shutdown(grace)
}
