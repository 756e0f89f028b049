// The subject go/nano-mounted: the chi router of go/chi, with its handlers of
// net/http, mounted on nano.
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
	app := nano.New(nano.Config{})
	app.MountHTTP("/", routes())
	if err := serve(net.JoinHostPort(*host, strconv.Itoa(*port)), app); err != nil {
		log.Fatal(err)
	}
}

// serve handles requests until SIGTERM or SIGINT, then lets those in flight
// finish.
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
	grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return app.Shutdown(grace)
}
