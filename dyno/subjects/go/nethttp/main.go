// The subject go/nethttp: the standard library alone, with the patterns that
// its ServeMux understands since Go 1.22.
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
	spin, err := parseSpin(os.Getenv("NETHTTP_SPIN"))
	if err != nil {
		log.Fatal(err)
	}
	if err := serve(net.JoinHostPort(*host, strconv.Itoa(*port)), spinning(routes(), spin)); err != nil {
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
		Protocols:         new(http.Protocols),
	}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetHTTP2(true)
	server.Protocols.SetUnencryptedHTTP2(true) // the only one that is not on by itself
	failed := make(chan error, 1)
	go func() { failed <- listen(server) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return server.Shutdown(grace)
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
