// The subject go/fasthttp: fasthttp with the router that its README names.
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

	"github.com/valyala/fasthttp"

	_ "dynoprobe"
)

func main() {
	host := flag.String("host", "127.0.0.1", "address to listen on")
	port := flag.Int("port", 8080, "port to listen on")
	flag.Parse()
	headers := os.Getenv("FASTHTTP_HEADERS")
	if headers != "" && headers != "standard" {
		log.Fatalf("FASTHTTP_HEADERS is %q: set it to standard, or not at all", headers)
	}
	if err := serve(net.JoinHostPort(*host, strconv.Itoa(*port)), routes(headers == "standard")); err != nil {
		log.Fatal(err)
	}
}

// serve handles requests until SIGTERM or SIGINT, then lets those in flight
// finish.
func serve(addr string, handler fasthttp.RequestHandler) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()

	server := &fasthttp.Server{
		Handler:            handler,
		MaxRequestBodySize: maxBody,
		// fasthttp waits for ever unless told otherwise.
		ReadTimeout: 10 * time.Second,
		IdleTimeout: 2 * time.Minute,
		// Tells clients that keep a connection to go, so that Shutdown ends.
		CloseOnShutdown: true,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe(addr) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return server.ShutdownWithContext(grace)
}
