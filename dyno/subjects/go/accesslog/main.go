// The subject go/accesslog: a service that writes a line about each request, on the request's path or
// behind a ring buffer, to a file, to the disk or to Kafka; and what it takes to compress such lines.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"

	_ "dynoprobe"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == tenantArg {
		if err := runTenant(os.Args[2:]); err != nil {
			log.Fatal(err)
		}
		return
	}
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
	to, err := open(s)
	if err != nil {
		return err
	}
	var other *tenant
	if s.burst > 0 {
		if other, err = startTenant(s); err != nil {
			return err
		}
	}
	l := newLogger(s, to)
	mux := routes(l, newSender(s), other)
	if disk, ok := to.(*stalling); ok {
		mux.HandleFunc("GET /stall", l.handleStall(disk, s.stall, dropped))
		mux.HandleFunc("GET /stall/whole", l.handleStall(disk, s.stall, unwritten))
	}
	var hum sync.WaitGroup
	if s.hum > 0 {
		hum.Go(func() { l.hum(s.hum, ctx.Done()) })
	}
	err = serve(ctx, addr, mux)
	stop()
	hum.Wait()
	if err := errors.Join(err, other.stop()); err != nil {
		return err
	}
	l.close()
	if c := l.counts(); c.written+c.left != c.lines {
		return fmt.Errorf("of %d lines %d were written, %d left out and %d lost", c.lines, c.written, c.left, c.lost)
	}
	return nil
}

func routes(l *logger, s *sender, other *tenant) *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /plaintext", func(w http.ResponseWriter, _ *http.Request) { respond(w, "Hello, World!") })
	mux.HandleFunc("GET /logged", l.handle(l.lost.Load))
	mux.HandleFunc("GET /neighbour", l.handle(other.behind))
	mux.HandleFunc("GET /metrics", l.metrics)
	for name, compress := range codecs() {
		mux.HandleFunc("GET /batch/"+name, s.send(compress))
	}
	return mux
}

func respond(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.Write([]byte(text))
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
