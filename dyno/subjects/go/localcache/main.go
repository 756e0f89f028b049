// The subject go/localcache: a cache in a service's memory, by several libraries and policies,
// under a trace of accesses. A request is a hundred accesses, and each that the cache hasn't takes a
// millisecond, as if it came from a database, so that the mean response time tells the hit rate.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/metrics"
	"strconv"
	"sync"
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

// accesses are how many a request has: a hit rate takes many, and scans are thousands long.
const accesses = 100

// slow is what a miss takes, and what a fragmented heap does for each access: so much that
// what else a response takes hardly counts.
const slow = time.Millisecond

// warming is how many accesses come before the first request: a cache that is not full yet
// says nothing of its policy.
const warming = 400_000

func run(addr string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	policy := os.Getenv("CACHE_POLICY")
	if policy == "" {
		policy = "lru"
	}
	c, err := open(policy)
	if err != nil {
		return err
	}
	scans := 0
	if text := os.Getenv("CACHE_SCANS"); text != "" {
		if scans, err = strconv.Atoi(text); err != nil || scans < 0 || scans > 90 {
			return fmt.Errorf("CACHE_SCANS: expected a percentage from 0 to 90, got %q", text)
		}
	}
	s := &server{cache: c, trace: newTrace(scans, uint64(time.Now().UnixNano()))}
	for range warming / accesses {
		s.request()
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /plaintext", func(w http.ResponseWriter, _ *http.Request) { respond(w, "Hello, World!") })
	mux.HandleFunc("GET /access", func(w http.ResponseWriter, _ *http.Request) {
		hits := s.request()
		time.Sleep(time.Duration(accesses-hits) * slow)
		respond(w, strconv.Itoa(hits)+" hits")
	})
	mux.HandleFunc("GET /fragmented", func(w http.ResponseWriter, _ *http.Request) {
		s.request()
		if fragmentation() < compactAt {
			respond(w, "under")
			return
		}
		time.Sleep(accesses * slow)
		respond(w, "over")
	})
	return serve(ctx, addr, mux)
}

// server is a cache and what comes next.
type server struct {
	mu    sync.Mutex // one request at a time: the trace is a sequence
	cache cache
	trace *trace
}

// request makes the accesses of a request and returns how many the cache had. Caches that put
// work off have done it before the next request: between those of a service there is time.
func (s *server) request() (hits int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range accesses {
		if s.access() {
			hits++
		}
	}
	s.cache.settle()
	return hits
}

// access is the next access of the trace. It reports whether the cache had the key; if
// not, the key is put in, as a service does that has asked the database.
func (s *server) access() bool {
	key := s.trace.next()
	if s.cache.get(key) {
		return true
	}
	s.cache.put(key, make([]byte, size(key)))
	return false
}

// size is that of a key's value in bytes: from 64 to 1087, and always the same.
func size(key int) int { return 64 + int(uint32(key)*2654435761>>22) }

// compactAt is the fragmentation at which the article compacts.
const compactAt = 0.35

// fragmentation is the share of the memory in use for objects of the heap that no object
// takes.
func fragmentation() float64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}}
	metrics.Read(samples)
	objects, unused := float64(samples[0].Value.Uint64()), float64(samples[1].Value.Uint64())
	return unused / (objects + unused)
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
