// The subject go/upstream: what gateways send requests on to. It is a name server too, on the
// same port and, where it may, on port 53 of an address of its own.
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

	"dyno.example/nano"

	_ "dynoprobe"
)

func main() {
	host := flag.String("host", "127.0.0.1", "address to listen on")
	port := flag.Int("port", 8080, "port to listen on")
	flag.Parse()
	s, err := settingsOf(os.Getenv)
	if err != nil {
		log.Fatal(err)
	}
	addr := net.JoinHostPort(*host, strconv.Itoa(*port))
	names := &nameServer{stall: s.dnsStall, every: s.dnsEvery}
	if err := names.listen(addr, nameServerAt(*port)); err != nil {
		log.Fatal(err)
	}
	if err := serve(addr, routes(s)); err != nil {
		log.Fatal(err)
	}
}

// serve handles requests until SIGTERM or SIGINT, then lets those in flight finish.
func serve(addr string, app *nano.App) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()

	failed := make(chan error, 1)
	go func() { failed <- app.Listen(addr) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	// Those who wait need not be waited for: no gateway is there any more.
	grace, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	app.Shutdown(grace)
	return nil
}
