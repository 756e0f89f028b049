// The subject go/keyvalue: a service that writes to Redis, one by one or in pipelines.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"

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
	at := os.Getenv("REDIS_URL")
	if at == "" {
		return errors.New("REDIS_URL is not set: dyno sets it to Redis' address")
	}
	options, err := redis.ParseURL(at)
	if err != nil {
		return err
	}
	client := redis.NewClient(options)
	defer client.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /plaintext", func(w http.ResponseWriter, _ *http.Request) { respond(w, "Hello, World!", nil) })
	for path, each := range map[string]int{"1": 1, "10": 10, "100": 100, "500": 500, "1000": 1000} {
		mux.HandleFunc("GET /sets/"+path, func(w http.ResponseWriter, r *http.Request) {
			respond(w, strconv.Itoa(commands), sets(r.Context(), client, each))
		})
	}
	return serve(ctx, addr, mux)
}

// What a request writes: so many values of 32 bytes.
const commands = 1000

var value = strings.Repeat("v", 32)

// keys are made once: making them isn't what is measured.
var keys = func() (list [commands]string) {
	for i := range list {
		list[i] = "key:" + strconv.Itoa(i)
	}
	return list
}()

// sets writes all values, so many in each pipeline. One by one means that each waits for
// the reply to the one before.
func sets(ctx context.Context, client *redis.Client, each int) error {
	if each == 1 {
		for _, key := range keys {
			if err := client.Set(ctx, key, value, 0).Err(); err != nil {
				return err
			}
		}
		return nil
	}
	for from := 0; from < commands; from += each {
		_, err := client.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, key := range keys[from : from+each] {
				p.Set(ctx, key, value, 0)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
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
