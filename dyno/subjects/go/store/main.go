// The subject go/store: a service on PostgreSQL, with the same query by several libraries, a
// pool with settings, and writes that a replica is asked for.
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
	s, err := settingsOf(os.Getenv)
	if err != nil {
		return err
	}
	if err := fill(ctx, s.database); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /plaintext", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Length", "13")
		w.Write([]byte("Hello, World!"))
	})
	ways, err := openWays(ctx, s.database)
	if err != nil {
		return err
	}
	defer ways.close()
	ways.routes(mux)
	pool, err := openPool(s)
	if err != nil {
		return err
	}
	defer pool.Close()
	mux.HandleFunc("GET /pool", pool.serve)
	if s.replica != "" {
		l, err := openLag(ctx, s)
		if err != nil {
			return err
		}
		defer l.close()
		l.routes(mux)
	}
	return serve(ctx, addr, mux)
}

// serve handles requests until ctx ends, then lets those in flight finish.
func serve(ctx context.Context, addr string, handler http.Handler) error {
	server := &http.Server{Addr: addr, Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
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

// respond sends a text, or the error as 500.
func respond(w http.ResponseWriter, text string, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.Write([]byte(text))
}
