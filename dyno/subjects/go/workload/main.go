// The subject go/workload: pieces of work that published claims are about, each a
// route. A request does its piece WORK_REPEAT times, so that what HTTP costs
// around it does not count for much.
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
	_ "dynoprobe/flight"
)

func main() {
	host := flag.String("host", "127.0.0.1", "address to listen on")
	port := flag.Int("port", 8080, "port to listen on")
	flag.Parse()
	s, err := settingsOf(os.Getenv)
	if err != nil {
		log.Fatal(err)
	}
	// They stay blocked until the program ends, and end with it.
	if err := block(s.blocked, s.blockedIn); err != nil {
		log.Fatal(err)
	}
	listener, err := listen(net.JoinHostPort(*host, strconv.Itoa(*port)), s.fastOpen)
	if err != nil {
		log.Fatal(err)
	}
	if err := serve(listener, routes(s)); err != nil {
		log.Fatal(err)
	}
}

// serve handles requests until SIGTERM or SIGINT, then lets those in flight
// finish.
func serve(listener net.Listener, handler http.Handler) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()

	server := &http.Server{
		Handler: handler,
		// As in go/nethttp.
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return server.Shutdown(grace)
}
