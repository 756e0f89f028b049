// The subject go/nano: nano as it comes, with everything that is on by default.
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
	if err := serve(net.JoinHostPort(*host, strconv.Itoa(*port)), routes(s)); err != nil {
		log.Fatal(err)
	}
}

// serve handles requests until SIGTERM or SIGINT, then lets those in flight
// finish.
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
	grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return app.Shutdown(grace)
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
